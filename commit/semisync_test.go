package commit

import (
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/logpos"
)

// copies is a replica by hand: groups wait until release lets those up to a place go.
type copies struct {
	mu      sync.Mutex
	moved   *sync.Cond
	acked   logpos.Pos
	waiting []logpos.Pos // ends, in the order of their calls
	count   int          // transactions
}

func newCopies(t *testing.T) *copies {
	c := &copies{}
	c.moved = sync.NewCond(&c.mu)
	t.Cleanup(func() { c.release(forever) }) // a test that fails leaves nobody waiting
	return c
}

func (c *copies) await(end logpos.Pos, transactions int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, end)
	c.count += transactions
	c.moved.Broadcast()
	for c.acked.Before(end) {
		c.moved.Wait()
	}
}

func (c *copies) release(upTo logpos.Pos) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acked = upTo
	c.moved.Broadcast()
}

// groups waits until so many groups are waiting, or have been, and returns their ends.
func (c *copies) groups(n int) []logpos.Pos {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) < n {
		c.moved.Wait()
	}
	return c.waiting
}

// offered is where the log ends for those who may read what is offered.
func (f *fixture) offered() (end logpos.Pos) {
	f.t.Helper()
	r, err := f.files.NewOfferedReader(logpos.At(1, 0))
	require.NoError(f.t, err)
	for {
		ev, at, err := r.NextNoWait()
		if err != nil {
			require.ErrorIs(f.t, err, io.EOF)
			require.NoError(f.t, r.Close())
			return end
		}
		end = at.Plus(len(ev))
	}
}

var forever = logpos.At(1<<40, 0)

// TestWaitForCopiesHoldsNobodyUp: groups are written, synced and offered while the one before waits for its copy, and nothing
// is visible before its own copy is there, and those of all before.
func TestWaitForCopiesHoldsNobodyUp(t *testing.T) {
	for _, depth := range []int{1, 4} {
		eachMethod(t, depth, func(t *testing.T, f *fixture) {
			c := newCopies(t)
			var announced []logpos.Pos // guarded by c.mu
			f.p.SetSemiSync(SemiSync{BeforeVisible: c.await, BeforeOffered: func(end logpos.Pos) {
				if !f.offered().Before(end) {
					t.Errorf("what ends at %v is offered before that is told", end)
				}
				c.mu.Lock()
				defer c.mu.Unlock()
				announced = append(announced, end)
			}})
			before := f.files.Visible()
			const groups = 6
			done := make([]chan error, groups)
			for i := range done {
				done[i] = make(chan error, 1)
				req := f.request(fmt.Sprint(i))
				go func() { done[i] <- f.commit(req) }()
				end := c.groups(i + 1)[i] // one group after the other, none of which has its copy
				require.False(t, f.files.Synced().Before(end))
				require.False(t, f.offered().Before(end))
			}
			require.Equal(t, before, f.files.Visible())
			require.Empty(t, f.engine.keys())
			require.NoError(t, f.p.SyncLog(), "syncs do not wait")

			ends := c.groups(groups)
			c.mu.Lock()
			require.Equal(t, ends, announced)
			c.mu.Unlock()
			c.release(ends[2])
			for _, d := range done[:3] {
				require.NoError(t, <-d)
			}
			require.Equal(t, []string{"0", "1", "2"}, f.engine.keys())
			require.True(t, f.files.Visible().Before(ends[3]))
			for _, d := range done[3:] {
				require.Empty(t, d)
			}
			c.release(forever)
			for _, d := range done[3:] {
				require.NoError(t, <-d)
			}
			require.Equal(t, []string{"0", "1", "2", "3", "4", "5"}, f.engine.keys())
			require.Equal(t, f.files.End(), f.files.Visible())
		})
	}
}

// TestCopiesInAnyOrder: a later group whose copy is there first becomes visible behind the earlier ones. The fixture's engine
// refuses a mark that goes back.
func TestCopiesInAnyOrder(t *testing.T) {
	f := newFixture(t, nil)
	first := make(chan struct{})
	begun, passed := make(chan logpos.Pos, 2), make(chan struct{})
	n := 0
	f.p.SetSemiSync(SemiSync{BeforeVisible: func(end logpos.Pos, _ int) {
		n++ // the second call comes when the first has sent to begun
		mine := n
		begun <- end
		if mine == 1 {
			<-first
		} else {
			close(passed)
		}
	}})
	done := make(chan error, 2)
	go func() { done <- f.commit(f.request("a")) }()
	<-begun
	go func() { done <- f.commit(f.request("b")) }()
	<-begun
	<-passed
	require.Empty(t, f.engine.keys())
	close(first)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.Equal(t, []string{"a", "b"}, f.engine.keys())
}

// TestRotationBehindAWaitForCopies: the log goes on in the next file, for writers and for the replicas that are waited for.
func TestRotationBehindAWaitForCopies(t *testing.T) {
	f := newFileFixture(t, nil)
	c := newCopies(t)
	f.p.SetSemiSync(SemiSync{BeforeVisible: c.await})
	done := make(chan error, 3)
	go func() { done <- f.commit(f.request("a")) }()
	c.groups(1)
	go func() { done <- f.p.Rotate() }()
	require.Eventually(t, func() bool { return f.files.End().Segment == 2 }, waitMax, waitTick)
	go func() { done <- f.commit(f.request("b")) }()
	end := c.groups(2)[1]
	require.Equal(t, uint64(2), end.Segment)
	require.Equal(t, uint64(1), f.files.Visible().Segment)
	require.Equal(t, end, f.offered(), "what is offered is read beyond the file's end")
	_, err := f.files.NewReader(logpos.At(2, 0))
	require.ErrorIs(t, err, binlog.ErrPosition)
	c.release(forever)
	for range 3 {
		require.NoError(t, <-done)
	}
	require.Equal(t, f.files.End(), f.files.Visible())
}

// TestOnlyReplicatedTransactionsAreWaitedFor: one with sql_log_bin=0 comes to no replica. It still keeps its place.
func TestOnlyReplicatedTransactionsAreWaitedFor(t *testing.T) {
	f := newFixture(t, nil)
	c := newCopies(t)
	answered := 0
	f.p.SetSemiSync(SemiSync{BeforeVisible: c.await, BeforeAnswer: func(logpos.Pos) { answered++ }})
	local := f.request("local")
	local.LocalOnly = true
	require.NoError(t, f.commit(local))
	require.Zero(t, answered)

	done := make(chan error, 2)
	go func() { done <- f.commit(f.request("a")) }()
	c.groups(1)
	sequenced := make(chan struct{})
	late := f.request("late")
	late.LocalOnly = true
	hold(late, &holder{sequenced: func() { close(sequenced) }})
	go func() { done <- f.commit(late) }()
	<-sequenced
	require.Equal(t, []string{"local"}, f.engine.keys())
	c.release(forever)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.Equal(t, []string{"local", "a", "late"}, f.engine.keys())
	require.Equal(t, 1, c.count)
	require.Equal(t, 1, answered)
}

// TestBeforeAnswer: with AFTER_COMMIT a transaction is visible while it waits, and others go on.
func TestBeforeAnswer(t *testing.T) {
	f := newFixture(t, nil)
	c := newCopies(t)
	f.p.SetSemiSync(SemiSync{BeforeAnswer: func(end logpos.Pos) { c.await(end, 1) }})
	done := make(chan error, 2)
	go func() { done <- f.commit(f.request("a")) }()
	end := c.groups(1)[0]
	require.Equal(t, end, f.log.Visible())
	require.Equal(t, []string{"a"}, f.engine.keys())
	go func() { done <- f.commit(f.request("b")) }()
	c.groups(2)
	require.Equal(t, []string{"a", "b"}, f.engine.keys())
	require.Empty(t, done)
	c.release(forever)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
}

// TestNothingIsOfferedAfterAFailedSync: a group behind one whose sync failed comes to no replica.
func TestNothingIsOfferedAfterAFailedSync(t *testing.T) {
	f := newFileFixture(t, nil)
	c := newCopies(t)
	f.p.SetSemiSync(SemiSync{BeforeVisible: c.await})
	before := f.offered()
	f.onIO(func(op, name string) error {
		if op == "sync" && name == "live" {
			return fmt.Errorf("broken disk")
		}
		return nil
	})
	require.ErrorIs(t, f.commit(f.request("bad")), ErrOutcomeUnknown)
	require.Error(t, f.commit(f.request("later")))
	require.Equal(t, before, f.offered())
	require.Empty(t, c.waiting)
}

// TestHookRemovedWhileGroupsWait: those behind go on in order when those before do.
func TestHookRemovedWhileGroupsWait(t *testing.T) {
	f := newFixture(t, nil)
	c := newCopies(t)
	f.p.SetSemiSync(SemiSync{BeforeVisible: c.await})
	done := make(chan error, 2)
	go func() { done <- f.commit(f.request("a")) }()
	c.groups(1)
	f.p.SetSemiSync(SemiSync{})
	sequenced := make(chan struct{})
	b := f.request("b")
	hold(b, &holder{sequenced: func() { close(sequenced) }})
	go func() { done <- f.commit(b) }()
	<-sequenced
	require.Empty(t, f.engine.keys())
	c.release(forever)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.Equal(t, []string{"a", "b"}, f.engine.keys())
}
