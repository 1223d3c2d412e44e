package query

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/value"
	"github.com/duramendb/duramen/query/result"
)

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
	out, err := value.NewRow([]value.Source{{Type: typ, Digits: -1}}, sql.CharacterSet_utf8mb4).Value(c, 0, v)
	if err != nil {
		return out, fmt.Errorf("user variable %s: %w", name, err)
	}
	return out, nil
}
