package txn

import (
	"context"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/lock"
)

// GetUnique locks and reads the row that has a key of a unique index, as it is newest: full is the index's prefix with all parts of the key, none of
// them NULL. A key that no row has is locked itself, so that the answer waits for whoever has taken it and not yet committed. If a row has the
// key then, that is read; and if none has it, none gets it before this transaction ends.
//
// A row that is there is not locked by its key first: who changes it locks the row, and then the keys that it gives up, and both would wait for
// each other. With the row's lock no other transaction takes the key from it.
func (t *Txn) GetUnique(ctx context.Context, tbl *catalog.Table, index int, full []byte, mode ReadMode) (rowKey, image []byte, ok bool, err error) {
	if t.finished {
		return nil, nil, false, ErrFinished
	}
	strength := t.lockModeOf(mode)
	for _, keyToo := range [2]bool{false, true} {
		if keyToo {
			if strength == lock.None {
				break
			}
			if _, err := t.lockRow(ctx, full, strength, Wait); err != nil {
				return nil, nil, false, rowError(tbl, err)
			}
		}
		entry, there, err := t.latest(full)
		if err != nil {
			return nil, nil, false, err
		}
		if !there {
			continue
		}
		if rowKey, err = tbl.EntryRowKey(nil, index, full, entry); err != nil {
			return nil, nil, false, err
		}
		image, there, err = t.Get(ctx, tbl, rowKey, mode, Wait)
		if err != nil {
			return nil, nil, false, err
		}
		if !there {
			continue
		}
		if same, err := tbl.Matches(index, full, entry, image, rowKey); same || err != nil {
			return rowKey, image, same, err
		}
	}
	return nil, nil, false, nil
}
