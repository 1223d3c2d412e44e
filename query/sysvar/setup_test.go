package sysvar

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetUpWhileAsked: values may be asked for while hooks and computed values are still being set up (with the race detector, or by the runtime).
func TestSetUpWhileAsked(t *testing.T) {
	g := NewGlobals()
	d := mustLookup("gtid_slave_pos")
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 1000 {
			_ = g.Value(d)
		}
	})
	for range 1000 {
		g.Computed("gtid_slave_pos", func() any { return "0-1-1" })
		g.OnSet("gtid_slave_pos", nil)
	}
	wg.Wait()
	require.Equal(t, "0-1-1", g.Value(d))
}
