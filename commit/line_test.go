package commit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// start starts a request with the GTID of another server.
func (f *fixture) startInLine(line *txn.Line, seq uint64, strict bool) (*txn.CommitRequest, func() error) {
	f.t.Helper()
	req := f.request(fmt.Sprint(seq))
	req.ServerID, req.Seq, req.Strict, req.Replicated, req.Line = 3, seq, strict, true, line
	wait, err := f.begin(req)
	require.NoError(f.t, err)
	return req, wait
}

// begin starts a request. Where a test ends early its end is waited for, without which the pipeline could not be closed.
func (f *fixture) begin(req *txn.CommitRequest) (wait func() error, err error) {
	if wait, err = f.p.Start(context.Background(), req); err != nil {
		return nil, err
	}
	wait = sync.OnceValue(wait)
	f.t.Cleanup(func() { _ = wait() })
	return wait, nil
}

// TestLine: what was started is in the log in its order, in few groups, and gtid_slave_pos is its last.
func TestLine(t *testing.T) {
	f := newFileFixture(t, nil)
	var line txn.Line
	var waits []func() error
	const n = 100
	reached, release := f.holdSync()
	for seq := uint64(1); seq <= n; seq++ {
		_, wait := f.startInLine(&line, seq, false)
		waits = append(waits, wait)
		if seq == 1 {
			<-reached
		}
	}
	release()
	for _, wait := range slices.Backward(waits) {
		require.NoError(t, wait())
	}
	infos := f.groupsInLog()
	require.Len(t, infos, n)
	for i, info := range infos {
		require.Equal(t, gtid.GTID{Server: 3, Seq: uint64(i + 1)}, info.GTID)
		require.True(t, info.Replicated)
	}
	require.Equal(t, "0-3-100|0-3-100", f.engine.Applied().GTIDState)
	require.Less(t, f.p.Stats().GroupCommits, uint64(10))
}

// TestRefusedLine: after a transaction that is refused no later one of its line gets a place, whether it is refused when it is started or by the leader,
// who finds others in the queue already. Those before it are not touched.
func TestRefusedLine(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late %v", late), func(t *testing.T) {
			f := newFileFixture(t, nil)
			var line, other txn.Line
			reached, release := f.holdSync()
			defer release()
			_, first := f.startInLine(&line, 5, true)
			<-reached
			if late {
				f.p.queue.settle(0) // nothing has room
			}
			second, secondDone := f.startInLine(&line, 6, true)
			own := f.request("own") // of this server, in the same domain: 0-7-7
			ownWait, err := f.begin(own)
			require.NoError(t, err)
			refused := f.request("7")
			refused.ServerID, refused.Seq, refused.Strict, refused.Line = 3, 7, true, &line
			wait, err := f.begin(refused)
			var order *OutOfOrderError
			if late {
				require.NoError(t, err)
				require.Equal(t, txn.Waiting, second.Ticket.State())
			} else {
				require.ErrorAs(t, err, &order)
				line.Fail() // who has started it says so
				require.Equal(t, txn.Sequenced, second.Ticket.State(), "the next one may build on it")
			}
			behind := f.request("8")
			behind.ServerID, behind.Seq, behind.Strict, behind.Line = 3, 8, true, &line
			behindWait, behindErr := f.begin(behind)
			_, beside := f.startInLine(&other, 9, true)
			release()
			require.NoError(t, first())
			require.NoError(t, secondDone())
			require.NoError(t, ownWait())
			if late {
				require.ErrorAs(t, wait(), &order)
				require.NoError(t, behindErr)
				behindErr = behindWait()
			}
			require.Equal(t, "0-3-7", order.GTID.String())
			require.Equal(t, "0-7-7", order.Last.String())
			require.ErrorIs(t, behindErr, txn.ErrLine)
			require.Equal(t, txn.Waiting, refused.Ticket.State())
			require.Equal(t, txn.Waiting, behind.Ticket.State())
			require.NoError(t, beside())
			req := f.request("late")
			req.Line = &line
			_, err = f.p.Start(context.Background(), req)
			require.ErrorIs(t, err, txn.ErrLine)
			require.True(t, line.Failed())
			require.False(t, other.Failed())
			require.Equal(t, []string{"5", "6", "9", "own"}, slices.Sorted(slices.Values(f.engine.keys())))
			require.Equal(t, "0-7-7,0-3-9|0-3-9", f.engine.Applied().GTIDState)
		})
	}
}

// TestStrictLineIsSequenced: a hundred groups in strict mode need as few groups as others: each is sequenced when it is started, so that the next one may
// have its rows.
func TestStrictLineIsSequenced(t *testing.T) {
	f := newFileFixture(t, nil)
	var line txn.Line
	var waits []func() error
	reached, release := f.holdSync()
	defer release()
	for seq := uint64(1); seq <= 100; seq++ {
		req, wait := f.startInLine(&line, seq, true)
		waits = append(waits, wait)
		if seq == 1 {
			<-reached
		}
		require.Equal(t, txn.Sequenced, req.Ticket.State())
	}
	release()
	for _, wait := range waits {
		require.NoError(t, wait())
	}
	require.Less(t, f.p.Stats().GroupCommits, uint64(10))
	require.Equal(t, "0-3-100|0-3-100", f.engine.Applied().GTIDState)
}

// TestLineWithoutRoom: the same where the disk is full.
func TestLineWithoutRoom(t *testing.T) {
	f := newFixture(t, nil)
	log := f.log.(*memLog)
	var line txn.Line
	reached, release := f.holdSync()
	defer release()
	_, first := f.startInLine(&line, 1, false)
	<-reached
	log.setLimit(log.End().Offset) // nothing more fits
	f.p.queue.settle(0)
	_, second := f.startInLine(&line, 2, false)
	_, third := f.startInLine(&line, 3, false)
	release()
	errs := []error{first(), second(), third()}
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], binlog.ErrNoSpace)
	require.Error(t, errs[2])
	log.setLimit(1 << 20)
	require.True(t, line.Failed())
	require.Equal(t, []string{"1"}, f.engine.keys())
}

// TestRefusedLargeInLine: the same of a large transaction, which does not go through the queue.
func TestRefusedLargeInLine(t *testing.T) {
	f := newFileFixture(t, nil)
	var line txn.Line
	large := func(seq uint64) (func() error, error) {
		req := f.request(fmt.Sprint(seq))
		req.Line, req.File = &line, struct{ txn.EventFile }{} // no file of this log
		return f.p.Start(context.Background(), req)
	}
	wait, err := large(1)
	require.NoError(t, err)
	_, err = f.p.Start(context.Background(), func() *txn.CommitRequest {
		req := f.request("2")
		req.Line = &line
		return req
	}())
	require.ErrorIs(t, err, txn.ErrLine, "and nobody has waited for the large one yet")
	require.Error(t, wait())
	_, err = large(3)
	require.ErrorIs(t, err, txn.ErrLine)
	require.Empty(t, f.engine.keys())
}

// TestSlavePos: SET GLOBAL gtid_slave_pos counts from its place in the log on, and survives RESET MASTER.
func TestSlavePos(t *testing.T) {
	f := newFileFixture(t, nil)
	var line txn.Line
	_, wait := f.startInLine(&line, 9, false)
	require.NoError(t, wait())
	set := f.request("set")
	set.LocalOnly, set.Reposition = true, &gtid.Reposition{Pos: gtid.Position{2: {Domain: 2, Server: 5, Seq: 6}}}
	set.Events = event.AppendPrivate(nil, event.Meta{}, event.PrivateSlavePos, []byte(set.Reposition.String()))
	require.NoError(t, f.commit(set))
	require.Equal(t, "0-3-9|2-5-6", f.engine.Applied().GTIDState)
	require.NoError(t, f.commit(f.request("own")))
	require.Equal(t, "0-3-9,0-7-10|2-5-6", f.engine.Applied().GTIDState)
	_, wait = f.startInLine(&line, 11, false)
	require.NoError(t, wait())
	require.Equal(t, "0-7-10,0-3-11|0-3-11,2-5-6", f.engine.Applied().GTIDState)

	const uuid = "01000000-0000-0000-0000-000000000000"
	set = f.request("executed")
	set.LocalOnly, set.Executed = true, &gtid.ExecutedChange{Set: gtid.Set{{1}: {{Start: 1, End: 6}}}}
	set.Events = event.AppendPrivate(nil, event.Meta{}, event.PrivateExecuted, []byte(set.Executed.String()))
	require.NoError(t, f.commit(set))
	require.Equal(t, "0-7-10,0-3-11|0-3-11,2-5-6|"+uuid+":1-5", f.engine.Applied().GTIDState)
	from := f.request("from a MySQL")
	from.MySQL = gtid.MySQL{Source: gtid.UUID{1}, Number: 6}
	require.NoError(t, f.commit(from))
	require.Equal(t, "0-3-11,0-7-12|0-3-11,2-5-6|"+uuid+":1-6", f.engine.Applied().GTIDState)
}
