package commit

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// TestStrictOrder: a chosen sequence number has to be after the last one of its domain, also of those in the same
// group, and a refused transaction leaves nothing.
func TestStrictOrder(t *testing.T) {
	f := newFixture(t, nil)
	for _, c := range []struct {
		domain uint32
		seq    uint64
		strict bool
		want   string // "" if it is refused
		last   string
	}{
		{0, 100, true, "0-7-100", ""},
		{0, 100, true, "", "0-7-100"},
		{0, 99, true, "", "0-7-100"},
		{0, 50, false, "0-7-50", ""},
		{0, 51, true, "0-7-51", ""}, // after the last one, not after the highest, as in MariaDB
		{0, 0, true, "0-7-101", ""},
		{4, 1, true, "4-7-1", ""},
	} {
		req := f.request("k")
		req.Domain, req.Seq, req.Strict = c.domain, c.seq, c.strict
		err := f.commit(req)
		if c.want != "" {
			require.NoError(t, err)
			require.Equal(t, c.want, req.GTID.String())
			continue
		}
		var e *OutOfOrderError
		require.True(t, errors.As(err, &e), "%v", err)
		require.Equal(t, c.last, e.Last.String())
		require.Equal(t, c.seq, e.GTID.Seq)
		require.Equal(t, txn.Waiting, req.Ticket.State())
	}

}

// TestStrictOrderInGroup: the same of transactions that want places in one group while the group before is written, whether they are sequenced
// when they arrive or by the leader; and of those after them.
func TestStrictOrderInGroup(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late %v", late), func(t *testing.T) {
			f := newFixture(t, nil)
			reached, release := f.holdSync()
			defer release()
			var wg sync.WaitGroup
			errs := make([]error, 6)
			reqs := make([]*txn.CommitRequest, 6)
			start := func(i int, seq uint64) {
				reqs[i] = f.request("k")
				reqs[i].Seq, reqs[i].Strict = seq, seq != 0
				wg.Go(func() { errs[i] = f.commit(reqs[i]) })
			}
			start(0, 102)
			<-reached
			if late {
				f.p.queue.settle(0) // nothing has room
			}
			queued := 0
			for i, seq := range []uint64{0, 104, 104, 102, 0} { // 103, 104, refused, refused, 105
				start(i+1, seq)
				if late || i != 2 && i != 3 {
					queued++
					f.waitQueued(queued)
				}
			}
			if late {
				require.Equal(t, txn.Waiting, reqs[2].Ticket.State())
			} else {
				require.Equal(t, txn.Sequenced, reqs[2].Ticket.State(), "its rows are free for those after it")
			}
			release()
			wg.Wait()
			for i, err := range errs {
				var e *OutOfOrderError
				if i != 3 && i != 4 {
					require.NoError(t, err)
					require.EqualValues(t, []uint64{102, 103, 104, 0, 0, 105}[i], reqs[i].GTID.Seq)
					continue
				}
				require.ErrorAs(t, err, &e)
				require.Equal(t, txn.Waiting, reqs[i].Ticket.State())
				require.GreaterOrEqual(t, e.Last.Seq, e.GTID.Seq)
			}
			state := f.log.StateClone()
			require.Equal(t, "0-7-105", state.String())
			require.Equal(t, state.String(), f.engine.Applied().GTIDState)
			require.NoError(t, f.commit(f.request("next")))
			require.EqualValues(t, 106, f.log.StateClone().MaxSeq(0))
		})
	}
}

// TestStrictOrderAfterReset: what is sequenced after RESET MASTER follows the new log's state.
func TestStrictOrderAfterReset(t *testing.T) {
	f := newFileFixture(t, nil)
	one := func(seq uint64) error {
		req := f.request("k")
		req.Seq, req.Strict = seq, true
		return f.commit(req)
	}
	require.NoError(t, one(50))
	var e *OutOfOrderError
	require.ErrorAs(t, one(20), &e)
	f.p.queue.renumber(gtid.StateFromList([]gtid.GTID{{Server: 3, Seq: 9}, {Server: 4, Seq: 7}})) // as ResetLog does
	require.ErrorAs(t, one(7), &e)
	require.Equal(t, gtid.GTID{Server: 4, Seq: 7}, e.Last)
	require.NoError(t, one(8))
	req := f.request("own")
	require.NoError(t, f.commit(req))
	require.EqualValues(t, 10, req.GTID.Seq, "after the highest")
}
