package parse

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
)

// looseSelects puts a space after the SELECT, SELECT DISTINCT or SELECT ALL that is followed by
// something else at once, as in SELECT” or SELECT-1: go-mysql-server's parser loses the first
// character of such an expression's text, which names its column, and panics over an empty string's.
func looseSelects(sql string, mode dialect.Mode) string {
	if !tightWord(sql) {
		return sql
	}
	toks := dialect.Tokens(sql, mode, 0)
	e := dialect.Editor{SQL: sql}
	for i, t := range toks[:max(len(toks)-1, 0)] {
		next := toks[i+1]
		word := t.Is("SELECT") || i > 0 && toks[i-1].Is("SELECT") && (t.Is("DISTINCT") || t.Is("ALL"))
		if word && t.Kind == dialect.Word && t.End == next.Start && (next.Kind == dialect.String || i == 0 && !next.Is("(")) {
			e.Replace(t, sql[t.Start:t.End]+" ")
		}
	}
	return e.Done()
}

// tightWord reports, fast, whether a text may have one of these words with something right after it.
func tightWord(sql string) bool {
	for i := 1; i < len(sql); i++ {
		if (sql[i-1]|0x20 == 't' || sql[i-1]|0x20 == 'l') && strings.IndexByte(`'"@-+!~*.?`, sql[i]) >= 0 {
			return true
		}
	}
	return false
}
