package query

import "strings"

// keepBackslashes doubles the backslashes in string literals that the parser would
// drop though they belong to the text: those before _ and %, which LIKE needs, and
// with NO_BACKSLASH_ESCAPES all of them.
func keepBackslashes(sql string, mode lexMode) string {
	if strings.IndexByte(sql, '\\') < 0 {
		return sql
	}
	var out strings.Builder
	done := 0
	s := scanner{sql: sql, mode: mode}
	for {
		t, ok := s.next()
		if !ok {
			break
		}
		if t.kind != tokString {
			continue
		}
		for i := t.start; i < t.end; i++ {
			if sql[i] != '\\' {
				continue
			}
			next := byte(0)
			if i+1 < t.end {
				next = sql[i+1]
			}
			if mode.noBackslashEscapes || next == '_' || next == '%' {
				out.WriteString(sql[done:i])
				out.WriteByte('\\')
				done = i
			}
			if !mode.noBackslashEscapes {
				i++ // what it escapes, perhaps a backslash
			}
		}
	}
	if done == 0 {
		return sql
	}
	out.WriteString(sql[done:])
	return out.String()
}
