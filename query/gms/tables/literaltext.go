package tables

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// literalText is catalog.ColumnDef.DefaultText for a default of a type. MariaDB keeps the default of a TEXT, BLOB or
// JSON column as an expression, so that it shows a literal as it was written.
func literalText(sqlType string, e sqlparser.Expr) string {
	t := strings.ToLower(sqlType)
	if t != "json" && !strings.HasSuffix(t, "text") && !strings.HasSuffix(t, "blob") {
		return ""
	}
	sign := ""
	for {
		switch n := e.(type) {
		case *sqlparser.ParenExpr:
			e = n.Expr
			continue
		case *sqlparser.UnaryExpr:
			if n.Operator != sqlparser.UMinusStr || sign != "" {
				return ""
			}
			sign, e = "-", n.Expr
			continue
		case sqlparser.BoolVal:
			switch {
			case sign != "" || t == "json": // true is a value of JSON here
				return ""
			case bool(n):
				return "1"
			}
			return "0"
		case *sqlparser.SQLVal:
			return sqlValText(sign, n)
		}
		return ""
	}
}

func sqlValText(sign string, n *sqlparser.SQLVal) string {
	text := string(n.Val)
	switch {
	case n.Type == sqlparser.IntVal:
		digits, minus := strings.CutPrefix(text, "-")
		if minus && sign == "" {
			sign = "-"
		}
		if digits = strings.TrimLeft(digits, "0"); digits == "" {
			digits = "0"
		}
		return sign + digits
	case n.Type == sqlparser.FloatVal:
		return sign + text
	case sign != "":
	case n.Type == sqlparser.HexNum:
		return text
	case n.Type == sqlparser.HexVal:
		return "X'" + text + "'"
	case n.Type == sqlparser.StrVal && utf8.ValidString(text):
		return "'" + escaped.Replace(text) + "'"
	}
	return ""
}

// escaped is how MariaDB writes a text in an expression.
var escaped = strings.NewReplacer(`\`, `\\`, "\x00", `\0`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\x1a", `\Z`)
