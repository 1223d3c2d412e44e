package query

import "strings"

// looseSelects puts a space behind the SELECT, SELECT DISTINCT or SELECT ALL that is followed by
// something else at once, as in SELECT” or SELECT-1: go-mysql-server's parser loses the first
// character of such an expression's text, which names its column, and panics over an empty string's.
func looseSelects(sql string, mode lexMode) string {
	if !tightWord(sql) {
		return sql
	}
	toks := tokens(sql, mode, 0)
	e := editor{sql: sql}
	for i, t := range toks[:max(len(toks)-1, 0)] {
		next := toks[i+1]
		word := t.is("SELECT") || i > 0 && toks[i-1].is("SELECT") && (t.is("DISTINCT") || t.is("ALL"))
		if word && t.kind == tokWord && t.end == next.start && (next.kind == tokString || i == 0 && !next.is("(")) {
			e.replace(t, sql[t.start:t.end]+" ")
		}
	}
	return e.done()
}

// tightWord reports, fast, whether a text may have one of these words with something right behind it.
func tightWord(sql string) bool {
	for i := 1; i < len(sql); i++ {
		if (sql[i-1]|0x20 == 't' || sql[i-1]|0x20 == 'l') && strings.IndexByte(`'"@-+!~*.?`, sql[i]) >= 0 {
			return true
		}
	}
	return false
}
