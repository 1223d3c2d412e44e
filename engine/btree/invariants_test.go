//go:build invariants

package btree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/internal/invariants"
)

func TestInvariants(t *testing.T) {
	e := newCrashable(Options{}).open(t)
	set(t, e, 1, 10)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	set(t, e, 2, 10)
	s := e.Snapshot()
	it, err := s.NewIter([]byte{1}, nil)
	require.NoError(t, err)
	require.True(t, it.First())
	key, value := it.Key(), it.Value()
	wantKey, wantValue := string(key), string(value)
	require.Equal(t, wantKey, string(it.Key()), "still valid")
	got, ok, release, err := s.Get(key)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, wantValue, string(got))
	release()
	require.NotEqual(t, wantValue, string(got), "a value is not valid after release")
	require.PanicsWithValue(t, invariants.Violation("a value was released twice"), release)
	require.True(t, it.Next())
	require.NotEqual(t, wantKey, string(key), "a key is not valid after the next call")
	require.NotEqual(t, wantValue, string(value))
	require.NoError(t, it.Close())
	require.PanicsWithValue(t, invariants.Violation("an iterator was closed twice"), func() { _ = it.Close() })
	require.NoError(t, s.Close())
	require.PanicsWithValue(t, invariants.Violation("a snapshot was closed twice"), func() { _ = s.Close() })
	require.NoError(t, e.Close())
}
