package ddltext

import (
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/lex"
)

// Style is how a session wants to see definitions: which quotes names get, and what is left out. The zero value is that of dumps and
// of the log: every name in backquotes, and everything.
type Style struct {
	double     bool // quotes are "
	needed     bool // quotes only where a name needs them
	oldTypes   bool // TYPE=, and no character sets
	noUpdate   bool // no ON UPDATE CURRENT_TIMESTAMP
	noCounters bool // no AUTO_INCREMENT of columns
	noKeys     bool // no options of indexes
	noTable    bool // no options of tables
	// Modes in which DATE, or TIMESTAMP, mean another type, so that they are shown with their schema.
	oracle, maxdb bool
}

// StyleOf is the style of a session by its sql_mode and sql_quote_show_create.
func StyleOf(sqlMode string, quoteAll bool) Style {
	st := Style{needed: !quoteAll}
	limited := false
	for mode := range strings.SplitSeq(sqlMode, ",") {
		switch mode {
		case "ANSI_QUOTES":
			st.double = true
		case "MYSQL323", "MYSQL40":
			st.oldTypes, limited = true, true
		case "NO_FIELD_OPTIONS":
			st.noCounters, limited = true, true
		case "NO_KEY_OPTIONS":
			st.noKeys = true
		case "NO_TABLE_OPTIONS":
			st.noTable = true
		case "ANSI", "ORACLE", "MSSQL", "DB2", "POSTGRESQL", "MAXDB":
			st.noKeys, st.noTable = true, true
			st.oracle, st.maxdb = st.oracle || mode == "ORACLE", st.maxdb || mode == "MAXDB"
		}
	}
	st.noUpdate, st.noKeys = limited, st.noKeys || limited
	return st
}

// Table is Table in a style.
func (st Style) Table(def *catalog.TableDef, next uint64) string {
	return st.Names(st.table(def, next))
}

// Names gives the names of a text, which are in backquotes, the style's quotes. Strings stay as they are.
func (st Style) Names(text string) string {
	if !st.double && !st.needed {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		end := quotedEnd(text, i)
		if text[i] == '`' {
			name := strings.ReplaceAll(text[i+1:max(end-1, i+1)], "``", "`")
			b.WriteString(st.Name(name))
		} else {
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}

// quotedEnd is the end of the name or string that begins at a place; of anything else that is one byte.
func quotedEnd(text string, from int) int {
	quote := text[from]
	if quote != '`' && quote != '\'' {
		return from + 1
	}
	for i := from + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '\'':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// Name writes an identifier.
func (st Style) Name(name string) string {
	switch {
	case st.needed && plain(name):
		return name
	case st.double:
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return Name(name)
}

// plain reports whether a name needs no quotes: every keyword does, reserved or not, and so does what has digits and letters beyond ASCII only.
func plain(name string) bool {
	digits := true
	for i := range len(name) {
		c := name[i]
		if !isNameByte(c) {
			return false
		}
		digits = digits && (c >= '0' && c <= '9' || c >= 0x80)
	}
	return !digits && lex.Keyword(name) == lex.NoWord
}

// typeText is a column's type.
func (st Style) typeText(sqlType string) string {
	text := Type(sqlType)
	if base := BaseType(sqlType); st.oracle && base == "date" || st.maxdb && base == "timestamp" {
		return "mariadb_schema." + text
	}
	return text
}
