package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// procedure parses the head of a CREATE PROCEDURE, whose parameters and body are not go-mysql-server's to read (package routine runs them); false for
// other texts, and for those that are wrong.
func (p *Reader) procedure(text *source.Text) (ast sqlparser.Statement, first, rest string, ok bool) {
	if t := dialect.Tokens(text.SQL, text.Mode, 1); len(t) == 0 || !t[0].Is("CREATE") || !mentions(text.SQL, "procedure") {
		return nil, "", "", false
	}
	st, next, err := text.Statement()
	if err != nil {
		return nil, "", "", false
	}
	n, ok := st.(*tree.CreateRoutine)
	if !ok || n.Kind != tree.Procedure {
		return nil, "", "", false
	}
	if ast, _, _, err = p.text(source.New(text.SQL[:n.Name.End]+"() BEGIN END", p.Mode, nil)); err != nil {
		return nil, "", "", false
	}
	first = strings.TrimRight(dialect.Trim(p.Definer(text.SQL[:next]), p.Mode), "; \t\r\n")
	return ast, first, dialect.Trim(text.SQL[next:], p.Mode), true
}
