package query

import (
	"regexp"
	"strings"
)

// MariaDB's grammar is larger than that of go-mysql-server's parser. A statement
// that does not parse is rewritten and tried once more; what the rewriting takes
// away has no effect here, or is found again in the text (lockClause).
type rewritten struct {
	text string
	// alter is what was taken out of an ALTER TABLE; nil if nothing was.
	alter *alterConditions
}

var waitClause = regexp.MustCompile(`(?i)\b(for\s+update|lock\s+in\s+share\s+mode)\s+wait\s+(\d+)\s*$`)

// rewriteMariaDB rewrites one statement.
func (s *Session) rewriteMariaDB(sql string) rewritten {
	r := rewritten{text: waitClause.ReplaceAllString(strings.TrimRight(sql, "; \n\t\r"), "$1")}
	toks := tokens(r.text, s.sqlModeLex, 0)
	if len(toks) == 0 {
		return r
	}
	if toks[0].is("ALTER") {
		r.alter = s.rewriteAlter(&r.text)
		toks = tokens(r.text, s.sqlModeLex, 0)
	}
	e := editor{sql: r.text}
	ddl := isDDLWord(toks[0])
	for i, t := range toks {
		at := func(n int, word string) bool { return i+n >= 0 && i+n < len(toks) && toks[i+n].is(word) }
		switch {
		case rewriteDump(&e, toks, i, s.sqlModeLex):
		case t.is("VIA") && at(-1, "IDENTIFIED"):
			e.replace(t, "WITH")
		case t.is("USING") && (at(-2, "VIA") || at(-2, "WITH")) && at(-3, "IDENTIFIED"):
			e.replace(t, "AS")
		case t.is("BY") && at(-1, "IDENTIFIED") && at(1, "PASSWORD"): // a hash
			e.replace(t, "WITH mysql_native_password")
			e.replace(toks[i+1], "AS")
		case t.is("MODE") && at(-1, "SHARE") && (at(1, "NOWAIT") || at(1, "SKIP")):
			e.remove(toks[i+1])
			if at(1, "SKIP") && i+2 < len(toks) {
				e.remove(toks[i+2])
			}
		case t.is("WAIT") && ddl && i+1 < len(toks) && isNumber(toks[i+1].text):
			e.remove(t)
			e.remove(toks[i+1])
		case t.is("NOWAIT") && ddl:
			e.remove(t)
		case t.is("PERSISTENT") && ddl:
			e.replace(t, "STORED")
		case t.is("YEAR") && ddl && at(1, "(") && at(2, "4") && at(3, ")"):
			e.remove(toks[i+1])
			e.remove(toks[i+2])
			e.remove(toks[i+3])
		case t.is("ROW") && at(-1, "=") && at(-2, "binlog_format"):
			e.replace(t, "'ROW'") // a keyword of the parser
		case t.is("PASSWORD") && at(1, "(") && !ddl:
			e.replace(t, nativeHashFunction) // PASSWORD is a keyword of the parser
		case t.is("PRIMARY") && at(-1, "(") && at(1, ")") && (at(-2, "INDEX") || at(-2, "KEY") || at(-2, "FOR")):
			e.replace(t, "`PRIMARY`")
		case selectOptions[strings.ToUpper(t.text)] && t.kind == tokWord && i > 0 && (at(-1, "SELECT") || selectOptions[strings.ToUpper(toks[i-1].text)]):
			e.remove(t)
		}
	}
	r.text = e.done()
	if len(toks) > 1 && toks[0].is("ALTER") && toks[1].is("VIEW") {
		r.text = "CREATE OR REPLACE " + r.text[toks[1].start:]
	}
	return r
}

// selectOptions are words after SELECT that change nothing here.
var selectOptions = map[string]bool{
	"HIGH_PRIORITY": true, "SQL_NO_CACHE": true, "SQL_CACHE": true, "SQL_SMALL_RESULT": true,
	"SQL_BIG_RESULT": true, "SQL_BUFFER_RESULT": true,
}

func isDDLWord(t token) bool {
	for _, w := range []string{"ALTER", "DROP", "CREATE", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "SET"} {
		if t.is(w) {
			return true
		}
	}
	return false
}

// editor replaces tokens of a text, in their order.
type editor struct {
	sql  string
	b    strings.Builder
	last int
}

func (e *editor) replace(t token, with string) {
	if t.start < e.last {
		return
	}
	e.b.WriteString(e.sql[e.last:t.start])
	e.b.WriteString(with)
	e.last = t.end
}

func (e *editor) remove(t token) { e.replace(t, "") }

func (e *editor) done() string {
	e.b.WriteString(e.sql[e.last:])
	return e.b.String()
}
