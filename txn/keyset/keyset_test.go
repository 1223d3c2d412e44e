package keyset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A Filter has what was added, and little else.
func TestFilter(t *testing.T) {
	var f Filter
	const n = 200_000
	hash := func(i int) uint64 { x := uint64(i) * 0x9e3779b97f4a7c15; return x ^ x>>29 }
	for i := range n {
		f.Add(hash(i))
	}
	wrong := 0
	for i := range n {
		require.True(t, f.Has(hash(i)))
		if f.Has(hash(n + i)) {
			wrong++
		}
	}
	require.Less(t, wrong, n/500)
	bytes := 0
	for _, p := range f.parts {
		bytes += 64 * len(p.lines)
	}
	require.Less(t, bytes, n*6)
	t.Logf("%d hashes in %d bytes, %d of %d others are claimed", f.count, bytes, wrong, n)
}

// A Set has exactly what was added.
func TestSet(t *testing.T) {
	var s Set
	const n = 300_000
	hash := func(i int) uint64 { x := uint64(i) * 0x9e3779b97f4a7c15; return x ^ x>>29 }
	for i := range n {
		s.Add(hash(i))
		s.Add(hash(i / 2))
	}
	require.Equal(t, n, s.Len())
	for i := range n {
		require.True(t, s.Has(hash(i)))
		require.False(t, s.Has(hash(n+i)))
	}
	for _, r := range s.runs {
		require.LessOrEqual(t, len(r), hashRunMax)
	}
}
