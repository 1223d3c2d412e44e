package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/setop"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// withSelectTypes gives CREATE TABLE ... SELECT definitions of the columns that the query makes, where
// go-mysql-server would make others than MariaDB does, above all LONGTEXT with a collation of MySQL 8.
// Where the length of a text is not certain it stays LONGTEXT, in a collation that MariaDB has.
func (p *planned) withSelectTypes() (*syntax.Statement, error) {
	d, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || d.Action != sqlparser.CreateStr || d.OptSelect == nil || d.OptLike != nil {
		return p.st, nil
	}
	sel := &syntax.Statement{Statement: statement.Statement{Text: p.st.Text, Kind: statement.Read}, AST: d.OptSelect.Select, Globals: p.st.Globals}
	gms := p.s.engine.gms
	flags := &sql.QueryFlags{}
	binder := planbuilder.New(p.c, gms.Analyzer.Catalog, gms.EventScheduler)
	if len(p.b) > 0 {
		binder.SetBindings(p.b)
	}
	var node sql.Node
	err := p.s.engine.planning(p.c, func() (err error) {
		defer computed.Rewrite(sel.AST)()
		if node, flags, err = binder.BindOnly(sel.AST, p.st.Text, flags); err != nil {
			return err
		}
		if node, err = setop.Settle(p.c, node); err != nil {
			return err
		}
		node, err = gms.Analyzer.Analyze(p.c, node, nil, flags)
		return err
	})
	if err != nil {
		return nil, err
	}
	sch := node.Schema(p.c)
	if d.TableSpec != nil {
		for _, col := range d.TableSpec.Columns {
			if sch.IndexOfColName(strings.ToLower(col.Name.String())) < 0 {
				return nil, mysqlerr.NotYet("CREATE TABLE ... SELECT with a column that the query does not yield")
			}
		}
	}
	defs, some := column.MadeDefinitions(p.c, node, p.s.Vars.Str("collation_connection"))
	if !some {
		return p.st, nil
	}
	ast, err := sqlparser.Parse("CREATE TABLE t (" + strings.Join(defs, ", ") + ")")
	if err != nil {
		return nil, err
	}
	tables.Normalize(ast) // TIME(n)
	spec := sqlparser.TableSpec{}
	if d.TableSpec != nil {
		spec = *d.TableSpec
	}
	written := spec.Columns
	spec.Columns = append([]*sqlparser.ColumnDefinition{}, written...)
	for _, col := range ast.(*sqlparser.DDL).TableSpec.Columns {
		if !hasColumn(written, col.Name.String()) {
			spec.Columns = append(spec.Columns, col)
		}
	}
	n, whole := *p.st, *d
	whole.TableSpec = &spec
	n.AST = &whole
	return &n, nil
}

func hasColumn(list []*sqlparser.ColumnDefinition, name string) bool {
	for _, c := range list {
		if c.Name.EqualString(name) {
			return true
		}
	}
	return false
}
