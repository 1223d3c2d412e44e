//go:build unix

package plan

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// world has a program that writes its command lines to calls, and fails where there is a file fail-COMMAND.
type world struct {
	t        *testing.T
	dir      string
	o        Options
	progress bytes.Buffer
}

func newWorld(t *testing.T, steps ...Step) *world {
	w := &world{t: t, dir: t.TempDir()}
	program := filepath.Join(w.dir, "duramen")
	require.NoError(t, os.WriteFile(program, []byte(`#!/bin/sh
dir='`+w.dir+`'
echo "$@" | sed "s|$dir|DIR|g" >>"$dir/calls"
echo "progress of $2" >&2
echo "tables of $2"
[ -e "$dir/wait" ] && { trap 'exit 3' TERM; while :; do sleep 0.02; done; }
[ -e "$dir/fail-$2" ] && { echo "no luck" >&2; exit 1; }
exit 0
`), 0o755))
	now := time.Unix(0, 0)
	w.o = Options{
		Program: program, Out: filepath.Join(w.dir, "out"), Data: filepath.Join(w.dir, "data"), Budget: 100 * time.Second, Progress: &w.progress,
		stepsForTesting: steps,
		nowForTesting:   func() time.Time { now = now.Add(10 * time.Second); return now },
	}
	return w
}

func (w *world) calls() []string {
	text, err := os.ReadFile(filepath.Join(w.dir, "calls"))
	require.NoError(w.t, err)
	require.NoError(w.t, os.Remove(filepath.Join(w.dir, "calls")))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (w *world) file(name ...string) string {
	text, err := os.ReadFile(filepath.Join(append([]string{w.dir, "out"}, name...)...))
	require.NoError(w.t, err)
	return string(text)
}

var (
	suiteStep = Step{Name: "a", Weight: 3, Suite: "quick", Args: []string{"--clients=1"}}
	slowStep  = Step{Name: "a-1ms", Weight: 2, Suite: "quick", Slow: true}
	otherStep = Step{Name: "b", Weight: 5, Command: func(budget time.Duration, out, data string) []string {
		return []string{"other", "--dir=" + data, "--json=" + out, fmt.Sprint(budget)}
	}}
)

func TestRun(t *testing.T) {
	w := newWorld(t, suiteStep, slowStep, otherStep)
	require.NoError(t, Run(t.Context(), w.o))
	require.Equal(t, []string{
		// The clock moves by 10 s whenever it is read: 90 s are left for the first, 70 for the second, 50 for the last.
		"bench run --out=DIR/out/a --data=DIR/data --suite=quick --budget=27s --clients=1",
		"bench report --charts DIR/out/a",
		"bench slowdisk up --latency=1ms --size=8G DIR/data/duramen-bench-slow",
		"bench run --out=DIR/out/a-1ms --data=DIR/data/duramen-bench-slow --suite=quick --budget=20s",
		"bench report --charts DIR/out/a-1ms",
		"bench slowdisk down DIR/data/duramen-bench-slow",
		"bench other --dir=DIR/data --json=DIR/out/b 50s",
	}, w.calls())
	require.Equal(t, "tables of run\n", w.file("a", "report.txt"))
	for _, line := range []string{"progress of run\n", "progress of report\n", "tables of report\n"} { // in any order: they come by two ways
		require.Contains(t, w.file("a", "log.txt"), line)
	}
	require.Contains(t, w.progress.String(), "[2/3] a-1ms: about 20s of 1m10s\nprogress of slowdisk\nprogress of run\n")

	// All of it has ended.
	require.NoError(t, Run(t.Context(), w.o))
	require.NoFileExists(t, filepath.Join(w.dir, "calls"))
	require.Contains(t, w.progress.String(), "b: measured before\n")
}

// What fails does not keep others from being measured, and is tried again.
func TestFailure(t *testing.T) {
	w := newWorld(t, suiteStep, slowStep, otherStep)
	fail := filepath.Join(w.dir, "fail-run")
	require.NoError(t, os.WriteFile(fail, nil, 0o644))
	err := Run(t.Context(), w.o)
	require.ErrorIs(t, err, ErrFailed)
	require.ErrorContains(t, err, "2 of 3 benchmarks failed: a: bench run: exit status 1: no luck")
	require.Len(t, w.calls(), 5, "the slow disk is taken down, and b was measured")
	s, err := readState(w.o.Out)
	require.NoError(t, err)
	require.NotEmpty(t, s["a"].Failed)
	require.Empty(t, s["b"].Failed)

	require.NoError(t, os.Remove(fail))
	// The run has begun: it goes on as it is. A slow disk was left behind.
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "out", "a", "run.json"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(w.dir, "data", "duramen-bench-slow.slowdisk"), 0o755))
	require.NoError(t, Run(t.Context(), w.o))
	calls := w.calls()
	require.Equal(t, "bench run --out=DIR/out/a --data=DIR/data", calls[0])
	require.Equal(t, []string{"bench slowdisk down DIR/data/duramen-bench-slow", "bench slowdisk up --latency=1ms --size=8G DIR/data/duramen-bench-slow"}, calls[2:4])
	require.Equal(t, "tables of run\n", w.file("a", "report.txt"), "not those of the first attempt")
}

func TestNames(t *testing.T) {
	w := newWorld(t, suiteStep, otherStep)
	w.o.Names = []string{"b"}
	require.NoError(t, Run(t.Context(), w.o))
	require.Equal(t, []string{"bench other --dir=DIR/data --json=DIR/out/b 1m30s"}, w.calls(), "all of the time is its own")
	w.o.Names = []string{"c"}
	require.ErrorContains(t, Run(t.Context(), w.o), `no benchmark "c"; there are a, b`)
}

// The command ends its servers; it is asked to, and the step has not ended.
func TestInterrupted(t *testing.T) {
	w := newWorld(t, otherStep)
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "wait"), nil, 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.o.Progress = writer(func(b []byte) {
		if strings.Contains(string(b), "progress of other") {
			cancel()
		}
	})
	require.ErrorIs(t, Run(ctx, w.o), context.Canceled)
	s, err := readState(w.o.Out)
	require.NoError(t, err)
	require.Empty(t, s)
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

func TestSteps(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Steps {
		require.False(t, names[s.Name])
		names[s.Name] = true
		require.Positive(t, s.Weight)
		require.NotEqual(t, s.Suite == "", s.Command == nil, s.Name)
	}
	require.Contains(t, checkpointStep(4*time.Minute, "o", "d"), "--time=6s")
	require.Contains(t, checkpointStep(0, "o", "d"), "--time=2s")
	require.Contains(t, engineStep(6*time.Minute, "o", "d"), "--rows=100000,1000000,10000000")
	require.Contains(t, engineStep(2*time.Minute, "o", "d"), "--rows=100000,1000000")
	require.Contains(t, positionStep(8*time.Minute, "o", "d"), "--transactions=2400")
	require.Contains(t, positionStep(0, "o", "d"), "--transactions=200")
}
