package commit

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/txn"
)

// A full disk fails those that have no place yet, and nobody else.
func TestNoSpace(t *testing.T) {
	f := newFileFixture(t, func(_ *Config, o *binlog.Options) { o.MaxSize = 8 << 10 })
	f.onIO(func(op, name string) error {
		if op == "create" || op == "write" && name == "new" {
			return syscall.ENOSPC
		}
		return nil
	})
	var failed error
	committed := 0
	for failed == nil {
		req := f.request(fmt.Sprint(committed))
		if failed = f.commit(req); failed == nil {
			committed++
		} else {
			require.Equal(t, txn.Waiting, req.Ticket.State())
		}
		require.Less(t, committed, 1000)
	}
	require.ErrorIs(t, failed, binlog.ErrNoSpace)
	f.io.before.Store(nil)
	require.NoError(t, f.commit(f.request("again")))
	require.Len(t, f.engine.keys(), committed+1)
	require.EqualValues(t, committed+1, f.groupsInLog()[committed].GTID.Seq, "a refused transaction takes no number")
}

// A request that fits is sequenced when it arrives and cannot fail any more; those after the first that does not
// fit are sequenced by their leader, or refused.
func TestSequencedOnArrival(t *testing.T) {
	f := newFixture(t, nil)
	log := f.log.(*memLog)
	reached, release := f.holdSync()
	defer release()
	var wg sync.WaitGroup
	errs := make([]error, 4)
	sequenced := make([]atomic.Bool, 4)
	start := func(i int) {
		req := f.request(fmt.Sprint(i))
		hold(req, &holder{sequenced: func() { sequenced[i].Store(true) }})
		wg.Go(func() { errs[i] = f.commit(req) })
	}
	start(0)
	<-reached
	log.setLimit(f.log.End().Offset + 2*uint64(requestSize(f.request("k"))))
	f.p.queue.settle(f.p.room())
	for i := range 3 {
		start(i + 1)
		f.waitQueued(i + 1)
	}
	require.True(t, sequenced[1].Load() && sequenced[2].Load(), "there is room for two")
	require.False(t, sequenced[3].Load())
	release()
	wg.Wait()
	require.NoError(t, errors.Join(errs[:3]...))
	require.ErrorIs(t, errs[3], binlog.ErrNoSpace)
	require.False(t, sequenced[3].Load())
	require.Equal(t, []string{"0", "1", "2"}, f.engine.keys())
}

// While a large transaction takes its place, nobody is sequenced on arrival: it would be after the large one in the log, and
// before it for those who read what is pending.
func TestNobodyIsSequencedBesideALargeTransaction(t *testing.T) {
	f := newFixture(t, nil)
	f.p.queue.hold()
	m := newMember(f.request("held"))
	leads, err := f.p.queue.enqueue(m)
	require.NoError(t, err)
	require.True(t, leads)
	require.Equal(t, txn.Waiting, m.req.Ticket.State())
	f.p.queue.unhold(f.p.room())
	later := newMember(f.request("later"))
	_, err = f.p.queue.enqueue(later)
	require.NoError(t, err)
	require.Equal(t, txn.Waiting, later.req.Ticket.State(), "nor after one that waits")
	f.p.lead(m)
	require.Equal(t, []txn.TicketState{txn.Applied, txn.Applied}, []txn.TicketState{m.req.Ticket.State(), later.req.Ticket.State()})
	f.p.queue.accepted.Add(-2)
	first := newMember(f.request("first"))
	_, err = f.p.queue.enqueue(first)
	require.NoError(t, err)
	require.Equal(t, txn.Sequenced, first.req.Ticket.State())
	f.p.lead(first)
	f.p.queue.accepted.Done()
}
