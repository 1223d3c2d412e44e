package value

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/result"
)

// Bindings makes of a statement's parameters what go-mysql-server's planner puts in the place of placeholders.
func Bindings(params []result.Value) map[string]sqlparser.Expr {
	b := make(map[string]sqlparser.Expr, len(params))
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
