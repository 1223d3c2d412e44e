package txn

import (
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/rowlog"
)

// savepoint is a point inside the transaction to return to.
type savepoint struct {
	name   string // folded
	writes writeMark
	log    rowlog.Mark
}

// savepoints are those of a transaction, in the order in which they were set.
type savepoints []savepoint

// set adds a savepoint; one of the same name goes.
func (s *savepoints) set(p savepoint) {
	if i := s.find(p.name); i >= 0 {
		*s = append((*s)[:i], (*s)[i+1:]...)
	}
	*s = append(*s, p)
}

func (s *savepoints) find(folded string) int {
	for i := range *s {
		if (*s)[i].name == folded {
			return i
		}
	}
	return -1
}

// dropAfter forgets savepoints set after a place in the event log: inside a statement that is rolled back.
func (s *savepoints) dropAfter(logBytes int) {
	for n := len(*s); n > 0 && (*s)[n-1].log.After(logBytes); n-- {
		*s = (*s)[:n-1]
	}
}

// move follows an insertion of n bytes into the event log.
func (s *savepoints) move(at, n int) {
	for i := range *s {
		(*s)[i].log.Move(at, n)
	}
}

// Savepoint sets a savepoint; one of the same name (case ignored) is replaced.
func (t *Txn) Savepoint(name string) {
	t.savepoints.set(savepoint{name: catalog.Fold(name), writes: t.writes.mark(), log: t.log.Mark()})
}

// RollbackTo undoes everything after the savepoint, which stays; locks are kept.
func (t *Txn) RollbackTo(name string) error {
	i := t.savepoints.find(catalog.Fold(name))
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrNoSavepoint, name)
	}
	p := t.savepoints[i]
	t.locked.forget()
	if err := t.log.RollbackTo(p.log); err != nil {
		return err
	}
	t.savepoints = t.savepoints[:i+1]
	t.writes.rollbackTo(p.writes)
	t.stmt = t.stmt.before(p.writes)
	return nil
}

// Release forgets the savepoint and those set after it.
func (t *Txn) Release(name string) error {
	i := t.savepoints.find(catalog.Fold(name))
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrNoSavepoint, name)
	}
	t.savepoints = t.savepoints[:i]
	return nil
}
