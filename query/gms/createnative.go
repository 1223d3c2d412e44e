package gms

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/txn"
)

// Made is the query of a CREATE TABLE ... SELECT that SQL of our own runs.
type Made interface {
	// Columns are those that the table gets of the query.
	Columns() []catalog.ColumnDef
	// Fill adds the query's rows to the table, in the transaction that has made it.
	Fill(ctx context.Context, tx *txn.Txn) (result.OK, error)
	// Drop ends what is kept of the statement.
	Drop()
}

// Conversion makes the values of a column that ALTER TABLE gives another type.
type Conversion = tables.Conversion

// Generation computes the generated columns of rows that ALTER TABLE copies.
type Generation = tables.Generation

// madeInfo is the Info of a statement whose rows SQL of our own has made.
type madeInfo string

// String implements fmt.Stringer.
func (i madeInfo) String() string { return string(i) }

// makeNatively runs a CREATE TABLE ... SELECT whose query SQL of our own understands: go-mysql-server makes the table with the columns that the query
// has there, without its rows. known is false for all other statements.
func (p *planned) makeNatively() (known bool, err error) {
	d, ok := p.st.AST.(*sqlparser.DDL)
	now := runningOf(p.c)
	if !ok || d.Action != sqlparser.CreateStr || d.OptSelect == nil || d.OptLike != nil {
		return false, nil
	}
	var m Made
	if now.depth == 0 && p.s.Made != nil {
		m, err = p.s.Made(p.c, p.st.Text, now.params)
	}
	if m == nil && err == nil && parse.WithoutQuery(d) {
		err = parse.RefuseQuery(p.st.Text, p.s.LexMode)
	}
	if m == nil || err != nil {
		return err != nil, err
	}
	defer m.Drop()
	st, err := p.withColumns(d, m.Columns())
	if err != nil {
		return true, err
	}
	run := *p
	run.st, run.b, run.out = st, nil, &rowBuffer{}
	now.attempt.AST = st.AST
	defer func() { now.attempt.AST = p.st.AST }()
	if err := run.plan(); err != nil {
		return true, err
	}
	if err := p.refuseLimits(); err != nil {
		return true, err
	}
	if err := p.definePartitions(); err != nil {
		return true, err
	}
	filled, err := m.Fill(p.c, p.s.EnsureTxn())
	if err != nil {
		return true, err
	}
	p.out.ok(types.OkResult{RowsAffected: filled.AffectedRows, Info: madeInfo(filled.Info)})
	return true, nil
}

// withColumns is the statement that makes the table alone. Its columns are those that are written and which the query has not, then the query's; one that both
// have is as it is written.
func (p *planned) withColumns(d *sqlparser.DDL, made []catalog.ColumnDef) (*syntax.Statement, error) {
	defs := make([]string, len(made))
	for i := range made {
		ddltext.ColumnInZone(&made[i], p.s.Vars.Str("time_zone"))
		defs[i] = ddltext.Column(&catalog.TableDef{}, &made[i])
	}
	text := source.New("CREATE TABLE t ("+strings.Join(defs, ", ")+")", dialect.Mode{}, nil)
	ast, changed, err := p.s.reader().Collated(text, defaultCollations(p.s))
	if err == nil && !changed {
		ast, _, _, err = p.s.reader().Text(text)
	}
	if err != nil {
		return nil, err
	}
	parsed, ok := ast.(*sqlparser.DDL)
	if !ok || parsed.TableSpec == nil || len(parsed.TableSpec.Columns) != len(made) {
		return nil, mysqlerr.NotYet("the columns of this query")
	}
	spec := sqlparser.TableSpec{}
	if d.TableSpec != nil {
		spec = *d.TableSpec
	}
	written := spec.Columns
	spec.Columns = nil
	for _, col := range written {
		if !hasColumn(parsed.TableSpec.Columns, col.Name.String()) {
			spec.Columns = append(spec.Columns, col)
		}
	}
	for i, col := range parsed.TableSpec.Columns {
		if !made[i].HasDefault {
			col.Type.Default = nil // DEFAULT NULL is no default where a primary key takes the column
		}
		for _, w := range written {
			if w.Name.Equal(col.Name) {
				col = w
			}
		}
		spec.Columns = append(spec.Columns, col)
	}
	st, whole := *p.st, *d
	whole.TableSpec, whole.OptSelect = &spec, nil
	st.AST = &whole
	return &st, nil
}
