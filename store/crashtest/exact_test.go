package crashtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/internal/steadymutex/overlay"
)

// The exact laboratory needs a process of its own for each processor: one goroutine at a time,
// no garbage collection in between, and one bubble for all of it, because what sync.Pools keep may not go
// from one bubble to another. TestExact starts such processes of the test binary, and they
// write what they did to their standard output, a line of JSON for each seed.

// workerEnv names the environment variable that makes a process a worker: "first,count,mode".
const workerEnv = "DURAMEN_CRASHTEST_WORKER"

const (
	modeExact     = "exact"
	modeHistories = "histories"
	modeEngines   = "engines"
)

// chunk is how many seeds a process runs at most. Seeds of a process begin an hour apart, by the bubble's clock,
// at the same time whoever runs before them.
const chunk = 500

// report is what a worker says of a seed.
type report struct {
	Seed   uint64
	Result ExactResult
	Error  string
}

// TestExactWorker is not a test of its own; see TestExact.
func TestExactWorker(t *testing.T) {
	var first, count uint64
	var mode string
	if _, err := fmt.Sscanf(os.Getenv(workerEnv), "%d,%d,%s", &first, &count, &mode); err != nil {
		t.Skip("this is a part of TestExact")
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	var trace io.Writer
	if name := os.Getenv("TRACE"); name != "" {
		f, err := os.Create(name)
		require.NoError(t, err)
		w := bufio.NewWriter(f)
		defer func() { require.NoError(t, errors.Join(w.Flush(), f.Close())) }()
		trace = w
	}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		out := json.NewEncoder(os.Stdout)
		for seed := first; seed < first+count; seed++ {
			r := report{Seed: seed}
			var err error
			cfg := ExactConfig{
				Config: Config{Seed: seed, KeepDir: keepDir(seed)},
				Begin:  begun.Add(time.Duration(seed%chunk) * time.Hour), Trace: trace,
			}
			if mode == modeEngines {
				cfg.Engines = EngineSets[seed%uint64(len(EngineSets))]
			}
			cfg.useProtocol(mode)
			if mode == modeHistories {
				r.Result.Stats, err = CompareHistories(context.Background(), cfg, 5)
			} else {
				r.Result, err = RunExact(context.Background(), cfg)
			}
			if err != nil {
				r.Error = err.Error()
			}
			require.NoError(t, out.Encode(r))
			collectGarbage()
		}
	})
}

// collectGarbage does so between two seeds, when there is much.
func collectGarbage() {
	const heapMax = 256 << 20
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Uint64() > heapMax {
		runtime.GC()
	}
}

// runWorker runs seeds of one chunk in a process of their own, and hands over what it reports.
func runWorker(ctx context.Context, t *testing.T, binary, mode string, first, count uint64, each func(report)) error {
	cmd := exec.CommandContext(ctx, binary, "-test.run=^TestExactWorker$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d,%d,%s", workerEnv, first, count, mode))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var other bytes.Buffer
	seen := uint64(0)
	const seedMax = 2 * time.Minute // bounds a hang; a seed takes milliseconds
	watchdog := time.AfterFunc(seedMax, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	defer watchdog.Stop()
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 16<<20) // an error may hold the stacks of all goroutines
	for lines.Scan() {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Seed == 0 {
			fmt.Fprintf(&other, "%s\n", lines.Bytes())
			continue
		}
		seen++
		watchdog.Reset(seedMax)
		each(r)
	}
	err = cmd.Wait()
	if err == nil && seen < count {
		err = errors.New("early, without an error")
	}
	if err != nil {
		return fmt.Errorf("seed %d: the worker ended: %w\n%s%s", first+seen, err, other.String(), stderr.String())
	}
	return nil
}

// TestExact runs the exact laboratory over SEEDS seeds (100 by default), beginning with SEED, in
// PARALLEL processes (as many as there are processors). A failure names its seed, which fails again: with
// KEEP=dir the file system that failed is written to dir, and TRACE=file gets all operations of the file system
// and steps of the clients. FAILFAST=1 ends the run with the first failure.
func TestExact(t *testing.T) { runSeeds(t, modeExact, 100) }

// TestEngines is TestExact over stores with several engines; with the same variables.
func TestEngines(t *testing.T) {
	total := runSeeds(t, modeEngines, 60)
	if t.Failed() || total.Crashes < 400 {
		return // too few to ask what they have met
	}
	for _, what := range statesOfEngines() {
		require.Positive(t, total.Seen[what], "no seed has met: %s; %v", what, total.Seen)
	}
}

// statesOfEngines are what some seed has to meet.
func statesOfEngines() []string {
	states := []string{"engines that came into the directory later", "rows gone with a restart", "transfer", "ALTER TABLE ... ENGINE", "sum, snapshot", "sum, READ COMMITTED", "sum, locking"}
	for _, names := range EngineSets {
		for i, a := range names {
			for j, b := range names {
				if a == "MEMORY" || b == "MEMORY" {
					continue // it has no mark when a start finds it
				}
				if i < j {
					states = append(states, a+" level with "+b)
				}
				if i != j {
					states = append(states, a+" ahead of "+b)
				}
			}
		}
	}
	return states
}

// TestHistories compares what histories leave in stores that are set up in different ways; with the same variables.
func TestHistories(t *testing.T) { runSeeds(t, modeHistories, 50) }

func runSeeds(t *testing.T, mode string, otherwise uint64) Stats {
	if os.Getenv(workerEnv) != "" {
		t.Skip("this process is a worker")
	}
	first, count := envInt(t, "SEED", 1), envInt(t, "SEEDS", otherwise)
	parallel := int(envInt(t, "PARALLEL", uint64(runtime.NumCPU())))
	started := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var total Stats
	var seeds, failed uint64
	shown := started
	progress := func(end string) {
		elapsed := time.Since(started)
		fmt.Fprintf(os.Stderr, "%d of %d seeds, %d crashes (%d while opening, %d while closing), %d commits, %d failures, %s, %.0f crashes/s%s",
			seeds, count, total.Crashes, total.Opening, total.Closing, total.Committed, failed, elapsed.Round(time.Second), float64(total.Crashes)/elapsed.Seconds(), end)
	}
	each := func(r report) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		seeds++
		total.Add(r.Result.Stats)
		if r.Error != "" {
			failed++
			t.Errorf("%s\n  again: make crash SEED=%d SEEDS=1 KEEP=dir LABTEST=%s", r.Error, r.Seed, t.Name())
			if os.Getenv("FAILFAST") != "" {
				cancel()
			}
		}
		if testing.Verbose() && time.Since(shown) > 10*time.Second {
			shown = time.Now()
			progress("\n")
		}
	}
	// A process stays within a chunk, so that a seed begins at the same time in every run.
	type part struct{ first, count uint64 }
	parts := make(chan part)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for p := range parts {
				for p.count > 0 && ctx.Err() == nil {
					err := runWorker(ctx, t, os.Args[0], mode, p.first, p.count, func(r report) {
						p.first, p.count = p.first+1, p.count-1
						each(r)
					})
					if err != nil { // the process ended; the other seeds get another one
						each(report{Seed: p.first, Error: err.Error()})
						p.first, p.count = p.first+1, p.count-1
					}
				}
			}
		})
	}
	for at := first; at < first+count; {
		n := min(first+count-at, chunk-at%chunk, max(1, count/uint64(parallel)))
		parts <- part{at, n}
		at += n
	}
	close(parts)
	wg.Wait()
	if testing.Verbose() {
		progress("\n")
		t.Logf("%+v", total)
	}
	return total
}

// steadyBinary compiles these tests as make crash does: without cgo, and with a mutex that does not look at the clock.
func steadyBinary(t *testing.T) string {
	dir := t.TempDir()
	replaced, err := overlay.Write(dir, nil)
	require.NoError(t, err)
	binary := filepath.Join(dir, "steady.test")
	build := exec.Command("go", "test", "-tags=gms_pure_go", "-overlay", replaced, "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// TestExactRepeats runs seeds twice, and alone: the same operations, the same steps, the same
// crashed file systems.
func TestExactRepeats(t *testing.T) {
	if os.Getenv(workerEnv) != "" {
		t.Skip("this process is a worker")
	}
	first, count := envInt(t, "SEED", 1), envInt(t, "SEEDS", 24)
	binary := steadyBinary(t)
	for _, mode := range []string{modeExact, modeEngines} {
		t.Run(mode, func(t *testing.T) {
			runs := [2]map[uint64]ExactResult{{}, {}}
			for i := range runs {
				require.NoError(t, runWorker(t.Context(), t, binary, mode, first, count, func(r report) { runs[i][r.Seed] = r.Result }))
			}
			require.Len(t, runs[0], int(count))
			for seed, r := range runs[0] {
				require.NotZero(t, r.Trace, "seed %d", seed)
				require.Equal(t, r, runs[1][seed], "seed %d", seed)
			}
			for _, seed := range []uint64{first + count/2, first + count - 1} {
				require.NoError(t, runWorker(t.Context(), t, binary, mode, seed, 1, func(r report) {
					require.Equal(t, runs[0][seed], r.Result, "seed "+strconv.FormatUint(seed, 10)+" alone")
				}))
			}
		})
	}
}
