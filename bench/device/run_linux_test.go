package device

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var raw bytes.Buffer
	o := Options{Dir: t.TempDir(), Duration: 100 * time.Millisecond, Rounds: 2, Sizes: []int{512, 4096}, InFlight: []int{1, 3}, FileSize: 1 << 20, Raw: &raw}
	res, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.Empty(t, leftOver(t, o.Dir))
	require.Len(t, res.Cells, 6*2*2)

	lines := strings.Split(strings.TrimSpace(raw.String()), "\n")
	slices := 0
	for _, c := range res.Cells {
		if c.Unsupported != nil {
			require.Contains(t, []string{"direct", "fallocate"}, c.Method.Name)
			continue
		}
		require.Len(t, c.Slices, 2)
		for _, s := range c.Slices {
			require.Positive(t, s.Writes)
			require.Positive(t, s.PerSecond())
			require.GreaterOrEqual(t, s.Max, s.P50)
			var back Slice
			require.NoError(t, json.Unmarshal([]byte(lines[indexOf(t, lines, &s)]), &back))
			require.Equal(t, s.Writes, back.Writes)
			require.Equal(t, s.Traffic, back.Traffic)
			slices++
		}
		require.EqualValues(t, c.Slices[0].Writes+c.Slices[1].Writes, c.Latencies.Count())
	}
	require.Len(t, lines, slices)

	var text strings.Builder
	for _, table := range res.Tables() {
		require.NoError(t, table.Text(&text))
	}
	for _, want := range []string{"settled", "4 KiB", "p99", "flushes", res.Machine} {
		require.Contains(t, text.String(), want)
	}
	f := res.Figure()
	require.Len(t, f.Panels, 2)
	require.Len(t, f.Panels[0].Series, 6)
	require.NoError(t, f.SVG(&text))
}

// indexOf finds the line of a slice.
func indexOf(t *testing.T, lines []string, s *Slice) int {
	for i, line := range lines {
		var back Slice
		require.NoError(t, json.Unmarshal([]byte(line), &back))
		if back.Method == s.Method && back.Size == s.Size && back.InFlight == s.InFlight && back.Round == s.Round {
			return i
		}
	}
	t.Fatalf("no line of %+v", s)
	return 0
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Dir: t.TempDir(), Duration: time.Hour, Rounds: 2, FileSize: 1 << 20, Raw: interrupt(cancel)}
	o.Sizes, o.InFlight = []int{512, 1024}, []int{1}
	o.Methods = []string{"append", "settled"} // the first turn ends when its file is full, the second never would
	res, err := Run(ctx, o)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, leftOver(t, o.Dir))
	require.NotEmpty(t, res.Cells[0].Slices)
	for _, table := range res.Tables() {
		require.NoError(t, table.Text(&strings.Builder{}))
	}
	f := res.Figure()
	require.NoError(t, f.SVG(&strings.Builder{}))
}

// interrupt cancels when the first result is written.
type interrupt func()

func (f interrupt) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestRunFails(t *testing.T) {
	_, err := Run(context.Background(), Options{Dir: t.TempDir() + "/none"})
	require.ErrorContains(t, err, "none")
	_, err = Run(context.Background(), Options{Dir: t.TempDir(), Methods: []string{"tape"}})
	require.ErrorContains(t, err, "tape")
}

func TestMeter(t *testing.T) {
	m := NewMeter(t.TempDir())
	before := m.Read()
	require.True(t, before.ProcessBytes.Known)
	require.Equal(t, m.Why == "", before.DeviceBytes.Known)
	require.True(t, (m.Device == "") == (m.Why != ""))

	none := newMeter(4095, 77)
	require.NotEmpty(t, none.Why)
	require.False(t, none.Read().DeviceBytes.Known)
	require.NotEmpty(t, NewMeter(t.TempDir()+"/none").Why)
}

func TestParseMountInfo(t *testing.T) {
	const text = "21 20 0:5 / /proc rw,relatime shared:1 - proc proc rw\n" +
		"25 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
	for _, c := range []struct {
		major, minor uint32
		fs, source   string
	}{
		{254, 0, "ext4", "/dev/vda"},
		{0, 5, "proc", "proc"},
		{8, 1, "", ""},
	} {
		fs, source, ok := parseMountInfo(text, c.major, c.minor)
		require.Equal(t, c.fs != "", ok)
		require.Equal(t, c.fs, fs)
		require.Equal(t, c.source, source)
	}
}

func TestParseDevice(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{{"254:16\n", true}, {"254", false}, {"a:b", false}, {"", false}} {
		major, minor, ok := parseDevice(c.text)
		require.Equal(t, c.ok, ok)
		if ok {
			require.Equal(t, [2]uint32{254, 16}, [2]uint32{major, minor})
		}
	}
}
