package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
)

// parseDeleteReturning parses DELETE ... RETURNING, which go-mysql-server can run but
// its grammar lacks. ok is false if the text is nothing of that kind.
func (p *Reader) parseDeleteReturning(sql string) (ast sqlparser.Statement, ok bool) {
	toks := dialect.Tokens(sql, p.Mode, 0)
	if len(toks) == 0 || !toks[0].Is("DELETE") {
		return nil, false
	}
	depth := 0
	for i, t := range toks {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is("RETURNING") && i+1 < len(toks):
			body, _, _, err := p.parseVitess(sql[:t.Start])
			if err != nil {
				return nil, false
			}
			list, _, _, err := p.parseVitess("SELECT " + sql[t.End:])
			if err != nil {
				return nil, false
			}
			del, isDelete := body.(*sqlparser.Delete)
			sel, isSelect := list.(*sqlparser.Select)
			if !isDelete || !isSelect {
				return nil, false
			}
			del.Returning = sel.SelectExprs
			return del, true
		}
	}
	return nil, false
}
