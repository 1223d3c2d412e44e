package session

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// script is a statement whose runs are functions.
type script struct {
	run   func(n int, tx *txn.Txn) error // n counts from 1
	begin func(n int)                    // before the run of that number; may be nil
	sent  bool
	begun int
	runs  int
}

func (s *script) Begin() {
	s.begun++
	if s.begin != nil {
		s.begin(s.begun)
	}
}

func (s *script) Run(tx *txn.Txn) error {
	s.runs++
	return s.run(s.runs, tx)
}

func (s *script) Sent() bool { return s.sent }

// TestAttemptRunsAgain lets another session change a row between the statement's look at it and its change.
func TestAttemptRunsAgain(t *testing.T) {
	h := newHarness(t)
	a, b := h.connect(), h.connect()
	require.NoError(t, b.insert(1, 10))
	rowKey := key(h.t, 1)
	image := func(k int) []byte {
		b, err := row.Encode(nil, h.t.Columns, []any{1, k})
		require.NoError(t, err)
		return b
	}
	require.NoError(t, a.Memory.Hold(100))
	a.temp.taken()
	at := time.Unix(1e9, 0)
	s := &script{
		begin: func(n int) {
			require.EqualValues(t, 100, a.Memory.Mark(), "what the run before has held is given back")
			if n == 2 {
				require.ErrorIs(t, b.statement(write, func(tx *txn.Txn) error { return b.lockRow(tx, 1) }), txn.ErrNoWait,
					"the row stays locked between two runs")
				require.Equal(t, []int64{1}, h.idsIn(a.Tx), "what the run before has done is undone")
			}
		},
		run: func(n int, tx *txn.Txn) error {
			require.NoError(t, a.Memory.Hold(1000))
			require.NoError(t, insert(tx, h.t, 100+n))
			before, _, err := tx.Get(ctx, h.t, rowKey, txn.Latest, txn.Wait)
			require.NoError(t, err)
			if n == 1 {
				require.NoError(t, b.statement(write, func(other *txn.Txn) error { return other.Update(ctx, h.t, rowKey, before, image(20)) }))
			}
			return tx.Update(ctx, h.t, rowKey, before, image(30))
		},
	}
	require.NoError(t, a.Attempt(ctx, at, write, s))
	require.Equal(t, []int{2, 2}, []int{s.begun, s.runs})
	require.Equal(t, "begin, undo, begin, end", a.temp.taken())
	require.EqualValues(t, 1100, a.Memory.Mark(), "the last run keeps what it holds: its result is still there")
	require.NoError(t, a.CommitAll(ctx))
	require.Equal(t, []int64{1, 102}, h.ids())
}

func TestAttemptGivesUp(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		locks func(run int) bool // that run locks a row of its own
		runs  int
	}{
		"never a lock":          {func(int) bool { return false }, 1 + fruitlessRetriesMax},
		"a lock at first":       {func(n int) bool { return n == 1 }, 1 + fruitlessRetriesMax},
		"locks in five runs":    {func(n int) bool { return n <= 5 }, 5 + fruitlessRetriesMax},
		"a lock in the 50th":    {func(n int) bool { return n == 50 }, 50 + fruitlessRetriesMax},
		"a lock in every 100th": {func(n int) bool { return n%100 == 1 && n < 500 }, 401 + fruitlessRetriesMax},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.connect()
			s := &script{run: func(n int, tx *txn.Txn) error {
				if c.locks(n) {
					require.NoError(t, a.lockRow(tx, n))
				}
				return fmt.Errorf("t: %w", txn.ErrRowChanged)
			}}
			err := a.Attempt(ctx, time.Time{}, write, s)
			require.ErrorIs(t, err, txn.ErrRowChanged)
			require.NotErrorIs(t, err, txn.ErrLockWaitTimeout)
			require.Equal(t, c.runs, s.runs)
			a.RollbackAll()
		})
	}
}

// TestAttemptTimesOut counts the runs of a statement of which each takes a second and gets a lock. The time begins at the end of the
// first run.
func TestAttemptTimesOut(t *testing.T) {
	h := newHarness(t)
	for seconds, runs := range map[int]int{0: 3, 1: 3, 3: 5, 10: 12} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			a := h.connect()
			a.set("innodb_lock_wait_timeout", seconds)
			synctest.Test(t, func(t *testing.T) { // whose clock runs only while all wait
				s := &script{run: func(n int, tx *txn.Txn) error {
					require.NoError(t, a.lockRow(tx, n))
					<-time.After(time.Second)
					return txn.ErrRowChanged
				}}
				err := a.Attempt(ctx, time.Time{}, write, s)
				require.ErrorIs(t, err, txn.ErrLockWaitTimeout)
				require.ErrorIs(t, err, txn.ErrRowChanged, "it says what it came of")
				require.Equal(t, runs, s.runs)
			})
			a.RollbackAll()
		})
	}
}

// TestAttemptEnds: what ends a statement after one run, and what is left of it. Each inserts the row 2 in a transaction that has inserted
// the row 1.
func TestAttemptEnds(t *testing.T) {
	h := newHarness(t)
	own := errors.New("the statement's own")
	killed := errors.New("killed")
	for name, c := range map[string]struct {
		fails  error // the run's
		sent   bool
		killed bool
		want   error
		told   string
		ids    []int64
		in     bool // the transaction lives on
	}{
		"well":                          {told: "begin, end", ids: []int64{1, 2}, in: true},
		"well, though something's sent": {sent: true, told: "begin, end", ids: []int64{1, 2}, in: true},
		"an error":                      {fails: own, want: own, told: "begin, undo", ids: []int64{1}, in: true},
		"a changed row, but sent":       {fails: fmt.Errorf("t: %w", txn.ErrRowChanged), sent: true, want: txn.ErrRowChanged, told: "begin, undo", ids: []int64{1}, in: true},
		"a lock wait":                   {fails: txn.ErrLockWaitTimeout, want: txn.ErrLockWaitTimeout, told: "begin, undo", ids: []int64{1}, in: true},
		"a deadlock":                    {fails: fmt.Errorf("t: %w", txn.ErrDeadlock), want: txn.ErrDeadlock, told: "begin, rollback"},
		"killed":                        {killed: true, want: killed, told: "begin, undo", ids: []int64{1}, in: true},
		"killed, with an error":         {killed: true, fails: own, want: own, told: "begin, undo", ids: []int64{1}, in: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.connect()
			require.NoError(t, a.StartTransaction(ctx, NextTransaction{}, false))
			require.NoError(t, a.insert(1))
			a.temp.taken()
			run, kill := context.WithCancelCause(ctx)
			defer kill(nil)
			s := &script{sent: c.sent, run: func(_ int, tx *txn.Txn) error {
				require.NoError(t, a.Memory.Hold(1000))
				require.NoError(t, insert(tx, h.t, 2))
				if c.killed {
					kill(killed)
				}
				return c.fails
			}}
			err := a.Attempt(run, time.Time{}, write, s)
			if c.want == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, c.want)
				require.Zero(t, a.Memory.Mark())
			}
			require.Equal(t, 1, s.runs)
			require.Equal(t, c.told, a.temp.taken())
			require.Equal(t, c.in, a.InTransaction())
			if c.in {
				require.Equal(t, c.ids, h.idsIn(a.Tx))
				require.Equal(t, 2, a.Tx.LockCount(), "locks stay until the transaction ends")
			} else {
				require.Nil(t, a.Tx)
				require.Nil(t, a.Running.Load())
			}
			a.RollbackAll()
			require.Empty(t, h.ids())
		})
	}
}

// watched is a context that tells when somebody begins to wait for its end.
type watched struct {
	context.Context
	waits func()
}

func (w watched) Done() <-chan struct{} {
	w.waits()
	return w.Context.Done()
}

// TestAttemptAwaitsVisible: what a locking read has seen of a commit that is still on its way does not leave the server before that
// commit. Nothing else waits for it.
func TestAttemptAwaitsVisible(t *testing.T) {
	locking := *read
	locking.Locking = true
	for name, c := range map[string]struct {
		st           *statement.Statement
		serializable bool
		waits        bool
	}{
		"locking read":  {st: &locking, waits: true},
		"plain read":    {st: read},
		"serializable":  {st: read, serializable: true, waits: true},
		"without a row": {st: write},
	} {
		t.Run(name, func(t *testing.T) {
			h, log := newSlowHarness(t)
			a, b := h.connect(), h.connect()
			chars := NextTransaction{HasIsolation: c.serializable, Isolation: txn.Serializable}
			require.NoError(t, a.StartTransaction(ctx, chars, false))
			require.NoError(t, b.StartTransaction(ctx, NextTransaction{}, false))
			require.NoError(t, b.insert(1))
			open := log.hold()
			defer open()
			committed := make(chan error, 1)
			go func() { committed <- b.CommitAll(ctx) }()
			require.Eventually(t, func() bool { return h.server.Store.Txns().Stats().Pending == 1 }, waitMax, waitStep)

			waited := false
			run := watched{ctx, func() { waited = true; open() }}
			require.NoError(t, a.Attempt(run, time.Time{}, c.st, &script{run: func(_ int, tx *txn.Txn) error {
				_, found, err := tx.Get(ctx, h.t, key(h.t, 1), txn.LockShared, txn.Wait)
				require.True(t, found, "the commit has given its locks back already")
				return err
			}}))
			require.Equal(t, c.waits, waited)
			open()
			require.NoError(t, <-committed)
			a.RollbackAll()
		})
	}
}
