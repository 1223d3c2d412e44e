package logbench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/device"
)

// tiny options run every contender for a moment.
func tiny(t *testing.T) Options {
	return Options{Dir: t.TempDir(), Duration: 100 * time.Millisecond, Rounds: 2, Committers: []int{1, 5}, Contenders: Contenders(), segmentForTesting: 4 << 20}
}

func TestRun(t *testing.T) {
	o := tiny(t)
	var raw, profile bytes.Buffer
	o.Raw, o.CPUProfile = &raw, &profile
	res, err := Run(context.Background(), o)
	require.NoError(t, err)
	requireEmpty(t, o.Dir)
	require.NotZero(t, profile.Len())
	require.Len(t, res.Cells, 2*6)
	for _, c := range res.Cells {
		require.Len(t, c.Slices, 2)
		for _, s := range c.Slices {
			require.Positive(t, s.Commits, "%+v", s)
			require.Positive(t, s.Groups)
			require.LessOrEqual(t, s.Groups, s.Commits)
			require.GreaterOrEqual(t, s.EventBytes, s.Commits*int64(transactionBytes()-100))
			require.Equal(t, c.Contender, s.Contender)
		}
	}
	lines := strings.Split(strings.TrimSpace(raw.String()), "\n")
	require.Len(t, lines, 2*2*6)
	var s Slice
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &s))
	require.Equal(t, res.Cells[0].Slices[0].Commits, s.Commits)

	var out strings.Builder
	for _, table := range res.Tables() {
		require.NoError(t, table.Text(&out))
	}
	for _, want := range []string{"lsm / raw", "log / bare", "lsm / lsm-append", "p99", res.Machine} {
		require.Contains(t, out.String(), want)
	}
	f := res.Figure()
	require.NoError(t, f.SVG(&out))
}

func TestInterrupted(t *testing.T) {
	o := tiny(t)
	ctx, cancel := context.WithCancel(context.Background())
	o.Rounds, o.Duration, o.Raw = 1000, time.Second, interrupt(cancel)
	res, err := Run(ctx, o)
	require.ErrorIs(t, err, context.Canceled)
	requireEmpty(t, o.Dir)
	require.Len(t, res.Cells[0].Slices, 1)
	var out strings.Builder
	for _, table := range res.Tables() {
		require.NoError(t, table.Text(&out))
	}
	f := res.Figure()
	require.NoError(t, f.SVG(&out))
}

// interrupt cancels when the first result is written.
type interrupt func()

func (f interrupt) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestRunFails(t *testing.T) {
	o := tiny(t)
	o.Dir = filepath.Join(o.Dir, "none")
	_, err := Run(context.Background(), o)
	require.ErrorContains(t, err, "none")
}

// TestDirectRing reads back what was written in parts of blocks.
func TestDirectRing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ring")
	direct, err := openRaw(path, 1<<20, device.Direct, device.BlockBytes)
	if err != nil {
		t.Skipf("no O_DIRECT in %s: %v", path, err)
	}
	r := direct.ring
	var want []byte
	for i, n := range []int{1, 4095, 100, 9000, 4096, 4096, 3, 20000, 5} {
		b := bytes.Repeat([]byte{byte(i + 1)}, n)
		require.NoError(t, r.write(b))
		want = append(want, b...)
	}
	require.NoError(t, r.close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, got[:len(want)])
	require.Zero(t, bytes.Trim(got[len(want):], "\x00"))
}

func requireEmpty(t *testing.T, dir string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}
