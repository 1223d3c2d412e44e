package enginetest

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// life is what happens to an engine, and what may be durable of it at any moment.
type life struct {
	t *testing.T
	h CrashesAt
	e engine.Engine

	mu       sync.Mutex
	history  []moment // in the order in which they were applied; the first is nothing
	low      int      // index of what is durable at least
	synced   int      // and in the log
	ingested model    // what is durable of it
	perhaps  model    // what may be
	crash    *verdict // when the crash was
}

// moment is the contents of an engine after an Apply, without what was ingested.
type moment struct {
	mark    engine.Mark
	state   model
	changes []change
}

// verdict is what may be found after a crash.
type verdict struct {
	low, high, synced int
	ingested, perhaps model
}

// crashed is called while the engine is about to change a file.
func (l *life) crashed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.crash = &verdict{low: l.low, high: len(l.history) - 1, synced: l.synced, ingested: maps.Clone(l.ingested), perhaps: maps.Clone(l.perhaps)}
}

// begin notes that something is about to be applied.
func (l *life) begin(m engine.Mark, changes []change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.history = append(l.history, moment{m, l.history[len(l.history)-1].state.with(changes), changes})
}

func (l *life) open() {
	l.h.SyncLog(func(p logpos.Pos) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, m := range l.history {
			if m.mark.Position == p {
				l.synced = max(l.synced, i)
			}
		}
		return nil
	})
	l.e = l.h.Open(l.t)
}

func (l *life) apply(n uint64, changes ...change) {
	l.begin(mark(n), changes)
	require.NoError(l.t, l.e.Apply(batchOf(l.t, l.e, changes), mark(n)))
}

func (l *life) ingest(changes ...change) {
	l.mu.Lock()
	l.perhaps = l.perhaps.with(changes)
	l.mu.Unlock()
	require.NoError(l.t, l.e.Ingest(batchOf(l.t, l.e, changes)))
}

func (l *life) checkpoint() {
	m, err := l.e.Checkpoint()
	require.NoError(l.t, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Equal(l.t, l.history[len(l.history)-1].mark, m)
	l.low, l.ingested = len(l.history)-1, maps.Clone(l.perhaps)
}

func (l *life) imports(n uint64, changes []change, beside ...change) {
	in := imported(l.t, l.h, l.e, changes)
	all := slices.Concat(changes, beside)
	l.begin(mark(n), all)
	require.NoError(l.t, l.e.Capabilities().Importer.ApplyImport(in, batchOf(l.t, l.e, beside), mark(n)))
}

func (l *life) reset(m engine.Mark) {
	l.begin(m, nil)
	l.mu.Lock()
	l.synced = len(l.history) - 1 // the new log is
	l.mu.Unlock()
	require.NoError(l.t, resetter(l.e).ResetMark(m))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.low, l.ingested = len(l.history)-1, maps.Clone(l.perhaps)
}

func (l *life) close() { require.NoError(l.t, l.e.Close()) }

// run is the life: everything that an engine does.
func (l *life) run() {
	l.open()
	l.apply(101, rows("a", 20, "1")...)
	l.checkpoint()
	l.apply(102, setTo("a/000003", "2"), change{key: "a/000004"})
	l.ingest(rows("x", 10, "1")...)
	l.checkpoint()
	l.apply(103, change{key: "a/", upper: "a/000010"}, setTo("a/000005", "3"))
	l.apply(104, setTo("b", string(make([]byte, 100_000))))
	l.checkpoint()
	l.ingest(rows("y", 3, "1")...)
	l.checkpoint() // the mark has not moved
	l.close()
	l.open()
	if l.h.Can().Importer {
		l.apply(105, setTo("c", "5"))
		l.imports(106, rows("i", 50, "6"), setTo("c", "6"))
		l.imports(107, append(rows("i", 10, "7"), change{key: "i/000020"}))
		l.apply(108, setTo("i/000001", "8"))
		l.checkpoint()
	}
	l.apply(109, setTo("d", "9"))
	l.checkpoint()
	n := uint64(110)
	if l.h.Can().MarkResetter {
		l.reset(engine.Mark{Position: mark(1).Position, GTIDState: "0-1-110"})
		n = 2
		l.apply(n, setTo("d", "10"))
		l.checkpoint()
	}
	l.apply(n+1, change{key: "d"})
	l.close()
}

// A crash before any operation on files leaves the contents after some Apply, with its mark: none before the last checkpoint, and none
// that the log does not have. What is applied again from there comes to the same.
func testCrashAt(t *testing.T, newHarness factory) {
	for n := 0; ; n++ {
		h := newHarness(t).(CrashesAt)
		l := &life{t: t, h: h, history: []moment{{state: model{}}}, ingested: model{}, perhaps: model{}}
		h.CrashAt(n, l.crashed)
		l.run()
		if l.crash == nil {
			require.Greater(t, n, 5, "hardly any operation was seen")
			return
		}
		h.SyncLog(nil)
		h.Crash(t, l.e)
		l.judge(n)
	}
}

// judge opens what the crash has left.
func (l *life) judge(n int) {
	t, v := l.t, l.crash
	e := l.h.Open(t)
	found := -1
	for i := v.low; i <= v.high; i++ {
		if l.history[i].mark == e.Durable() {
			found = i
		}
	}
	require.GreaterOrEqual(t, found, 0, "crash at operation %d: the mark is %s, and should be from %s to %s", n,
		e.Durable().Position, l.history[v.low].mark.Position, l.history[v.high].mark.Position)
	require.LessOrEqual(t, found, v.synced, "crash at operation %d: the log does not have %s", n, e.Durable().Position)
	check := func(want model) {
		t.Helper()
		want = maps.Clone(want)
		got := read(t, e)
		maps.Copy(want, v.ingested)
		maps.DeleteFunc(got, func(k, value string) bool { _, sure := v.ingested[k]; return !sure && v.perhaps[k] == value })
		require.Equal(t, want, got, "crash at operation %d", n)
	}
	check(l.history[found].state)
	for i := found + 1; i < len(l.history); i++ {
		m := l.history[i]
		if m.mark.Position.Before(e.Applied().Position) {
			require.NoError(t, resetter(e).ResetMark(m.mark))
			continue
		}
		require.NoError(t, e.Apply(batchOf(t, e, m.changes), m.mark))
	}
	check(l.history[len(l.history)-1].state)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, e.Close())
	e = l.h.Open(t)
	require.Equal(t, l.history[len(l.history)-1].mark, e.Durable())
	check(l.history[len(l.history)-1].state)
	require.NoError(t, e.Close())
}
