package enginetest

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// The log is synced as far as a mark before the mark becomes durable.
func testLogFirst(t *testing.T, harness Harness) {
	h := harness.(SyncsLog)
	var synced atomic.Uint64 // in one segment
	h.SyncLog(func(p logpos.Pos) error {
		for old := synced.Load(); old < p.Offset && !synced.CompareAndSwap(old, p.Offset); old = synced.Load() {
		}
		return nil
	})
	e := h.Open(t)
	at := func(n uint64) engine.Mark { return engine.Mark{Position: logpos.At(1, n)} }
	n := uint64(0)
	value := make([]byte, 10_000)
	for range 300 {
		n++
		b := e.NewBatch()
		require.NoError(t, b.Set([]byte{'k', byte(n)}, value))
		require.NoError(t, e.Apply(b, at(n)))
		require.LessOrEqual(t, e.Durable().Position.Offset, synced.Load())
		if n%100 == 0 {
			m, err := e.Checkpoint()
			require.NoError(t, err)
			require.Equal(t, at(n), m)
			require.Equal(t, n, synced.Load())
		}
	}
	require.NoError(t, e.Apply(e.NewBatch(), at(n+1)))
	h.Crash(t, e)
	upTo := synced.Load()
	e = h.Open(t)
	require.LessOrEqual(t, e.Durable().Position.Offset, upTo)
	require.GreaterOrEqual(t, e.Durable().Position.Offset, n)
	require.NoError(t, e.Close())
}

// A log that cannot be synced keeps the engine from becoming durable. Whether it says so by an error or by Fatal is its own matter.
func testLogCannotBeSynced(t *testing.T, harness Harness) {
	alone(t, func() {
		h := harness.(SyncsLog)
		broken := errors.New("the log is broken")
		h.SyncLog(func(logpos.Pos) error { return broken })
		e := h.Open(t)
		apply(t, e, 1, "a=1")
		_, err, fatal := tryCheckpoint(h, e)
		require.True(t, fatal || err != nil)
		if !fatal {
			require.ErrorIs(t, err, broken)
			require.Equal(t, "1", get(t, e, "a"))
		}
		require.Equal(t, engine.Mark{}, e.Durable())
		h.Abandon()
		h.SyncLog(nil)
		e = h.Open(t)
		require.Equal(t, engine.Mark{}, e.Durable())
		require.Empty(t, contents(t, e))
	})
}

// tryCheckpoint returns what Checkpoint does, or that the engine has called Fatal: then Checkpoint may never return, or return
// later, when nobody looks any more.
func tryCheckpoint(h SyncsLog, e engine.Engine) (engine.Mark, error, bool) {
	type outcome struct {
		mark engine.Mark
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		m, err := e.Checkpoint()
		done <- outcome{m, err}
	}()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		select {
		case o := <-done:
			return o.mark, o.err, h.Fatal()
		case <-look.C:
		}
		if h.Fatal() {
			return engine.Mark{}, nil, true
		}
	}
}

const aloneVariable = "ENGINETEST_ALONE"

// alone runs a test in a process of its own: an engine that has called Fatal cannot be closed, and would
// be in the way of what follows.
func alone(t *testing.T, f func()) {
	t.Helper()
	if os.Getenv(aloneVariable) == t.Name() {
		f()
		os.Exit(0)
	}
	var pattern []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.Command(os.Args[0], "-test.run="+strings.Join(pattern, "/"))
	cmd.Env = append(os.Environ(), aloneVariable+"="+t.Name())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), "no tests to run")
}
