package parse

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
)

// nationalTexts writes N'text' as _utf8mb3'text': go-mysql-server's parser takes N for a column, and the text for its alias.
func nationalTexts(sql string, mode dialect.Mode) string {
	if !strings.Contains(sql, "n'") && !strings.Contains(sql, "N'") {
		return sql
	}
	toks := dialect.Tokens(sql, mode, 0)
	e := dialect.Editor{SQL: sql}
	for i, t := range toks[:max(len(toks)-1, 0)] {
		if next := toks[i+1]; t.Kind == dialect.Word && t.Is("N") && next.Kind == dialect.String && t.End == next.Start && sql[next.Start] == '\'' {
			e.Replace(t, "_utf8mb3")
		}
	}
	return e.Done()
}
