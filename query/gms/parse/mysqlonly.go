package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// refuseMySQLs refuses clauses that the parser takes and MariaDB does not: a replica of MariaDB could not run them.
func refuseMySQLs(text string, ast sqlparser.Statement, toks []dialect.Token) error {
	at := func(i int) dialect.Token {
		if i >= 0 && i < len(toks) {
			return toks[i]
		}
		return dialect.Token{}
	}
	from := func(i int) error {
		if i >= len(toks) {
			return dialect.SyntaxError(text, len(text))
		}
		return dialect.SyntaxError(text, toks[i].Start)
	}
	switch ast.(type) {
	case *sqlparser.Explain:
		if at(1).Is("PLAN") {
			return from(2)
		}
		return nil
	case *sqlparser.Show:
		if at(1).Is("EXTENDED") {
			return from(1)
		}
		return nil
	}
	if len(toks) < 3 || !definesTable(toks) {
		return nil
	}
	for i, t := range toks {
		if t.Kind != dialect.Word {
			continue
		}
		switch {
		case t.Is("SRID") && i > 1 && at(i-1).Kind != dialect.Quoted && startsWithDigit(at(i+1)): // of a column; MariaDB has REF_SYSTEM_ID
			return from(i + 1)
		case t.Is("ENFORCED") && at(i-1).Is(")"):
			return from(i)
		case t.Is("ENFORCED") && at(i-1).Is("NOT") && at(i-2).Is(")"):
			return from(i - 1)
		case (t.Is("TARGET_ROW_SIZE") || t.Is("TOAST_TUPLE_TARGET")) && at(i+1).Is("="):
			return mysqlerr.Newf(1911, "Unknown option '%s'", t.Text)
		}
	}
	return nil
}

func startsWithDigit(t dialect.Token) bool {
	return t.Kind == dialect.Word && t.Text[0] >= '0' && t.Text[0] <= '9'
}
