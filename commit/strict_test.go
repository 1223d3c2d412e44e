package commit

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

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

	// One group: the leader waits until all are queued.
	hold, writing := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.onIO(func(op, _ string) error {
		once.Do(func() { close(writing); <-hold })
		return nil
	})
	var wg sync.WaitGroup
	errs := make([]error, 5)
	start := func(i int, req *txn.CommitRequest) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = f.commit(req)
		}()
	}
	start(0, f.request("first")) // 0-7-102
	<-writing
	for i, seq := range []uint64{0, 104, 104, 0} { // 103, 104, refused, 105
		req := f.request("k")
		req.Seq, req.Strict = seq, true
		start(i+1, req)
		f.waitQueued(i + 1)
	}
	close(hold)
	wg.Wait()
	var e *OutOfOrderError
	for i, err := range errs {
		require.Equal(t, i == 3, errors.As(err, &e), "%d: %v", i, err)
	}
	require.Equal(t, "0-7-104", e.Last.String())
	state := f.log.StateClone()
	require.EqualValues(t, 105, state.MaxSeq(0))
	require.Equal(t, state.String(), f.engine.Applied().GTIDState)
}
