package txn

import (
	"bytes"
	"context"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/lock"
)

// Insert adds a row. image is kept: the caller must not change it afterwards. A
// *DuplicateKeyError, and any other error, means that nothing was changed.
func (t *Txn) Insert(ctx context.Context, tbl *catalog.Table, image []byte) error {
	_, err := t.InsertRow(ctx, tbl, image)
	return err
}

// InsertRow is Insert, and returns the key of the row.
func (t *Txn) InsertRow(ctx context.Context, tbl *catalog.Table, image []byte) (key []byte, err error) {
	if err := t.writable(); err != nil {
		return nil, err
	}
	var rowKey []byte
	var rowID uint64
	if tbl.Keyless() {
		if rowID, err = t.m.newRowID(tbl); err != nil {
			return nil, err
		}
		rowKey = tbl.RowIDKey(nil, rowID)
	}
	var stack [8]catalog.KeyChange
	changes, err := tbl.Changes(stack[:0], nil, image, rowKey)
	if err != nil {
		return nil, err
	}
	if err := t.lockKeys(ctx, tbl, changes, rowKey); err != nil {
		return nil, err
	}
	if err := t.observeAutoIncrement(tbl, image); err != nil {
		return nil, err
	}
	return changes[0].Key, t.write(tbl, changes, rowID, nil, image)
}

// Update replaces a row whose image the caller has read as before. It locks
// the row and returns ErrRowChanged if it is no longer that. A nil before
// means "as it is now" and is allowed only for a row that this transaction
// had locked exclusively before. after is kept.
func (t *Txn) Update(ctx context.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	if err := t.writable(); err != nil {
		return err
	}
	before, err := t.lockUnchanged(ctx, tbl, rowKey, before)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		return nil
	}
	return t.change(ctx, tbl, rowKey, before, after)
}

// Delete removes a row; before as in Update.
func (t *Txn) Delete(ctx context.Context, tbl *catalog.Table, rowKey, before []byte) error {
	if err := t.writable(); err != nil {
		return err
	}
	before, err := t.lockUnchanged(ctx, tbl, rowKey, before)
	if err != nil {
		return err
	}
	return t.change(ctx, tbl, rowKey, before, nil)
}

// lockUnchanged locks the row and returns its image, if that is before.
func (t *Txn) lockUnchanged(ctx context.Context, tbl *catalog.Table, rowKey, before []byte) ([]byte, error) {
	if len(before) > 0 && t.locked.has(rowKey, before) {
		t.locking.Lock()
		t.newest = false // the lock is not given back any more
		t.locking.Unlock()
		return before, nil
	}
	had, err := t.lockRow(ctx, rowKey, lock.Exclusive, Wait)
	if err != nil {
		return nil, rowError(tbl, err)
	}
	image, ok, err := t.latest(rowKey)
	if err != nil {
		return nil, err
	}
	if !ok || before == nil && !had || before != nil && !bytes.Equal(image, before) {
		return nil, rowError(tbl, ErrRowChanged)
	}
	return image, nil
}

// change applies an update or delete of a locked row.
func (t *Txn) change(ctx context.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	rowKey = bytes.Clone(rowKey) // it may be a cursor's
	var rowID uint64
	if tbl.Keyless() {
		var err error
		if rowID, err = tbl.RowID(rowKey); err != nil {
			return err
		}
	}
	var stack [8]catalog.KeyChange
	changes, err := tbl.Changes(stack[:0], before, after, rowKey)
	if err != nil {
		return err
	}
	if err := t.lockKeys(ctx, tbl, changes, rowKey); err != nil {
		return err
	}
	if after != nil {
		t.moved.note(tbl, changes)
		if err := t.observeChanged(tbl, before, after); err != nil {
			return err
		}
	}
	return t.write(tbl, changes, rowID, before, after)
}

// lockKeys locks every primary and unique key that the change gives up or
// takes (ownRow, if not nil, is locked already, or its row id is new), and
// returns a *DuplicateKeyError if another row has one of them. A key that is given up is
// locked too: whoever wants it then waits until it is certain that it is free.
func (t *Txn) lockKeys(ctx context.Context, tbl *catalog.Table, changes []catalog.KeyChange, ownRow []byte) error {
	if err := checkKeys(tbl, changes); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		if c.Unchanged || c.Index < 0 && (c.Value == nil || ownRow != nil && bytes.Equal(c.Key, ownRow)) || c.Index >= 0 && !c.Unique {
			continue
		}
		if _, err := t.lockRow(ctx, c.Key, lock.Exclusive, Wait); err != nil {
			return rowError(tbl, err)
		}
		if c.Value == nil {
			continue
		}
		if c.Index < 0 {
			if free, err := t.gap.has(t, tbl, c.Key); free {
				continue
			} else if err != nil {
				return err
			}
		}
		existing, ok, err := t.latest(c.Key)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if c.Index < 0 {
			return &DuplicateKeyError{Table: tbl, Index: -1, Existing: existing, RowKey: c.Key}
		}
		if ownRow != nil && bytes.Equal(existing, ownRow[catalog.PrefixLen:]) {
			continue // the row's own entry, which moves to another primary key
		}
		return t.duplicate(tbl, c, existing)
	}
	return nil
}

// checkKeys refuses keys that an engine could not apply: once they are in the log that would be too late.
func checkKeys(tbl *catalog.Table, changes []catalog.KeyChange) error {
	for i := range changes {
		if c := &changes[i]; c.Value != nil && len(c.Key) > KeyBytesMax {
			return keyError(tbl, len(c.Key))
		}
	}
	return nil
}

func keyError(tbl *catalog.Table, n int) error {
	return fmt.Errorf("table %s.%s: %d bytes: %w", tbl.Def.DB, tbl.Def.Name, n, ErrKeyTooLong)
}

// duplicate describes the row that has the unique key c already. It cannot
// lose the key while the transaction holds the key's lock.
func (t *Txn) duplicate(tbl *catalog.Table, c *catalog.KeyChange, entry []byte) error {
	rowKey, err := tbl.EntryRowKey(nil, c.Index, c.Key, entry)
	if err != nil {
		return err
	}
	image, ok, err := t.latest(rowKey)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: index %s of %s.%s has entry %x of a row that does not exist", catalog.ErrCorruptKey,
			tbl.Indexes[c.Index].Def.Name, tbl.Def.DB, tbl.Def.Name, c.Key)
	}
	return &DuplicateKeyError{Table: tbl, Index: c.Index, Existing: image, RowKey: rowKey}
}

// write records a change in the event log and the write set.
func (t *Txn) write(tbl *catalog.Table, changes []catalog.KeyChange, rowID uint64, before, after []byte) error {
	if !t.log.Running() {
		t.BeginStatement("", false)
	}
	if limit := t.m.maxTransactionBytes(); int64(t.log.Size()+len(before)+len(after)) > limit {
		return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	if err := t.grow(tbl, int64(len(after)-len(before))); err != nil {
		return err
	}
	// What can fail comes first: then nothing was changed.
	if err := t.log.Spill(); err != nil {
		return err
	}
	if err := t.writes.room(t.m.space); err != nil {
		return err
	}
	if err := t.log.Add(tbl, rowID, before, after, t.savepoints.move); err != nil {
		return err
	}
	t.locked.forget()
	return t.writes.add(changes, t.m.cfg.Engine.Holder(tbl.ID()))
}

// roomInMemory is by how much a table may grow that its engine keeps in memory: up to Options.MemoryTableBytes. bounded is false
// for all others.
func (t *Txn) roomInMemory(tbl *catalog.Table) (room int64, bounded bool, err error) {
	e, err := t.m.cfg.Engine.For(tbl.Def)
	if err != nil || t.opts.MemoryTableBytes == 0 || !e.Capabilities().InMemory {
		return 0, false, err
	}
	there, err := e.Size(catalog.TableSpan(tbl.ID()))
	return t.opts.MemoryTableBytes - int64(there), true, err
}

// grow counts by how much a table in memory will have grown, and refuses what is too much. What other transactions are about to add
// is not known, and the changes of several such tables are added up: the limit is one against exhaustion, and not exact.
func (t *Txn) grow(tbl *catalog.Table, bytes int64) error {
	room, bounded, err := t.roomInMemory(tbl)
	if err != nil || !bounded || t.writes.grow(bytes, room) {
		return err
	}
	return &TableFullError{tbl}
}
