package native

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// sourceOfQuery is the table of the query of an INSERT; nil for none.
func (b *binding) sourceOfQuery(n tree.Query) (*plan.Source, error) {
	if n == nil {
		return nil, nil //nolint:nilnil // see above
	}
	sel, ok := n.(*tree.Select)
	if !ok {
		return nil, bind.Refusal("this query of an INSERT")
	}
	if err := plan.Refused(sel); err != nil {
		return nil, err
	}
	if len(sel.From) == 0 {
		return nil, nil //nolint:nilnil // see above
	}
	return b.source(sel.From, needToRead)
}

// readsFor completes what is known of an INSERT whose rows come from a query.
func (b *binding) readsFor(st *Statement) {
	src := st.insert.Query.Source
	if src == nil {
		return
	}
	if !st.insert.Itself() {
		def := src.Table.Def
		st.info.Tables = append(st.info.Tables, statement.Use{DB: def.DB, Name: def.Name, Strength: statement.Latest})
	}
}

// readsOfQuery is how the query of an INSERT reads its table: what is committed now, as the rows that are added are.
func (st *Statement) readsOfQuery(tx *txn.Txn) exec.Reads {
	r := exec.Reads{Mode: txn.Latest}
	if q := st.insert.Query; q != nil {
		r.Rows = st.rows(q.Source, tx)
	}
	if st.session.Serializable() {
		r.Mode = txn.LockShared
	}
	return r
}

// sources are the tables of the statement, the one that it changes first.
func (st *Statement) sources() []*plan.Source {
	out := []*plan.Source{st.plan.Source}
	if st.insert != nil && st.insert.Query != nil && st.insert.Query.Source != nil {
		out = append(out, st.insert.Query.Source)
	}
	return out
}
