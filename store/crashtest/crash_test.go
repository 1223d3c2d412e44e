package crashtest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// envInt reads a number from the environment.
func envInt(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// keepDir is where a seed's broken file system goes: a directory of its own below KEEP.
func keepDir(seed uint64) string {
	keep := os.Getenv("KEEP")
	if keep == "" {
		return ""
	}
	return filepath.Join(keep, strconv.FormatUint(seed, 10))
}

// TestFree runs the laboratory with goroutines that run freely, every second time with several engines, over SEEDS seeds (30 by default),
// beginning with SEED. A failure names its seed; run it again with SEED=x SEEDS=1. With
// KEEP=dir the file system that failed is written to dir.
func TestFree(t *testing.T) {
	first, count := envInt(t, "SEED", 1), envInt(t, "SEEDS", 30)
	next := atomic.Uint64{}
	var mu sync.Mutex
	var total Stats
	t.Cleanup(func() { t.Logf("%d seeds from %d: %+v", count, first, total) })
	for range runtime.GOMAXPROCS(0) + 1 {
		t.Run("worker", func(t *testing.T) {
			t.Parallel()
			for {
				n := next.Add(1) - 1
				if n >= count || t.Failed() {
					return
				}
				seed := first + n
				cfg := Config{Seed: seed, KeepDir: keepDir(seed)}
				if seed%2 == 0 {
					cfg.Engines = EngineSets[seed/2%uint64(len(EngineSets))]
				}
				stats, err := RunFree(context.Background(), cfg)
				mu.Lock()
				total.Add(stats)
				mu.Unlock()
				if err != nil {
					t.Errorf("%v\n  again: SEED=%d SEEDS=1 go test -tags gms_pure_go -run TestFree$ ./store/crashtest", err, seed)
				}
			}
		})
	}
}
