package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/txn"
)

// outcome is what became of a request.
type outcome struct {
	req  *txn.CommitRequest
	done chan error
	lost atomic.Int64 // how many holders were told of a loss when its own had been; 0 if it was not
}

// later commits in the background. losses counts the holders that are told of a loss.
func (f *fixture) later(key string, losses *atomic.Int64) *outcome {
	o := &outcome{req: f.request(key), done: make(chan error, 1)}
	o.req.Ticket = txn.NewTicket(&holder{lost: func() { o.lost.Store(losses.Add(1)) }}, f.p.Epoch())
	go func() { o.done <- f.commit(o.req) }()
	return o
}

// syncGate holds up each sync until it is let go, with an error or without.
func (f *fixture) syncGates() <-chan chan<- error {
	gates := make(chan chan<- error)
	f.onIO(func(op, _ string) error {
		if op != "sync" {
			return nil
		}
		gate := make(chan error)
		gates <- gate
		return <-gate
	})
	return gates
}

// Three groups are in flight, and three requests wait. The first group stays; everything after it is lost, in log
// order, and so is the request that had no place yet: it may have built on the others.
func TestLose(t *testing.T) {
	f := newFixture(t, func(c *Config, _ *memLog) { c.DepthForTesting = 3 })
	gates := f.syncGates()
	var losses atomic.Int64
	var flying []*outcome
	var syncs []chan<- error
	for i := range 3 {
		flying = append(flying, f.later(fmt.Sprint("flying", i), &losses))
		syncs = append(syncs, <-gates)
	}
	kept := flying[0]
	f.log.(*memLog).setLimit(f.log.End().Offset + 2*uint64(requestSize(kept.req)))
	f.p.queue.settle(f.p.room())
	var waiting []*outcome
	for i := range 3 {
		waiting = append(waiting, f.later(fmt.Sprint("waiting", i), &losses))
		f.waitQueued(i + 1)
	}
	f.p.inFlight.mu.Lock()
	after := f.p.inFlight.groups[0].end
	f.p.inFlight.mu.Unlock()

	require.NoError(t, f.p.Lose(after))
	require.Equal(t, after, f.log.End())
	f.onIO(func(string, string) error { return nil })
	syncs[2] <- errors.New("no majority") // this group is lost anyhow
	syncs[1] <- nil
	syncs[0] <- nil
	require.NoError(t, <-kept.done)
	require.Equal(t, txn.Applied, kept.req.Ticket.State())
	for i, o := range []*outcome{flying[1], flying[2], waiting[0], waiting[1]} {
		require.ErrorIs(t, <-o.done, txn.ErrLost)
		require.Equal(t, txn.Lost, o.req.Ticket.State())
		require.EqualValues(t, i+1, o.lost.Load())
	}
	require.ErrorIs(t, <-waiting[2].done, txn.ErrLost)
	require.Equal(t, txn.Waiting, waiting[2].req.Ticket.State())

	old := f.request("old") // of the epoch before
	require.ErrorIs(t, f.commit(old), txn.ErrLost)
	next := f.later("next", &losses)
	require.NoError(t, <-next.done)
	require.EqualValues(t, 2, next.req.GTID.Seq, "the numbers of lost transactions are given again")
	require.Equal(t, []string{"flying0", "next"}, f.engine.keys())
	require.Len(t, f.groupsInLog(), 2)
	require.Empty(t, f.fatal)
}

// With one group in flight its leader keeps the log stage while it syncs.
func TestLoseTheOnlyGroup(t *testing.T) {
	f := newFixture(t, func(c *Config, _ *memLog) { c.DepthForTesting = 1 })
	start := f.log.End()
	gates := f.syncGates()
	var losses atomic.Int64
	o := f.later("k", &losses)
	gate := <-gates
	require.NoError(t, f.p.Lose(start))
	gate <- errors.New("no majority")
	require.ErrorIs(t, <-o.done, txn.ErrLost)
	require.Empty(t, f.engine.keys())
	require.Empty(t, f.fatal)
	require.Equal(t, start, f.log.End())
}

func TestLoseRefuses(t *testing.T) {
	f := newFixture(t, nil)
	start := f.log.End()
	require.NoError(t, f.commit(f.request("k")))
	require.ErrorContains(t, f.p.Lose(start), "is applied")
	require.ErrorContains(t, f.p.Lose(f.log.End().Plus(1)), "is applied")
	require.Zero(t, f.p.Epoch())
	require.NoError(t, f.p.Lose(f.log.End()), "nothing, but for those who have no place")
	require.EqualValues(t, 1, f.p.Epoch())

	files := newFileFixture(t, nil)
	require.ErrorIs(t, files.p.Lose(files.log.End()), errors.ErrUnsupported)
}

// Many committers, and one who drops what is not applied, again and again: what was acknowledged is applied
// and in the log, in one order, and nothing else is.
func TestLoseUnderLoad(t *testing.T) {
	f := newFixture(t, func(c *Config, _ *memLog) { c.DepthForTesting = 4 })
	const clients, each = 8, 100
	var mu sync.Mutex
	var acknowledged []string
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for n := 0; n < each; {
				key := fmt.Sprintf("%d-%03d", c, n)
				req := f.request(key)
				req.Ticket = txn.NewTicket(nil, f.p.Epoch())
				switch err := f.p.Commit(context.Background(), req); {
				case err == nil:
					n++
					mu.Lock()
					acknowledged = append(acknowledged, key)
					mu.Unlock()
				case !errors.Is(err, txn.ErrLost):
					t.Error(err)
					return
				}
			}
		})
	}
	stop, losses := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				losses <- n
				return
			default:
			}
			if f.p.Lose(f.p.positions.applied()) == nil { // else more was applied meanwhile
				n++
			}
		}
	}()
	wg.Wait()
	close(stop)
	require.Positive(t, <-losses)
	applied := f.engine.keys()
	require.ElementsMatch(t, acknowledged, applied)
	for c := range clients { // the order of one client is kept
		own := slices.DeleteFunc(slices.Clone(applied), func(k string) bool { return k[0] != byte('0'+c) })
		require.True(t, slices.IsSorted(own))
	}
	infos := f.groupsInLog()
	require.Len(t, infos, len(applied))
	for i, info := range infos {
		require.EqualValues(t, i+1, info.GTID.Seq)
	}
	require.Empty(t, f.fatal)
}
