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
	// memory is how much tables in memory will have grown; see Txn.grow.
	memory int64
	// engines are those whose tables were changed: a bit for each, in the order of the set.
	engines uint64
}

// writeMark is a point to take own writes back to.
type writeMark struct {
	writes int // writeSet.mark
	rows   int
	memory int64

	engines uint64
}

// before is the earlier one of two points.
func (m writeMark) before(other writeMark) writeMark {
	if other.writes < m.writes {
		return other
	}
	return m
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

// add records the change of a row in a table of an engine.
func (o *ownWrites) add(changes []catalog.KeyChange, engine int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range changes {
		if err := o.set.set(&changes[i]); err != nil {
			return err
		}
	}
	o.rows++
	o.engines |= 1 << engine
	return nil
}

// grow adds to what tables in memory will have grown, unless that is beyond a limit.
func (o *ownWrites) grow(bytes, limit int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if bytes > 0 && o.memory+bytes > limit {
		return false
	}
	o.memory += bytes
	return true
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
	return o.point()
}

func (o *ownWrites) point() writeMark {
	return writeMark{writes: o.set.mark(), rows: o.rows, memory: o.memory, engines: o.engines}
}

// severalEngines reports whether tables of more than one engine were changed.
func (o *ownWrites) severalEngines() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.engines&(o.engines-1) != 0
}

// rollbackTo takes back what was written after a point.
func (o *ownWrites) rollbackTo(m writeMark) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set.rollbackTo(m.writes)
	o.rows, o.memory, o.engines = m.rows, m.memory, m.engines
}

// now is what is written at this moment, nil if that is nothing, and how far that goes. It must be released.
func (o *ownWrites) now() (*ownView, writeMark) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.set.copy(), o.point()
}

// free lets go of everything but the number of rows.
func (o *ownWrites) free() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set.free()
}
