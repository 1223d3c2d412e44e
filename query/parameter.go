package query

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

// bindingsOf makes of a statement's parameters what go-mysql-server's planner puts in the place of placeholders.
func bindingsOf(params []result.Value) bindings {
	b := make(bindings, len(params))
	for i, v := range params {
		b["v"+strconv.Itoa(i+1)] = exprOf(v)
	}
	return b
}

// exprOf is a parameter as a literal of the syntax tree, which keeps numbers as digits.
func exprOf(v result.Value) sqlparser.Expr {
	switch v.Kind() {
	case result.Null:
		return &sqlparser.NullVal{}
	case result.KindSigned, result.KindUnsigned, result.KindYear:
		return sqlparser.NewIntVal(v.AppendText(nil))
	case result.KindFloat, result.KindDouble:
		// With an exponent it stays a DOUBLE; without one it would be a DECIMAL.
		return sqlparser.NewFloatVal(strconv.AppendFloat(nil, v.Float(), 'e', -1, 64))
	case result.KindDecimal:
		return sqlparser.NewFloatVal(v.Raw())
	}
	text := v.AppendText(nil)
	if !utf8.Valid(text) { // bytes that are no text
		return sqlparser.NewHexVal([]byte(hex.EncodeToString(text)))
	}
	return sqlparser.NewStrVal(text)
}

// literalOf writes a parameter as SQL, for statements that are run by their text.
func literalOf(v result.Value, mode dialect.Mode) string {
	switch v.Kind() {
	case result.Null:
		return "NULL"
	case result.KindSigned, result.KindUnsigned, result.KindYear, result.KindDecimal:
		return string(v.AppendText(nil))
	case result.KindFloat, result.KindDouble:
		return strconv.FormatFloat(v.Float(), 'e', -1, 64)
	}
	text := string(v.AppendText(nil))
	if mode.NoBackslashEscapes {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return dialect.QuoteString(text)
}

// usingValues are the values of EXECUTE ... USING.
func (s *Session) usingValues(ctx context.Context, using []dialect.Operand) ([]result.Value, error) {
	c := s.newContext(ctx, "")
	var out []result.Value
	for _, o := range using {
		var v result.Value
		switch o.Kind {
		case dialect.StringOperand:
			v = result.Text([]byte(o.Text))
		case dialect.NumberOperand:
			v = numberOf(o.Text)
		case dialect.VariableOperand:
			var err error
			if v, err = s.userVarValue(c, o.Text); err != nil {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// numberOf is a number that is written with digits only.
func numberOf(digits string) result.Value {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return result.Signed(n)
	}
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return result.Unsigned(n)
	}
	return result.Decimal([]byte(digits))
}

// userVarValue is the value of a user variable as a parameter.
func (s *Session) userVarValue(c *sql.Context, name string) (result.Value, error) {
	typ, v, err := s.base.GetUserVariable(c, name)
	if err != nil || v == nil || typ == nil {
		return result.Value{}, err
	}
	one := cells{list: []cell{cellOf(typ, origin{}, sql.CharacterSet_utf8mb4)}}
	out, err := one.value(c, 0, v)
	if err != nil {
		return out, fmt.Errorf("user variable %s: %w", name, err)
	}
	return out, nil
}
