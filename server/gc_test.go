package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGCPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 800, 8 << 20: 800, 16 << 20: 400, 32 << 20: 200, 64 << 20: 100, 1 << 30: 100} {
		require.Equal(t, want, gcPercent(live), live)
	}
}
