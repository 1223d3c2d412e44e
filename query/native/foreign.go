package native

import (
	"context"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/txn"
)

// keys are what foreign keys ask of the statement.
func (st *Statement) keys(cat *catalog.Snapshot) (*plan.Keys, string) {
	if st.temporary[st.plan.Source] != nil || !st.session.Vars.On("foreign_key_checks") {
		return nil, ""
	}
	t := st.plan.Source.Table
	var how plan.Changed
	switch in := st.insert; {
	case in != nil:
		if how.Insert, how.Delete = true, in.Replace; in.OnDuplicate != nil {
			how.Columns = in.OnDuplicate.Columns(t)
		}
	case st.write.Delete:
		how.Delete = true
	default:
		how.Columns = st.write.Columns(t)
	}
	return plan.KeysOf(st.session.Tables.relatedOf(cat).keys, t, how)
}

// withKeys completes the plan of a statement by what foreign keys ask of it.
func (st *Statement) withKeys(cat *catalog.Snapshot) error {
	keys, refused := st.keys(cat)
	if refused != "" {
		return bind.Refusal(refused)
	}
	if in := st.insert; in != nil && st.temporary[st.plan.Source] != nil {
		return nil
	} else if in != nil {
		in.Keys, in.Referred = keys, len(st.session.Tables.relatedOf(cat).keys.To(st.plan.Source.Table)) > 0
		return queryApart(in)
	}
	st.write.Keys = keys
	if keys != nil && st.write.Ignore && st.write.Delete && st.write.Items != nil {
		return bind.Refusal("RETURNING of rows that may be left out")
	}
	return nil
}

// queryApart refuses an INSERT that cascades into the table that its query is reading.
func queryApart(in *plan.Insert) error {
	if in.Keys == nil || in.Query == nil || in.Query.Source == nil {
		return nil
	}
	for _, u := range in.Keys.Uses {
		if u.Write && u.Table.ID() == in.Query.Source.Table.ID() {
			return mysqlerr.Never("an INSERT or REPLACE that cascades into the table of its query (a temporary table may keep its rows)")
		}
	}
	return nil
}

// cascaded are the columns of a table that cascades of a DELETE set in it, by their ordinals.
func (s Session) cascaded(cat *catalog.Snapshot, src *plan.Source) map[int]bool {
	if !s.Vars.On("foreign_key_checks") {
		return nil
	}
	keys, _ := plan.KeysOf(s.Tables.relatedOf(cat).keys, src.Table, plan.Changed{Delete: true})
	if keys == nil {
		return nil
	}
	return keys.Sets
}

// avoid keeps a DELETE from reading its rows by indexes in which cascades move them: one that comes to a place ahead of it is still to be read, as in
// a scan of the table.
func avoid(src *plan.Source, columns map[int]bool) {
	for i := range src.Table.Indexes {
		for _, p := range src.Table.Indexes[i].Parts {
			if columns[p.Column] {
				if src.Ignored == nil {
					src.Ignored = map[int]bool{}
				}
				src.Ignored[i] = true
			}
		}
	}
}

// lockKeys locks the definitions of the tables that foreign keys lead to, which must be those that the statement was bound to. The statement's own
// table is locked already: no foreign key comes to refer to it any more, as that needs a lock on it that nobody else has.
func (st *Statement) lockKeys(ctx context.Context, tx *txn.Txn) error {
	var bound *plan.Keys
	if st.insert != nil {
		bound = st.insert.Keys
	} else {
		bound = st.write.Keys
	}
	if err := lockUses(ctx, tx, bound); err != nil {
		return err
	}
	if keys, refused := st.keys(tx.Catalog()); refused != "" || !keys.Same(bound) {
		return ErrStale
	}
	return nil
}
