package dialect

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
)

// TableName names a table, or what else lives in a database. DB is "" for the current database.
type TableName struct{ DB, Name string }

func (n TableName) text() string {
	if n.DB == "" {
		return QuoteName(n.Name)
	}
	return QuoteName(n.DB) + "." + QuoteName(n.Name)
}

func namesText(names []TableName) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n.text()
	}
	return strings.Join(out, ", ")
}

// words joins the parts of a statement that are there.
func words(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part)
	}
	return b.String()
}

// when is a part of a statement that is there or not.
func when(there bool, part string) string {
	if there {
		return part
	}
	return ""
}

// BuiltIn reports whether a name, in letters of any case, is that of a built-in function only right before an opening parenthesis.
func BuiltIn(name string) bool { return lex.BuiltIn(name) }

// Keyword reports whether a name, in letters of any case, is a keyword, reserved or not.
func Keyword(name string) bool { return lex.Keyword(name) != lex.NoWord }
