package parse

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
)

// keepBackslashes doubles the backslashes in string literals that the parser would
// drop though they belong to the text: those before _ and %, which LIKE needs, and
// with NO_BACKSLASH_ESCAPES all of them.
func keepBackslashes(sql string, mode dialect.Mode) string {
	if strings.IndexByte(sql, '\\') < 0 {
		return sql
	}
	var out strings.Builder
	done := 0
	s := dialect.Scanner{SQL: sql, Mode: mode}
	for {
		t, ok := s.Next()
		if !ok {
			break
		}
		if t.Kind != dialect.String {
			continue
		}
		for i := t.Start; i < t.End; i++ {
			if sql[i] != '\\' {
				continue
			}
			next := byte(0)
			if i+1 < t.End {
				next = sql[i+1]
			}
			if mode.NoBackslashEscapes || next == '_' || next == '%' {
				out.WriteString(sql[done:i])
				out.WriteByte('\\')
				done = i
			}
			if !mode.NoBackslashEscapes {
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
