package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// queryLeftOut is what the only column of a query is called that stands for one which the parser does not know, and a column in the place of those that a
// table has of it.
const queryLeftOut = "\x01query"

// createWithoutQuery parses a CREATE TABLE ... SELECT without its query, in whose place is another one of the same table: SQL of our own may know it. ok is
// false for all other statements, and for what the parser does not know even so.
func (p *Reader) createWithoutQuery(text *source.Text) (ast sqlparser.Statement, ok bool) {
	st, _, err := text.Statement()
	n, ok := st.(*tree.CreateTable)
	if err != nil || !ok || n.Query == nil || n.Partitioning != nil {
		return nil, false
	}
	from, ok := fromOf(n.Query)
	if !ok {
		return nil, false
	}
	head := text.SQL[:n.Query.Place().Start]
	toks := dialect.Tokens(head, p.Mode, 0)
	for len(toks) > 0 && (toks[len(toks)-1].Is("(") || toks[len(toks)-1].Is("AS") || toks[len(toks)-1].Is("IGNORE") || toks[len(toks)-1].Is("REPLACE")) {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 {
		return nil, false
	}
	head = head[:toks[len(toks)-1].End]
	added := "`" + queryLeftOut + "` int"
	if len(n.Elements) > 0 {
		at := n.Elements[0].Place().Start
		head = head[:at] + added + ", " + head[at:]
	} else {
		at := n.Name.Place().End
		head = head[:at] + " (" + added + ")" + head[at:]
	}
	made, err := p.create(head)
	if err != nil {
		return nil, false
	}
	query, err := p.create("CREATE TABLE t AS SELECT 1 AS `" + queryLeftOut + "`" + from)
	if err != nil || made.TableSpec == nil || len(made.TableSpec.Columns) == 0 {
		return nil, false
	}
	made.TableSpec.Columns, made.OptSelect = made.TableSpec.Columns[1:], query.OptSelect
	if len(n.Elements) == 0 && len(made.TableSpec.TableOpts) == 0 {
		made.TableSpec = nil
	}
	return made, true
}

// create parses a CREATE TABLE.
func (p *Reader) create(sql string) (*sqlparser.DDL, error) {
	ast, _, _, err := p.parseVitess(sql)
	if err != nil {
		if r := rewriteMariaDB(sql, p.Mode); r.text != sql {
			ast, _, _, err = p.parseVitess(r.text)
		}
	}
	if err == nil {
		err = refuse(sql, p.Mode, ast)
	}
	if err != nil {
		return nil, err
	}
	ddl, ok := ast.(*sqlparser.DDL)
	if !ok {
		return nil, sqlparser.ErrEmpty
	}
	return ddl, nil
}

// fromOf is the FROM clause of a query of one table, or of none, which has no query in it.
func fromOf(query tree.Query) (from string, ok bool) {
	selects, with := 0, false
	tree.Walk(query, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Select:
			selects++
		case *tree.With:
			with = true
		}
		return true
	})
	if selects != 1 || with {
		return "", false
	}
	for range parenthesesMost {
		nested, ok := query.(*tree.Nested)
		if !ok {
			break
		}
		query = nested.Query
	}
	sel, ok := query.(*tree.Select)
	if !ok || len(sel.From) > 1 {
		return "", false
	}
	if len(sel.From) == 0 {
		return "", true
	}
	table, ok := sel.From[0].(*tree.Table)
	if !ok {
		return "", false
	}
	return " FROM " + tree.String(table.Name), true
}

// parenthesesMost is how many parentheses are looked through around a query.
const parenthesesMost = 16

// WithoutQuery reports whether the query of a CREATE TABLE ... SELECT is another one than that of the text. Nothing but SQL of our own can run it.
func WithoutQuery(ddl *sqlparser.DDL) bool {
	if ddl.OptSelect == nil {
		return false
	}
	sel, ok := ddl.OptSelect.Select.(*sqlparser.Select)
	if !ok || len(sel.SelectExprs) != 1 {
		return false
	}
	x, ok := sel.SelectExprs[0].(*sqlparser.AliasedExpr)
	return ok && x.As.String() == queryLeftOut
}

// RefuseQuery is the error of such a statement that nothing runs.
func RefuseQuery(sql string, mode dialect.Mode) error {
	return refusal(source.New(sql, mode, nil), nil)
}
