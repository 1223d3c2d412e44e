package exec

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// keeper makes changes of rows together with what foreign keys ask of them; see the package comment.
type keeper struct {
	p    *plan.Keys // nil: nothing is asked
	rows txn.Rows
	tx   *txn.Txn // rows, where something is asked; a temporary table has no foreign keys
	f    *eval.Frame
	// steps are the changes that are being made: that of the statement, then the cascades that have led to the last one.
	steps []*step
	// gone is how many rows of each table cascades have deleted, by the table's id.
	gone map[uint32]int64
}

func newKeeper(p *plan.Keys, rows txn.Rows, f *eval.Frame) keeper {
	k := keeper{p: p, rows: rows, f: f}
	if p != nil {
		k.tx = rows.(*txn.Txn)
		k.gone = map[uint32]int64{}
	}
	return k
}

// step is a change of a row. InnoDB makes it index by index, the primary key first, and looks at the foreign keys of an index when it has taken
// the row's old entry out and has not yet put the new one in. Of the row itself, and of those whose changes have led to this one, it meets what
// is there at that moment. Here a row changes in all indexes at once, so what InnoDB would meet is told from the images.
type step struct {
	table         *relation.Table
	before, after []byte // nil: there is none
	key, newKey   []byte // of the row; nil while it is not there
	via           *relation.Foreign
	at            int // rank of the index; see relation.Table.Rank
}

// in is the image whose entry the index of a rank has now; nil if it has none.
func (s *step) in(rank int) []byte {
	switch {
	case rank > s.at:
		return s.before
	case rank < s.at:
		return s.after
	}
	return nil
}

func (s *step) updates() bool { return s.before != nil && s.after != nil }

// insert adds a row.
func (k *keeper) insert(ctx context.Context, t *relation.Table, image []byte) error {
	if k.p == nil {
		return k.rows.Insert(ctx, t.Table, image)
	}
	key, err := k.tx.InsertRow(ctx, t.Table, image)
	return k.then(ctx, &step{table: t, after: image, newKey: key}, err)
}

// update replaces a row. via is the foreign key of a cascade, else nil.
func (k *keeper) update(ctx context.Context, t *relation.Table, key, before, after []byte, via *relation.Foreign) error {
	err := k.rows.Update(ctx, t.Table, key, before, after)
	if k.p == nil || bytes.Equal(before, after) {
		return err
	}
	s := &step{table: t, before: before, after: after, key: key, via: via}
	if err == nil && !t.Keyless() {
		newKey, err := t.PrimaryKey(nil, after)
		if err != nil {
			return err
		}
		s.newKey = newKey
	}
	return k.then(ctx, s, err)
}

// delete removes a row.
func (k *keeper) delete(ctx context.Context, t *relation.Table, key, before []byte) error {
	err := k.rows.Delete(ctx, t.Table, key, before)
	if k.p == nil || err != nil {
		return err
	}
	return k.then(ctx, &step{table: t, before: before, key: key}, nil)
}

// then asks what foreign keys say of a change that is made, or could not be made for err: of one that has met a key that is there, what InnoDB has
// asked before it came to that key.
func (k *keeper) then(ctx context.Context, s *step, err error) error {
	last := len(s.table.Indexes) - 1
	var dup *txn.DuplicateKeyError
	switch {
	case errors.As(err, &dup):
		last = s.table.Rank(dup.Index)
	case err != nil:
		return err
	}
	k.steps = append(k.steps, s)
	asked := k.ask(ctx, s, last)
	k.steps = k.steps[:len(k.steps)-1]
	if asked != nil {
		return asked
	}
	return err
}

// ask goes through the indexes of a change up to one of a rank.
func (k *keeper) ask(ctx context.Context, s *step, last int) error {
	own, refs := k.p.All.Own(s.table), k.p.All.To(s.table)
	before, after := row.NewReader(s.table.Layout), row.NewReader(s.table.Layout)
	if s.before != nil {
		before.Set(s.before)
	}
	if s.after != nil {
		after.Set(s.after)
	}
	differ := func(parts []row.KeyPart) bool {
		return slices.ContainsFunc(parts, func(p row.KeyPart) bool { return !sameValue(before, after, p.Column) })
	}
	moves := s.updates() && differ(s.table.Clustered())
	for s.at = -1; s.at <= last; s.at++ {
		for _, f := range refs {
			if f.ParentRank != s.at || s.before == nil || s.after != nil && (f == s.via || !differ(f.ParentKey)) {
				continue
			}
			if err := k.referring(ctx, s, f); err != nil {
				return err
			}
		}
		if s.after == nil || s.updates() && !moves && !differ(s.table.Parts(s.table.AtRank(s.at))) {
			continue
		}
		for _, f := range own {
			if f.ChildRank != s.at || f == s.via {
				continue
			}
			if err := k.referred(ctx, s, f); err != nil {
				return err
			}
		}
	}
	return errors.Join(before.Err(), after.Err())
}

// referred looks for a row that a new one refers to, and locks it.
func (k *keeper) referred(ctx context.Context, s *step, f *relation.Foreign) error {
	key, null, err := row.AppendKey(nil, f.Child.Table.Columns, f.ChildKey, s.after)
	if null || err != nil {
		return err
	}
	if f.Parent != nil && f.ParentIndex != relation.NoIndex {
		lead, _, err := row.AppendKey(nil, f.Child.Table.Columns, f.ChildKey[:f.ParentLead], s.after)
		if err != nil {
			return err
		}
		found, err := k.isThere(ctx, f, lead, key)
		if found || err != nil {
			return err
		}
	}
	return mysqlerr.New(mysqlerr.NoReferencedRow2, f.Text)
}

// isThere reports whether a parent has a key, which begins with what the index itself has of it.
func (k *keeper) isThere(ctx context.Context, f *relation.Foreign, lead, key []byte) (bool, error) {
	met, err := k.met(f.Parent, f.ParentRank, f.ParentKey, key)
	if met != nil || err != nil {
		return met != nil, err
	}
	t, full := f.Parent, append(f.Parent.Prefix(f.ParentIndex), lead...)
	if whole := len(t.Parts(f.ParentIndex)) == len(f.ParentKey); whole && f.ParentIndex < 0 {
		if k.changing(t, full) {
			return false, nil
		}
		_, ok, err := k.tx.Get(ctx, t.Table, full, txn.LockShared, txn.Wait)
		return ok, err
	} else if whole && t.Indexes[f.ParentIndex].Unique {
		rowKey, _, ok, err := k.tx.GetUnique(ctx, t.Table, f.ParentIndex, full, txn.LockShared)
		return ok && !k.changing(t, rowKey), err
	}
	found := false
	for range 2 { // another row may have got the key while the first look waited for one that has lost it
		err := k.each(ctx, t, f.ParentIndex, full, txn.LockShared, func(_, image []byte) error {
			has, _, err := row.AppendKey(nil, t.Table.Columns, f.ParentKey, image)
			if found = bytes.Equal(has, key); found && err == nil {
				return errEnough
			}
			return err
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// met is a change that is being made of a row that the index of a rank has with a key at this moment; nil for none.
func (k *keeper) met(t *relation.Table, rank int, parts []row.KeyPart, key []byte) (*step, error) {
	for _, s := range k.steps {
		if s.table.ID() != t.ID() {
			continue
		}
		image := s.in(rank)
		if image == nil {
			continue
		}
		has, null, err := row.AppendKey(nil, t.Table.Columns, parts, image)
		if err != nil {
			return nil, err
		}
		if !null && bytes.Equal(has, key) {
			return s, nil
		}
	}
	return nil, nil
}

// changing reports whether a row is one whose change is being made: met has looked at those.
func (k *keeper) changing(t *relation.Table, key []byte) bool {
	for _, s := range k.steps {
		if s.table.ID() == t.ID() && (bytes.Equal(s.key, key) || s.newKey != nil && bytes.Equal(s.newKey, key)) {
			return true
		}
	}
	return false
}

// each locks the rows of an index whose entries begin with a key, and calls f for them, but for those that are being changed.
func (k *keeper) each(
	ctx context.Context, t *relation.Table, index int, prefix []byte, mode txn.ReadMode, f func(key, image []byte) error,
) (err error) {
	c, err := k.tx.Scan(ctx, txn.ScanSpec{Table: t.Table, Index: index, Lower: prefix, Upper: catalog.PrefixEnd(prefix), Mode: mode})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for c.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if k.changing(t, c.RowKey()) {
			continue
		}
		switch err := f(c.RowKey(), c.Image()); {
		case errors.Is(err, errEnough):
			return nil
		case err != nil:
			return err
		}
	}
	return c.Err()
}

// isForeign reports whether an error says that a foreign key does not allow a change.
func isForeign(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e) && (e.Number == mysqlerr.NoReferencedRow2 || e.Number == mysqlerr.RowIsReferenced2)
}

// isTooDeep reports whether an error says that too many changes lead to each other.
func isTooDeep(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e) && e.Number == mysqlerr.GetErrorMessage
}

// rowPoint is the savepoint before the row that is being changed.
const rowPoint = "\x00row"

// whole makes a change of a row, of a statement with IGNORE: nothing is left of one that fails.
func (k *keeper) whole(change func() error) error {
	k.tx.Savepoint(rowPoint)
	gone := maps.Clone(k.gone)
	err := change()
	if err != nil {
		if back := k.tx.RollbackTo(rowPoint); back != nil {
			return back
		}
		clear(k.gone)
		maps.Copy(k.gone, gone)
	}
	if end := k.tx.Release(rowPoint); err == nil {
		err = end
	}
	return err
}

// RowChange is a change of one row, which is locked if it is there; a nil Before is an insertion, a nil After a deletion.
type RowChange struct {
	Key, Before, After []byte
	// Whole has nothing left of a change that fails; else it is undone with its transaction.
	Whole bool
}

// ChangeRow makes one change of a row, with what foreign keys ask for.
func ChangeRow(ctx context.Context, keys *plan.Keys, tx *txn.Txn, f *eval.Frame, t *relation.Table, c RowChange) error {
	k := newKeeper(keys, tx, f)
	change := func() error {
		switch {
		case c.Before == nil:
			return k.insert(ctx, t, c.After)
		case c.After == nil:
			return k.delete(ctx, t, c.Key, c.Before)
		}
		return k.update(ctx, t, c.Key, c.Before, c.After, nil)
	}
	if c.Whole {
		return k.whole(change)
	}
	return change()
}
