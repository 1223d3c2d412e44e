package txn

import (
	"sync"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/spill"
)

// ownWrites are what a transaction has written so far. The mutex is for reads that run concurrently, and for Info, which anybody
// may ask for. When the transaction is handed to the committer, set does not change any more.
type ownWrites struct {
	mu   sync.Mutex
	set  writeSet
	rows int // changed
}

// writeMark is a point to take own writes back to.
type writeMark struct {
	writes int // writeSet.mark
	rows   int
}

// before is the earlier one of two points.
func (m writeMark) before(other writeMark) writeMark {
	return writeMark{writes: min(m.writes, other.writes), rows: min(m.rows, other.rows)}
}

// get finds a key.
func (o *ownWrites) get(key []byte) (value []byte, written bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.set.get(key)
}

// room makes room for more; after an error everything is as it was.
func (o *ownWrites) room(space *spill.Space) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.set.room(space)
}

// add records the change of a row.
func (o *ownWrites) add(changes []catalog.KeyChange) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range changes {
		if err := o.set.set(&changes[i]); err != nil {
			return err
		}
	}
	o.rows++
	return nil
}

// rowsChanged is the number of rows that were changed.
func (o *ownWrites) rowsChanged() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rows
}

// mark is the point that is reached.
func (o *ownWrites) mark() writeMark {
	o.mu.Lock()
	defer o.mu.Unlock()
	return writeMark{writes: o.set.mark(), rows: o.rows}
}

// rollbackTo takes back what was written after a point.
func (o *ownWrites) rollbackTo(m writeMark) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set.rollbackTo(m.writes)
	o.rows = m.rows
}

// now is what is written at this moment, nil if that is nothing, and how far that goes. It must be released.
func (o *ownWrites) now() (*ownView, writeMark) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.set.copy(), writeMark{writes: o.set.mark(), rows: o.rows}
}

// free lets go of everything but the number of rows.
func (o *ownWrites) free() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set.free()
}
