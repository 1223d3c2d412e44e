package exec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplits counts the ways to put joins together: of n tables joined each with each other they are (3^n - 2^(n+1) + 1) / 2.
func TestSplits(t *testing.T) {
	clique := func(n int) []uint {
		next := make([]uint, n)
		for i := range next {
			next[i] = (1<<n - 1) &^ (1 << i)
		}
		return next
	}
	chain := []uint{0b00010, 0b00101, 0b01010, 0b10100, 0b01000}
	star := []uint{0b11110, 1, 1, 1, 1}
	for _, test := range []struct {
		name string
		next []uint
		want int
	}{
		{"one table", clique(1), 0}, {"two tables", clique(2), 1}, {"each with each", clique(6), (729 - 128 + 1) / 2},
		{"chain", chain, 20}, {"star", star, 32}, {"not connected", []uint{0b10, 0b01, 0b1000, 0b0100}, 2},
	} {
		require.Equal(t, test.want, splits(test.next, 1<<20), test.name)
	}
	require.Equal(t, 101, splits(clique(15), 100), "counted no further")
}
