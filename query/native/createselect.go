package native

import (
	"context"
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/txn"
)

// Made is the query of a CREATE TABLE ... SELECT: what columns the table gets, and the rows for them. The table itself is made by the fallback.
type Made struct {
	s       Session
	text    *source.Text
	sql     string
	params  []result.Value
	create  *tree.CreateTable
	query   *tree.Select
	columns []catalog.ColumnDef
}

// Made binds the query of a CREATE TABLE ... SELECT; nil without an error says that it is the fallback's. Whoever gets one has to call Drop.
func (s Session) Made(ctx context.Context, sql string, params []result.Value) (*Made, error) {
	if s.Vars.Str("native_sql") == "OFF" {
		return nil, nil //nolint:nilnil // see above
	}
	m := &Made{s: s, text: source.New(sql, s.LexMode, session.TreeMemory(s.Session)), sql: sql, params: params}
	err := m.describe(ctx)
	if err == nil {
		return m, nil
	}
	m.Drop()
	if refused(err) {
		err = nil
	}
	return nil, err
}

// Drop forgets the statement's tree.
func (m *Made) Drop() { m.text.Drop() }

// Columns are the columns of the query, as the table's definition has them.
func (m *Made) Columns() []catalog.ColumnDef { return m.columns }

func (m *Made) describe(ctx context.Context) error {
	st, _, err := m.text.Statement()
	if err != nil {
		return bind.Refusal("this text") // the fallback's parser has the same errors
	}
	var ok bool
	if m.create, ok = st.(*tree.CreateTable); !ok || m.create.Query == nil {
		return bind.Refusal("this statement")
	}
	query := tree.Statement(m.create.Query)
	if nested, ok := query.(*tree.Nested); ok {
		var around []tree.Tail
		if query, around = unnested(nested); len(around) > 0 {
			return bind.Refusal("clauses around a query in parentheses")
		}
		if inner, ok := nested.Query.(*tree.Select); ok && nested.With == nil && nested.Tail.Empty() {
			query = inner
		}
	}
	if m.query, ok = query.(*tree.Select); !ok || m.query.Into != nil || m.query.Lock != nil || bind.Assigned(m.query) != nil {
		return bind.Refusal("this query")
	}
	b, err := m.s.begin(ctx, m.params)
	if err != nil {
		return err
	}
	bound, err := b.bind(m.query, m.sql)
	if err != nil {
		return err
	}
	for _, c := range b.frame.Diag.Conditions[b.given:] {
		if c.Level != types.Note {
			return bind.Refusal("a constant with a warning") // see write
		}
	}
	if err := bound.mayRead(); err != nil {
		return err
	}
	if bound.plan.Group != nil && bound.plan.Group.Rollup {
		return bind.Refusal("WITH ROLLUP")
	}
	if src := bound.plan.Source; src != nil && src.View != nil {
		return bind.Refusal("a view")
	}
	if err := plan.Copied(bound.plan); err != nil {
		return err
	}
	for _, item := range bound.plan.Items {
		c, err := bound.made(item)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(m.columns, func(other catalog.ColumnDef) bool { return strings.EqualFold(other.Name, c.Name) }) {
			return mysqlerr.New(mysqlerr.DupFieldName, c.Name)
		}
		m.columns = append(m.columns, c)
	}
	return nil
}

// Fill adds the query's rows to the table, which is there by now, in the transaction that has made it.
func (m *Made) Fill(ctx context.Context, tx *txn.Txn) (result.OK, error) {
	b, err := m.s.begin(ctx, m.params)
	if err != nil {
		return result.OK{}, err
	}
	n := &tree.Insert{Table: m.create.Name, Query: m.query, Ignore: m.create.Duplicates == "IGNORE", Replace: m.create.Duplicates == "REPLACE"}
	for i := range m.columns {
		n.Columns = append(n.Columns, &tree.ColumnRef{Name: tree.Ident{Text: m.columns[i].Name}})
	}
	st, err := b.write(n, m.sql)
	if err != nil {
		return result.OK{}, err
	}
	st.within(ctx)
	w := &writing{st: st, ctx: ctx}
	w.Begin()
	err = w.Run(tx)
	m.s.note(st.frame.Diag)
	if err != nil {
		return result.OK{}, err
	}
	return w.inserted(), nil
}
