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

	"github.com/duramendb/duramen/internal/sabotage"
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

// seedsDefault is how many seeds a run takes unless SEEDS says otherwise.
func seedsDefault() uint64 {
	if os.Getenv("DURAMEN_TEST_SCALE") == "full" {
		return 1000
	}
	return 50
}

// TestCrash runs the laboratory over SEEDS seeds (50 by default, 1000 with
// DURAMEN_TEST_SCALE=full), beginning with SEED. A failure names its seed; run it again with SEED=x SEEDS=1. With
// KEEP=dir the file system that failed is written to dir.
func TestCrash(t *testing.T) {
	first, count := envInt(t, "SEED", 1), envInt(t, "SEEDS", seedsDefault())
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
				cfg := Config{Seed: first + n, Relaxed: true}
				if keep := os.Getenv("KEEP"); keep != "" {
					cfg.KeepDir = filepath.Join(keep, strconv.FormatUint(cfg.Seed, 10))
				}
				stats, err := Run(context.Background(), cfg)
				mu.Lock()
				total.Add(stats)
				mu.Unlock()
				if err != nil {
					t.Errorf("%v\n  again: SEED=%d SEEDS=1 go test -tags gms_pure_go -run TestCrash$ ./store/crashtest", err, cfg.Seed)
				}
			}
		})
	}
}

// TestSabotageIsCaught proves that the laboratory would notice a missing sync,
// an engine ahead of the log, and a mark that does not travel with its rows.
func TestSabotageIsCaught(t *testing.T) {
	for _, kind := range []sabotage.Kind{sabotage.SkipSync, sabotage.ApplyBeforeSync, sabotage.MarkApart} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			const seedsMax = 500
			for seed := range uint64(seedsMax) {
				if _, err := Run(context.Background(), Config{Seed: seed, Sabotage: kind}); err != nil {
					t.Logf("caught by seed %d: %.300v", seed, err)
					return
				}
			}
			t.Errorf("%d seeds did not notice", seedsMax)
		})
	}
}
