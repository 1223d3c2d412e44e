package txn

import (
	"bytes"

	"github.com/duramendb/duramen/catalog"
)

// A scan that locks reads the index as it was when the scan was opened, and each row as it is
// when the row's lock is there. While it waits for a lock, another transaction may give a row
// that the scan has not come to another place in the index. The scan then finds the row at its
// old place, sees that it is not there any more, and would leave it out, although it matched
// before and matches now. With next-key locks, as InnoDB has them, it could not have been moved.
//
// So a scan that finds a row gone from its place looks for where it went:
//
//   - The row is there with another index key. If that key is in the range of the scan, the scan
//     ends with ErrRowChanged, and the statement runs again, with its locks.
//   - The row is not there. It may have been deleted, or have got another primary key, which its
//     old key cannot tell. Manager.moves says whether any row of the table got another primary
//     key since the scan was opened; if so, the statement runs again.
//
// What a scan of several ranges, or several scans of one index by one statement, miss because
// they are opened one after the other is found by comparing Moves and looking again, with Holds: see Passed.

// moveSlots is the number of counters of moves. Two tables that share one only make each other's
// scans look again.
const moveSlots = 256

// moveSet are the slots whose counters a transaction raises when its place in the log is fixed.
type moveSet [moveSlots / 64]uint64

// moveSlot is the slot of an index; of the rows themselves if index is -1.
func moveSlot(tbl *catalog.Table, index int) int {
	return int((uint(tbl.ID())*17 + uint(index+1)) % moveSlots)
}

func (s *moveSet) add(slot int) { s[slot/64] |= 1 << (slot % 64) }

// note adds what an update moves: rows to other primary keys, entries to other places.
func (s *moveSet) note(tbl *catalog.Table, changes []catalog.KeyChange) {
	for i := range changes {
		if c := &changes[i]; c.Value == nil && !c.Unchanged {
			s.add(moveSlot(tbl, c.Index))
		}
	}
}

// publishMoves raises the counters of a transaction whose writes are published.
func (m *Manager) publishMoves(s *moveSet) {
	for word, bits := range s {
		for slot := word * 64; bits != 0; slot, bits = slot+1, bits>>1 {
			if bits&1 != 0 {
				m.moves[slot].Add(1)
			}
		}
	}
}

// Moves is a number that rises when a transaction that has moved rows within an index (index -1:
// to other primary keys) gets its place in the log. Other tables may make it rise as well.
func (t *Txn) Moves(tbl *catalog.Table, index int) uint64 {
	return t.m.moves[moveSlot(tbl, index)].Load()
}

// Holds reports whether the transaction has a lock on the row or has written it.
func (t *Txn) Holds(rowKey []byte) (bool, error) {
	if t.m.locks.Holds(&t.owner, rowKey) {
		return true, nil
	}
	_, written, err := t.writes.get(rowKey)
	return written, err
}

// follows reports whether the cursor has to find out where rows went.
func (c *Cursor) follows() bool { return c.view == nil && c.spec.Wait != SkipLocked }

// gone is the error for a row that is not there any more; nil if it was deleted.
func (c *Cursor) gone() error {
	if c.follows() && c.t.Moves(c.spec.Table, -1) != c.moves {
		return rowError(c.spec.Table, ErrRowChanged)
	}
	return nil
}

// elsewhere is the error for a row whose entry is at another place now; nil if that is not
// in the range of the scan, or if this transaction itself has moved the row.
func (c *Cursor) elsewhere() error {
	if !c.follows() {
		return nil
	}
	if _, own, err := c.t.writes.get(c.rowKey); own || err != nil {
		return err
	}
	e, err := c.spec.Table.Entry(c.spec.Index, c.image, c.rowKey)
	if err != nil {
		return err
	}
	if bytes.Compare(e.Key, c.spec.Lower) >= 0 && bytes.Compare(e.Key, c.spec.Upper) < 0 {
		return rowError(c.spec.Table, ErrRowChanged)
	}
	return nil
}
