package enginetest

import (
	"fmt"
	"maps"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// patience is how long something may take that has to happen.
const patience = time.Minute

// On a disk that takes nothing more, an engine goes on reading and applying. Checkpoint returns the error, and succeeds when the
// disk does.
func testFullDisk(t *testing.T, harness Harness) {
	h := harness.(Fails)
	e := h.Open(t)
	apply(t, e, 1, "a=1")
	_, err := e.Checkpoint()
	require.NoError(t, err)
	n := uint64(1)
	for _, trouble := range []error{syscall.ENOSPC, syscall.EIO} {
		durable := e.Durable()
		h.FailWrites(trouble)
		for range 3 {
			n++
			apply(t, e, n, fmt.Sprintf("n=%d", n))
			_, err := e.Checkpoint()
			require.ErrorIs(t, err, trouble)
			require.Equal(t, durable, e.Durable())
			require.Equal(t, mark(n), e.Applied())
			require.Equal(t, []string{"a=1", fmt.Sprintf("n=%d", n)}, contents(t, e))
			s := e.Snapshot()
			require.Equal(t, "1", get(t, s, "a"))
			require.NoError(t, s.Close())
		}
		h.FailWrites(nil)
		require.Eventually(t, func() bool { _, err := e.Checkpoint(); return err == nil }, patience, time.Millisecond)
		require.Equal(t, mark(n), e.Durable())
	}
	require.False(t, h.Fatal())
	apply(t, e, n+1, "b=1")
	h.FailWrites(syscall.ENOSPC)
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, syscall.ENOSPC)
	if err := e.Close(); err != nil {
		require.ErrorIs(t, err, syscall.ENOSPC, "it says so, and ends")
	}
	h.Crash(t, e)
	e = h.Open(t)
	require.Equal(t, mark(n), e.Durable())
	require.Equal(t, []string{"a=1", fmt.Sprintf("n=%d", n)}, contents(t, e))
	require.NoError(t, e.Close())
}

// An engine that will have to wait for the disk says so in time: what is under way can still be applied.
func testPressed(t *testing.T, harness Harness) {
	h := harness.(Fails)
	e := h.Open(t)
	can := e.Capabilities().Pressed
	value := make([]byte, 32<<10)
	n := uint64(0)
	one := func() {
		n++
		b := e.NewBatch()
		require.NoError(t, b.Set([]byte("k"), value))
		require.NoError(t, b.Set(fmt.Appendf(nil, "n%d", n), nil))
		require.NoError(t, e.Apply(b, mark(n)))
	}
	one()
	require.NoError(t, can.Writable())
	h.FailWrites(syscall.ENOSPC)
	for deadline := time.Now().Add(patience); can.Writable() == nil; {
		one()
		require.True(t, time.Now().Before(deadline) && n < 1_000_000, "it never warns")
	}
	require.ErrorIs(t, can.Writable(), syscall.ENOSPC)
	one()
	one()
	require.Error(t, can.Writable())
	h.FailWrites(nil)
	require.Eventually(t, func() bool {
		_, err := e.Checkpoint()
		return err == nil && can.Writable() == nil
	}, patience, time.Millisecond)
	h.Crash(t, e)
	e = h.Open(t)
	require.Equal(t, mark(n), e.Durable())
	require.Len(t, contents(t, e), int(n)+1)
	require.NoError(t, e.Close())
}

// Any operation on files may fail, a sync as well: Checkpoint returns the error, or Fatal is called, and never is something called
// durable that is not. If the engine goes on, it comes to an end of its checkpoint later.
func testFailAt(t *testing.T, newHarness factory) {
	alone(t, func() {
		errors, fatals := 0, 0
		for n := 0; ; n++ {
			h := newHarness(t).(Fails)
			e := h.Open(t)
			states := map[engine.Mark]model{{}: {}, mark(1): {"a": "1"}}
			apply(t, e, 1, "a=1")
			_, err := e.Checkpoint()
			require.NoError(t, err)
			states[mark(2)] = model{"a": "1", "b": "2"}
			apply(t, e, 2, "b=2")
			failed := h.FailAt(n, syscall.EIO)
			m, err, fatal := tryCheckpoint(h, e)
			last := !failed()
			low := mark(1)
			switch {
			case fatal:
				fatals++
			case err != nil:
				errors++
				require.ErrorIs(t, err, syscall.EIO, "operation %d", n)
			default:
				require.Equal(t, mark(2), m)
				low = m
			}
			if !fatal {
				states[mark(3)] = model{"a": "1", "b": "2", "c": "3"}
				apply(t, e, 3, "c=3")
				require.Equal(t, states[mark(3)], read(t, e), "operation %d", n)
				for deadline := time.Now().Add(patience); ; {
					m, err, fatal := tryCheckpoint(h, e)
					if fatal {
						break
					}
					if err == nil {
						low = m
						break
					}
					require.True(t, time.Now().Before(deadline), "operation %d: %v", n, err)
				}
			}
			h.Abandon()
			e = h.Open(t)
			d := e.Durable()
			require.False(t, d.Position.Before(low.Position), "operation %d: %s is durable, and was at %s", n, d.Position, low.Position)
			require.Contains(t, states, d)
			require.True(t, maps.Equal(states[d], read(t, e)), "operation %d, at %s", n, d.Position)
			require.NoError(t, e.Close())
			if last {
				require.Positive(t, errors+fatals, "no failure was ever noticed")
				return
			}
		}
	})
}
