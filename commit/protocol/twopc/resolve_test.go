package twopc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/logpos"
)

// Every combination of facts has one row, with a cause.
func TestTableIsComplete(t *testing.T) {
	rows := 0
	for r := nothing; r <= rolledBack; r++ {
		for l := absent; l <= foreign; l++ {
			found := 0
			for _, row := range resolveTable {
				if row.redo == r && row.log == l {
					found++
					require.NotEmpty(t, row.cause)
				}
			}
			require.Equal(t, 1, found, "redo %d, log %d", r, l)
			rows++
			// What the log has is never rolled back, and what it does not have never committed.
			require.Equal(t, r == undecided && l != absent, resolveRowFor(r, l).verdict == commitIt)
			require.Equal(t, r == undecided && l == absent, resolveRowFor(r, l).verdict == rollBack)
		}
	}
	require.Len(t, resolveTable, rows)
}

func newEngine(t *testing.T) engine.Engine {
	e, err := (&enginetest.MemoryKind{EngineName: "E", Disk: &enginetest.Disk{}}).Open(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func mark(n uint64) engine.Mark {
	return engine.Mark{Position: logpos.At(1, n), GTIDState: "0-1-1"}
}

// Transactions that prepare in one order and commit in the other leave the higher counter; a change of the catalog sets it.
func TestCountersDoNotGoBack(t *testing.T) {
	e := newEngine(t)
	key := catalog.CounterKey(7)
	prepared := func(n uint64, ddl bool) *preparedTxn {
		c := &changes{}
		require.NoError(t, c.Set(key, catalog.EncodeCounter(n)))
		return &preparedTxn{changes: c.record, catalog: ddl}
	}
	at := uint64(0)
	redo := func(txns ...*preparedTxn) uint64 {
		to := newRedoer(e)
		for _, x := range txns {
			require.NoError(t, to.redo(x))
		}
		at++
		require.NoError(t, to.apply(mark(at)))
		value, ok, release, err := e.Get(key)
		require.NoError(t, err)
		require.True(t, ok)
		defer release()
		n, err := catalog.DecodeCounter(value)
		require.NoError(t, err)
		return n
	}
	require.EqualValues(t, 6, redo(prepared(6, false), prepared(5, false)))
	require.EqualValues(t, 6, redo(prepared(4, false)), "the one in the engine counts, too")
	require.EqualValues(t, 8, redo(prepared(8, false)))
	require.EqualValues(t, 3, redo(prepared(3, true)))
	require.EqualValues(t, 2, redo(prepared(9, false), prepared(1, true), prepared(2, false)))
}

// Records come back as they were written; cut ones are errors.
func TestRecords(t *testing.T) {
	c := &changes{record: beginPrepare(77, true)}
	require.NoError(t, c.Set([]byte("\x00\x00\x00\x01\x00\x00\x00\x00key"), []byte("value")))
	require.NoError(t, c.Delete([]byte("\x00\x00\x00\x01\x00\x00\x00\x00gone")))
	require.NoError(t, c.DeleteRange([]byte("a"), []byte("b")))
	all := &contents{prepared: map[uint64]*preparedTxn{}}
	require.NoError(t, all.add(redo.Record{Segment: 3, Payload: c.record}))
	require.Error(t, all.add(redo.Record{Segment: 3, Payload: c.record}), "twice")
	x := all.prepared[77]
	require.True(t, x.catalog)
	require.EqualValues(t, 3, x.segment)
	commit := &commitRecord{mark: mark(9), durable: true, xids: []uint64{1, 77, 1 << 63}}
	record := appendCommit(nil, commit)
	require.NoError(t, all.add(redo.Record{Payload: record}))
	require.Equal(t, []*commitRecord{commit}, all.commits)
	for n := range record {
		require.Error(t, (&contents{prepared: map[uint64]*preparedTxn{}}).add(redo.Record{Payload: record[:n]}), "%d bytes", n)
	}
	require.Equal(t, mark(9), all.mark(mark(3)))
	require.Equal(t, mark(10), all.mark(mark(10)))
	for n := 1; n < len(x.changes); n++ {
		to := newRedoer(newEngine(t))
		cut := *x
		cut.changes = x.changes[:n]
		if err := to.redo(&cut); err == nil {
			require.Contains(t, []int{len("\x00\x00\x00\x01\x00\x00\x00\x00key") + 2 + len("value") + 1, len(x.changes) - 5}, n, "only between two changes")
		}
		to.discard()
	}
}

// A mark that the binary log was not durable for does not count.
func TestRelaxedMark(t *testing.T) {
	c := &contents{commits: []*commitRecord{{mark: mark(5), durable: true}, {mark: mark(7)}}}
	require.Equal(t, mark(5), c.mark(engine.Mark{}))
	c.commits = append(c.commits, &commitRecord{mark: mark(8), durable: true})
	require.Equal(t, mark(8), c.mark(engine.Mark{}))
}

// What recovery would need of the redo log is kept: transactions that nobody has decided about, those that the engine's files do not
// have, and the last binlog checkpoint.
func TestNeeded(t *testing.T) {
	e := &Engine{}
	e.mu.open = map[uint64]*segmentUse{}
	at := func(n uint64) logpos.Pos { return logpos.At(1, n) }
	for segment, n := range []uint64{0, 10, 30, 20} {
		e.use(uint64(segment)).undecided++
		if n > 0 {
			e.decided(uint64(segment), at(n))
		}
	}
	require.EqualValues(t, 0, e.needed(at(9)), "segment 0 has one that is undecided")
	e.decided(0, logpos.Pos{})
	require.EqualValues(t, 1, e.needed(at(9)))
	require.EqualValues(t, 2, e.needed(at(10)))
	require.EqualValues(t, 2, e.needed(at(29)))
	e.mu.level, e.mu.levelSegment = at(40), 3
	require.EqualValues(t, 3, e.needed(at(39)))
	require.Greater(t, e.needed(at(40)), uint64(1<<60), "nothing")
}
