package enginebench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kinds are the LSM engine, one whose files are in memory, and one without files.
func kinds() []engine.Kind {
	return []engine.Kind{lsm.Kind{}, &enginetest.MemoryKind{EngineName: "M", Disk: &enginetest.Disk{}}, memory.Kind{}}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(o *Options)
		want   string // part of the error
	}{
		{"defaults", func(*Options) {}, ""},
		{"no engines", func(o *Options) { o.Kinds = nil }, "no engines"},
		{"twice", func(o *Options) { o.Kinds = append(o.Kinds, lsm.Kind{}) }, "twice"},
		{"no rows", func(o *Options) { o.Rows = []int{0} }, "rows"},
		{"short keys", func(o *Options) { o.KeyBytes = 8 }, "16"},
		{"long rows", func(o *Options) { o.RowBytes = 1 << 30 }, "1048576"},
		{"negative", func(o *Options) { o.Duration = -1 }, "positive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Kinds: kinds()}
			c.change(&o)
			o.EnsureDefaults()
			err := o.Validate()
			if c.want == "" {
				require.NoError(t, err)
				require.Equal(t, time.Minute/(5*2*3*timed), o.spell())
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// Every figure of every engine is there, in each round, and they fit together.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var raw bytes.Buffer
	o := Options{Kinds: kinds()[:1], Dir: dir, Duration: time.Millisecond, Rounds: 3, Rows: []int{300, 3000}, KeyBytes: 20, RowBytes: 200, Raw: &raw}
	res, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.Len(t, res.Slices, 6)
	lines := strings.Split(strings.TrimSpace(raw.String()), "\n")
	require.Len(t, lines, 6)
	for i, s := range res.Slices {
		var decoded Slice
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &decoded))
		decoded.Time = s.Time
		require.Equal(t, s, decoded)
		require.Equal(t, "lsm", s.Engine)
		require.Equal(t, i/2, s.Round)
		require.Equal(t, []int{300, 3000}[i%2], s.Rows)
		for _, f := range figures {
			if v := f.value(&s); v != nil {
				require.GreaterOrEqual(t, *v, 0.0, f.name)
			}
		}
		for _, v := range []float64{s.GetCached, s.GetUncached, s.ScanForwards, s.ScanBackwards, s.ApplyOne, s.ApplyHundred, s.CheckpointSecs, s.LoadSeconds} {
			require.Positive(t, v)
		}
		// The bytes of keys and rows are half of what is stored, or more: digits can be compressed to less than half.
		require.GreaterOrEqual(t, s.DiskBytesPerRow, 220.0/4)
		require.Positive(t, s.WriteAmplification)
		require.InEpsilon(t, float64(s.Rows*220)/s.CheckpointSecs, s.CheckpointRate, 1e-9)
	}
	var out strings.Builder
	for _, table := range res.Tables() {
		require.NoError(t, table.Text(&out))
	}
	for _, f := range figures {
		require.Contains(t, out.String(), f.name)
	}
	require.Contains(t, out.String(), "Keys of 20 bytes, rows of 200.")
	require.Len(t, res.Figure().Panels, 4)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// Engines have their turns one after the other; each has a table of its own for each number of rows.
func TestEnginesInTurns(t *testing.T) {
	res, err := Run(context.Background(), Options{Kinds: kinds(), Dir: t.TempDir(), Duration: time.Millisecond, Rounds: 2, Rows: []int{200}})
	require.NoError(t, err)
	var order []string
	for _, s := range res.Slices {
		order = append(order, s.Engine)
	}
	require.Equal(t, []string{"lsm", "memory-M", "memory", "lsm", "memory-M", "memory"}, order)
	var out strings.Builder
	require.NoError(t, res.Tables()[0].Text(&out))
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "checkpoint") || strings.HasPrefix(line, "disk") {
			require.Equal(t, "-", fields[len(fields)-1], "there are no files: %s", line)
		}
	}
	s := res.of("memory", 200)[1]
	require.Positive(t, s.LoadSeconds)
	require.Greater(t, s.RestingPerRow, 206.0, "all rows are in memory")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	res, err := Run(ctx, Options{Kinds: kinds(), Dir: dir})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, res)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// Rows are digits in groups, and hardly ever the same.
func TestRows(t *testing.T) {
	o := Options{KeyBytes: 16, RowBytes: 30}
	tab := newTable(&o, 1)
	seen := map[string]bool{}
	for range 100 {
		row := string(tab.row())
		require.Regexp(t, `^\d{11}-\d{11}-\d{6}$`, row)
		seen[row] = true
	}
	require.Greater(t, len(seen), 90)
	require.Equal(t, "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07", string(tab.key(7)))
}
