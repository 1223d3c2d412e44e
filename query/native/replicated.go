package native

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/txn"
)

// RowChanges are kinds of changes of a table's rows.
type RowChanges struct {
	Insert, Update, Delete bool
	// Whole has nothing left of a change that fails, as others follow it; else it is undone with its transaction.
	Whole bool
}

// RelatedChange gives what changes rows of a table as a primary has changed them, together with what foreign keys ask for: that there is a parent, that
// there are no children, and cascades, which are not in a MariaDB's log. A row that is there is locked; one without before is inserted, without after
// deleted. The table is locked. change is nil if foreign keys ask for nothing when rows change like this.
func (s Session) RelatedChange(
	ctx context.Context, tx *txn.Txn, t *catalog.Table, how RowChanges,
) (change func(ctx context.Context, key, before, after []byte) error, err error) {
	rel := s.Tables.of(t)
	changed := plan.Changed{Insert: how.Insert, Delete: how.Delete}
	if how.Update {
		changed.Columns = map[int]bool{}
		for i := range t.Columns {
			changed.Columns[i] = true
		}
	}
	var keys *plan.Keys
	for {
		now, refused := plan.KeysOf(s.Tables.relatedOf(tx.Catalog()).keys, rel, changed)
		switch {
		case refused != "":
			return nil, bind.Refusal(fmt.Sprintf("Rows of a primary for table %s.%s without the flag NO_FOREIGN_KEY_CHECKS (%s; drop the foreign key here, or set "+
				"foreign_key_checks=0 there)", t.Def.DB, t.Def.Name, refused))
		case now == nil:
			return nil, nil
		}
		locked := keys != nil && now.Same(keys)
		if keys = now; locked {
			break
		} // definitions may change while their locks are waited for
		if err := lockUses(ctx, tx, keys); err != nil {
			return nil, err
		}
	}
	_, frame, err := s.Evaluation(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, key, before, after []byte) error {
		return exec.ChangeRow(ctx, keys, tx, frame, rel, exec.RowChange{Key: key, Before: before, After: after, Whole: how.Whole})
	}, nil
}

// TriggersOf are the kinds of changes for which a table has triggers, or may have some, where one is not understood.
func (s Session) TriggersOf(cat *catalog.Snapshot, t *catalog.Table) RowChanges {
	rel, of := s.Tables.relatedOf(cat), nameOf(t.Def.DB, t.Def.Name)
	has := rel.triggers[of] | rel.anywhere[of.db]
	return RowChanges{Insert: has&onInsert != 0, Update: has&onUpdate != 0, Delete: has&onDelete != 0}
}

// HasTriggers reports whether a table has a trigger, or may have one that is not understood. Safe for concurrent use.
func (t *Tables) HasTriggers(cat *catalog.Snapshot, tbl *catalog.Table) bool {
	rel := t.relatedOf(cat)
	if len(rel.parsed) == 0 {
		return false
	}
	of := nameOf(tbl.Def.DB, tbl.Def.Name)
	return rel.triggers[of]|rel.anywhere[of.db] != 0
}

// lockUses locks the definitions of the tables that foreign keys lead to.
func lockUses(ctx context.Context, tx *txn.Txn, keys *plan.Keys) error {
	if keys == nil {
		return nil
	}
	for _, u := range keys.Uses {
		mode := txn.Describe // as in MariaDB a look at a row does not wait for LOCK TABLES; the row has a lock of its own
		if u.Write {
			mode = txn.IntentExclusive
		}
		if err := tx.LockTable(ctx, u.Table.Def.DB, u.Table.Def.Name, mode); err != nil {
			return err
		}
	}
	return nil
}

// Named is an error about a row that was to be stored, as clients get it: a duplicate with the text of its key.
func (s Session) Named(ctx context.Context, t *catalog.Table, image []byte, err error) error {
	_, frame, ferr := s.Evaluation(ctx)
	if ferr != nil {
		return err // less is said of it then
	}
	return exec.Named(err, s.Tables.of(t), frame, image)
}
