package session

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWarnings(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		most   int // max_error_count
		levels string
		want   string
		errors int
	}{
		"none":                 {most: 64},
		"in their order":       {most: 64, levels: "NWEW", want: "N0 W1 E2 W3", errors: 1},
		"several errors":       {most: 64, levels: "EEW", want: "E0 E1 W2", errors: 2},
		"as many as there may": {most: 3, levels: "NWE", want: "N0 W1 E2", errors: 1},
		"too many":             {most: 2, levels: "NWE", want: "N0 W1"},
		"none is kept":         {most: 0, levels: "NW"},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.connect()
			s.set("max_error_count", c.most)
			for i, level := range c.levels {
				s.Warn(map[rune]string{'N': "Note", 'W': "Warning", 'E': "Error"}[level], uint16(i), fmt.Sprint("message ", i))
			}
			count := len(c.levels) // those that are not kept included
			got := ""
			for i, w := range s.Warnings.All() {
				require.Equal(t, fmt.Sprint("message ", w.Number), w.Message)
				got += fmt.Sprintf("%s%c%d", " "[:min(i, 1)], w.Level[0], w.Number)
			}
			require.Equal(t, c.want, got)
			require.EqualValues(t, count, s.Warnings.Count())
			require.Equal(t, s.Warnings.Count(), s.EndStatus(false).Warnings)
			for variable, want := range map[string]int{"warning_count": int(s.Warnings.Count()), "error_count": c.errors} {
				shown, _ := s.Vars.Get(variable)
				require.EqualValues(t, want, shown, variable)
			}
			s.Warnings.Clear()
			require.Zero(t, s.Warnings.Count())
			require.Empty(t, s.Warnings.All())
			s.Warn("Note", 1, "there is room again")
			require.EqualValues(t, 1, s.Warnings.Count())
		})
	}
}

// TestWarningsAreCopied: what All has given stays as it was.
func TestWarningsAreCopied(t *testing.T) {
	s := newHarness(t).connect()
	s.Warn("Note", 1, "a")
	s.Warn("Note", 2, "b")
	all := s.Warnings.All()
	all[0].Number = 9
	require.EqualValues(t, 1, s.Warnings.All()[0].Number)
	s.Warnings.Keep()
	s.Warn("Note", 3, "c")
	require.Equal(t, []Warning{{"Note", 9, "a"}, {"Note", 2, "b"}}, all)
}

// TestOlderWarnings: of a statement that names no table they stay, until it has one, or are dropped.
func TestOlderWarnings(t *testing.T) {
	s := newHarness(t).connect()
	s.Warn("Note", 1, "a")
	s.Warn("Note", 2, "b")
	require.EqualValues(t, 2, s.EndStatus(false).Warnings)
	s.Warnings.Keep()
	require.Zero(t, s.EndStatus(false).Warnings, "they are not its own")
	require.EqualValues(t, 2, s.Warnings.Count())
	s.Warnings.Keep()
	s.Warnings.More(0)
	require.EqualValues(t, 2, s.Warnings.Count())
	s.Warn("Note", 3, "c")
	s.Warnings.DropOlder()
	require.Equal(t, []Warning{{"Note", 3, "c"}}, s.Warnings.All())
	require.EqualValues(t, 1, s.EndStatus(false).Warnings)
	s.Warnings.Keep()
	s.Warnings.DropOlder()
	require.Empty(t, s.Warnings.All())
	s.Warn("Note", 4, "d")
	require.EqualValues(t, 1, s.EndStatus(false).Warnings)
}

// TestManyWarnings: packets have two bytes for their number.
func TestManyWarnings(t *testing.T) {
	s := newHarness(t).connect()
	s.Warnings.list = make([]Warning, math.MaxUint16+1)
	require.EqualValues(t, math.MaxUint16, s.Warnings.Count())
}

// TestWarningsOfOthers: goroutines of the engine add warnings while the session looks at them; run with -race.
func TestWarningsOfOthers(t *testing.T) {
	s := newHarness(t).connect()
	s.set("max_error_count", 1000)
	const writers, each = 4, 100
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				s.Warn("Warning", uint16(w), fmt.Sprint(i))
			}
		})
	}
	for s.Warnings.Count() < writers*each {
		next := [writers]int{}
		for _, w := range s.Warnings.All() {
			require.Equal(t, fmt.Sprint(next[w.Number]), w.Message, "those of one goroutine in their order")
			next[w.Number]++
		}
		s.Warnings.DropOlder()
	}
	wg.Wait()
	require.Len(t, s.Warnings.All(), writers*each)
	wg.Go(s.Warnings.Clear)
	s.Warnings.Keep()
	wg.Wait()
	require.Empty(t, s.Warnings.All())
}
