package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// Attempts is a statement that is run until no row changes under it.
type Attempts interface {
	// Begin begins an attempt: what an earlier one has left is forgotten.
	Begin()
	// Run runs the statement. txn.ErrRowChanged says that it has to run again.
	Run(tx *txn.Txn) error
	// Sent reports whether something of its result went out that cannot be taken back.
	Sent() bool
}

// fruitlessRetriesMax is how often in a row a statement runs again without having
// got a lock in between.
const fruitlessRetriesMax = 100

// Attempt runs a statement until no row changed under it, or the lock wait
// timeout is over. A row that has changed is locked afterwards. So if runs end
// without a new lock, nobody else changes rows: it is the statement that does not
// find the row that it has read, and it never will. at is the time of the statement.
func (s *Session) Attempt(ctx context.Context, at time.Time, st *statement.Statement, a Attempts) error {
	var deadline time.Time
	locks, fruitless := -1, 0
	held := s.Memory.Mark()
	defer s.InsertID.end(s.Vars)
	for {
		tx := s.beginStatement(at, st)
		s.InsertID.taken = false
		a.Begin()
		err := a.Run(tx)
		if err == nil && st.Result && (st.Locking || s.Serializable()) {
			// Its reads may have met rows whose commit is still on its way into the log.
			err = tx.AwaitVisible(ctx)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			s.endStatement(tx)
			return nil
		}
		s.failStatement(tx, err)
		s.Memory.End(held)
		if !errors.Is(err, txn.ErrRowChanged) || a.Sent() {
			return err
		}
		if n := tx.LockCount(); n > locks {
			locks, fruitless = n, 0
		} else if fruitless++; fruitless >= fruitlessRetriesMax {
			return err
		}
		now := time.Now()
		if deadline.IsZero() {
			deadline = now.Add(max(Seconds(s.Vars.Value(VarLockWait)), time.Second))
		} else if now.After(deadline) {
			return fmt.Errorf("%w: %w", txn.ErrLockWaitTimeout, err)
		}
	}
}
