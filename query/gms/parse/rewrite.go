package parse

import (
	"regexp"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
)

// MariaDB's grammar is larger than that of go-mysql-server's parser. A statement
// that does not parse is rewritten and tried once more; what the rewriting takes
// away has no effect here, or is found again in the text (lockClause).
type rewritten struct {
	text string
	// alter is what was taken out of an ALTER TABLE; nil if nothing was.
	alter *alterConditions
	// engines says that ENGINE was taken out of a CREATE TABLE ... SELECT.
	engines bool
	// quantified says that there are comparisons with ANY or ALL.
	quantified bool
}

var WaitClause = regexp.MustCompile(`(?i)\b(for\s+update|lock\s+in\s+share\s+mode)\s+wait\s+(\d+)\s*$`)

// NativeHash is the name under which PASSWORD() is registered, which is a keyword of the parser.
const NativeHash = "native_password_hash"

// rewriteMariaDB rewrites one statement.
func rewriteMariaDB(sql string, mode dialect.Mode) rewritten {
	r := rewritten{text: WaitClause.ReplaceAllString(strings.TrimRight(sql, "; \n\t\r"), "$1")}
	toks := dialect.Tokens(r.text, mode, 0)
	if len(toks) == 0 {
		return r
	}
	if toks[0].Is("ALTER") {
		r.alter = rewriteAlter(&r.text, mode)
		toks = dialect.Tokens(r.text, mode, 0)
	}
	if text := withoutSelectEngines(r.text, mode); text != r.text {
		r.text, r.engines = text, true
		toks = dialect.Tokens(r.text, mode, 0)
	}
	if text := withPlainEngines(r.text, toks); text != r.text {
		r.text, r.engines = text, true
		toks = dialect.Tokens(r.text, mode, 0)
	}
	e := dialect.Editor{SQL: r.text}
	ddl := isDDLWord(toks[0])
	for i, t := range toks {
		at := func(n int, word string) bool { return i+n >= 0 && i+n < len(toks) && toks[i+n].Is(word) }
		switch {
		case rewriteDump(&e, toks, i, mode):
		case !ddl && rewriteQuantified(&e, toks, i):
			r.quantified = true
		case t.Is("MATCH") && !ddl && !at(1, "(") && rewriteMatch(&e, toks[i+1:]):
		case t.Is("VIA") && at(-1, "IDENTIFIED"):
			e.Replace(t, "WITH")
		case t.Is("USING") && (at(-2, "VIA") || at(-2, "WITH")) && at(-3, "IDENTIFIED"):
			e.Replace(t, "AS")
		case t.Is("BY") && at(-1, "IDENTIFIED") && at(1, "PASSWORD"): // a hash
			e.Replace(t, "WITH mysql_native_password")
			e.Replace(toks[i+1], "AS")
		case t.Is("MODE") && at(-1, "SHARE") && (at(1, "NOWAIT") || at(1, "SKIP")):
			e.Remove(toks[i+1])
			if at(1, "SKIP") && i+2 < len(toks) {
				e.Remove(toks[i+2])
			}
		case t.Is("WAIT") && ddl && i+1 < len(toks) && dialect.IsNumber(toks[i+1].Text):
			e.Remove(t)
			e.Remove(toks[i+1])
		case t.Is("NOWAIT") && ddl:
			e.Remove(t)
		case t.Is("PERSISTENT") && ddl:
			e.Replace(t, "STORED")
		case t.Is("YEAR") && ddl && at(1, "(") && at(2, "4") && at(3, ")"):
			e.Remove(toks[i+1])
			e.Remove(toks[i+2])
			e.Remove(toks[i+3])
		case t.Is("SCHEMAS") && i == 1 && at(-1, "SHOW"):
			e.Replace(t, "DATABASES")
		case t.Is("TABLES") && i == 1 && at(-1, "DROP"), t.Is("TABLES") && i == 2 && at(-2, "DROP") && at(-1, "TEMPORARY"):
			e.Replace(t, "TABLE")
		case t.Is("ROW") && at(-1, "=") && at(-2, "binlog_format"):
			e.Replace(t, "'ROW'") // a keyword of the parser
		case t.Is("PASSWORD") && at(1, "(") && !ddl:
			e.Replace(t, NativeHash) // PASSWORD is a keyword of the parser
		case t.Is("PRIMARY") && at(-1, "(") && at(1, ")") && (at(-2, "INDEX") || at(-2, "KEY") || at(-2, "FOR")):
			e.Replace(t, "`PRIMARY`")
		case selectOptions[strings.ToUpper(t.Text)] && t.Kind == dialect.Word && i > 0 && (at(-1, "SELECT") || selectOptions[strings.ToUpper(toks[i-1].Text)]):
			e.Remove(t)
		}
	}
	r.text = e.Done()
	if len(toks) > 1 && toks[0].Is("ALTER") && toks[1].Is("VIEW") {
		r.text = "CREATE OR REPLACE " + r.text[toks[1].Start:]
	}
	return r
}

// selectOptions are words after SELECT that change nothing here.
var selectOptions = map[string]bool{
	"HIGH_PRIORITY": true, "SQL_NO_CACHE": true, "SQL_CACHE": true, "SQL_SMALL_RESULT": true,
	"SQL_BIG_RESULT": true, "SQL_BUFFER_RESULT": true,
}

func isDDLWord(t dialect.Token) bool {
	for _, w := range []string{"ALTER", "DROP", "CREATE", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "SET"} {
		if t.Is(w) {
			return true
		}
	}
	return false
}
