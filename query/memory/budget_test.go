package memory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

func TestServerMemory(t *testing.T) {
	heap := int64(0)
	m := NewServer(10 << 20)
	m.heapUsed = func() int64 { return heap }
	a, b := &Session{Server: m}, &Session{Server: m}
	a.Begin(math.MaxInt64)
	b.Begin(math.MaxInt64)
	require.NoError(t, a.Hold(3<<20))
	require.ErrorIs(t, b.Hold(2<<20), mysqlerr.New(mysqlerr.OutOfResources), "half of 10 MB is for all sessions")
	require.ErrorIs(t, b.Failed(), mysqlerr.New(mysqlerr.OutOfResources), "who could not return it asks")
	b.End(0)
	require.NoError(t, b.Failed())
	require.NoError(t, b.Hold(1<<20), "what was refused is not counted")
	a.End(0)
	require.NoError(t, b.Hold(3<<20), "what ended is given back")
	b.Close()
	a.Close()
	require.Zero(t, m.held.Load())

	heap = 9 << 20
	require.Error(t, a.Value(largeValueBytes), "the heap is full, whoever filled it")
	require.NoError(t, a.Value(largeValueBytes-1), "a small value is not worth looking")
	heap = 1 << 20
	require.NoError(t, a.Value(largeValueBytes))
	require.NoError(t, NewServer(0).admit(math.MaxInt64/2), "no limit")
}

// What a session returns is the next one's at once, even if it was refused and the session runs nothing more.
func TestReturnedMemoryIsTheServers(t *testing.T) {
	m := NewServer(0)
	m.limit = 4 << 20
	a, b := &Session{Server: m}, &Session{Server: m}
	a.Begin(math.MaxInt64)
	b.Begin(math.MaxInt64)
	require.NoError(t, a.Hold(3<<20))
	require.Error(t, a.Hold(2<<20))
	require.Error(t, b.Hold(2<<20), "a has the memory")
	b.Return(2 << 20)
	a.Return(5 << 20)
	require.LessOrEqual(t, m.held.Load(), int64(memoryGrant))
	require.NoError(t, b.Hold(2<<20))
}

func TestSessionMemory(t *testing.T) {
	s := &Session{Server: NewServer(0)}
	mark := s.Begin(10_000)
	require.NoError(t, s.Hold(6000))
	require.NoError(t, s.Keep(3000))
	err := s.Hold(2000)
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.OptionPreventsStatement))
	require.Contains(t, err.Error(), "--max-session-mem-used=10000 option")
	s.End(mark)
	require.Error(t, s.Keep(8000), "3000 are kept")
	require.Error(t, s.Value(8000))
	require.NoError(t, s.Keep(-3000))
	require.NoError(t, s.Keep(8000))
	s.Begin(20_000)
	require.NoError(t, s.Hold(11_000), "the limit was raised")
	s.Begin(5000)
	require.Error(t, s.Hold(1), "and lowered")
}

func TestTryKeep(t *testing.T) {
	s := &Session{Server: NewServer(0)}
	s.Begin(10_000)
	require.True(t, s.TryKeep(6000))
	require.False(t, s.TryKeep(6000))
	require.NoError(t, s.Failed(), "nothing has failed")
	require.NoError(t, s.Hold(4000))
	require.False(t, s.TryKeep(1))
}

// The counters of a keyed statement allocate nothing.
func TestCountingAllocatesNothing(t *testing.T) {
	m := &Session{Server: NewServer(1 << 40)}
	m.Begin(math.MaxInt64)
	require.NoError(t, m.Hold(1))
	require.Zero(t, testing.AllocsPerRun(100, func() { m.End(m.Begin(math.MaxInt64)) }))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = m.Hold(100)
		m.Release(100)
	}))
}
