package chart

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		name  string
		bars  Bars
		texts []string
	}{
		{"empty", Bars{}, nil},
		{"two series", Bars{
			Title: "T&T", Subtitle: "<sub>", X: "per second", Groups: []string{"g<1>", "g2"}, Mark: 1, Notes: []string{"note"},
			Series: []BarSeries{
				{Name: "one", Points: []Point{{Place: 0, Value: 10, Low: 8, High: 12, Annotation: "10!"}, {Place: 1, Value: 3}}},
				{Name: "two", Points: []Point{{Place: 1, Value: 20, Annotation: "<20>"}}},
				{Name: "none"},
			},
		}, []string{"T&T", "<sub>", "g<1>", "g2", "per second", "one", "two", "none", "10!", "<20>", "note"}},
		{"not a number", Bars{Groups: []string{"g"}, Series: []BarSeries{{Points: []Point{{Value: math.NaN(), High: math.Inf(1)}}}}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, c.bars.SVG(&b))
			texts := wellFormed(t, b.String())
			for _, want := range c.texts {
				require.Contains(t, texts, want)
			}
			require.NotContains(t, b.String(), "NaN")
			require.NotContains(t, b.String(), `width="-`)
		})
	}
}
