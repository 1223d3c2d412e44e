package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	table := Table{Title: "Title", Columns: []string{"name", "n"}, Left: 1, Notes: []string{"a note"}}
	table.Add("é", "1")
	table.Add("longer|", "12,345")
	table.Add("short")
	var text, md strings.Builder
	require.NoError(t, table.Text(&text))
	require.Equal(t, "Title\n"+
		"name          n\n"+
		"-------  ------\n"+
		"é             1\n"+
		"longer|  12,345\n"+
		"short\n"+
		"a note\n", text.String())
	require.NoError(t, table.Markdown(&md))
	require.Equal(t, "**Title**\n\n| name | n |\n|---|--:|\n| é | 1 |\n| longer\\| | 12,345 |\n| short |  |\n\na note\n", md.String())
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{Count(0), "0"}, {Count(7), "7"}, {Count(1234567), "1,234,567"}, {Count(-1234), "-1,234"}, {Count(-123), "-123"},
		{Count(0.913), "0.91"}, {Count(12.345), "12.3"}, {Count(999.6), "1,000"}, {Count(0.01234), "0.0123"}, {Count(math.NaN()), "-"},
		{Short(0), "0"}, {Short(0.2), "0.2"}, {Short(5000), "5000"}, {Short(20000), "20k"}, {Short(1e6), "1M"}, {Short(2.5e9), "2.5G"},
		{Bytes(512), "512 B"}, {Bytes(4096), "4 KiB"}, {Bytes(1536), "1.5 KiB"}, {Bytes(8 << 30), "8 GiB"},
		{Duration(999), "999ns"}, {Duration(87200), "87.2µs"}, {Duration(1240 * time.Microsecond), "1.24ms"}, {Duration(150 * time.Millisecond), "150ms"}, {Duration(3 * time.Second), "3.00s"},
	} {
		require.Equal(t, c.want, c.got)
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		name      string
		values    []float64
		log       bool
		low, high float64
		ticks     []float64
	}{
		{"linear", []float64{3, 47}, false, 0, 50, []float64{0, 10, 20, 30, 40, 50}},
		{"linear at a mark", []float64{100}, false, 0, 100, []float64{0, 20, 40, 60, 80, 100}},
		{"nothing", nil, false, 0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{"not a number", []float64{math.NaN(), 5}, false, 0, 5, []float64{0, 1, 2, 3, 4, 5}},
		{"log", []float64{3, 47}, true, 2, 50, []float64{2, 5, 10, 20, 50}},
		{"log at marks", []float64{1, 10}, true, 1, 10, []float64{1, 2, 5, 10}},
		{"log, one value", []float64{10}, true, 10, 20, []float64{10, 20}},
		{"log, zero left out", []float64{0, 20, 40}, true, 20, 50, []float64{20, 50}},
		{"log, decades", []float64{1, 1e6}, true, 1, 1e6, []float64{1, 10, 100, 1000, 1e4, 1e5, 1e6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAxis(c.values, c.log)
			require.InDelta(t, c.low, a.low, 1e-9)
			require.InDelta(t, c.high, a.high, 1e-9*c.high)
			require.InDeltaSlice(t, c.ticks, a.ticks, 1e-3)
			require.InDelta(t, 0, a.at(a.low), 1e-9)
			require.InDelta(t, 1, a.at(a.high), 1e-9)
			for _, v := range c.values {
				if !math.IsNaN(v) {
					require.True(t, a.at(v) >= 0 && a.at(v) <= 1)
				}
			}
		})
	}
}

func TestSVG(t *testing.T) {
	two := Panel{Title: "a < b & c", X: "size", Places: []string{"1", "2"}, Y: "writes/s", Series: []Series{
		{Name: "one", Points: []Point{{Place: 0, Value: 10, Low: 8, High: 12}, {Place: 1, Value: math.NaN()}}},
		{Name: `"two"`, Points: []Point{{Place: 1, Value: 20, Annotation: "<20>"}}},
		{Name: "three"},
	}}
	many := Panel{LogY: true, Places: []string{"x"}}
	for i := range 12 {
		many.Series = append(many.Series, Series{Name: strings.Repeat("x", i+1), Points: []Point{{Value: math.Pow(10, float64(i))}}})
	}
	for _, c := range []struct {
		name   string
		figure Figure
		texts  []string
	}{
		{"empty", Figure{}, nil},
		{"one panel", Figure{Title: "T&T", Subtitle: "<sub>", Panels: []Panel{two}, Notes: []string{"note"}},
			[]string{"T&T", "<sub>", "a < b & c", "size", "writes/s", "one", `"two"`, "three", "<20>", "note"}},
		{"many", Figure{Panels: []Panel{two, many, two}, PerRow: 2}, []string{"xxxxxxxxxxxx"}},
		{"no values", Figure{Panels: []Panel{{LogY: true}, {}}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, c.figure.SVG(&b))
			texts := wellFormed(t, b.String())
			for _, want := range c.texts {
				require.Contains(t, texts, want)
			}
			require.NotContains(t, b.String(), "NaN")
			require.Equal(t, 1, strings.Count(b.String(), "http"), "nothing but the name space refers elsewhere")
		})
	}
}

// wellFormed parses XML and returns all texts in it.
func wellFormed(t *testing.T, s string) []string {
	var texts []string
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		if c, ok := token.(xml.CharData); ok {
			texts = append(texts, string(c))
		}
	}
}
