package checkpointbench

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/target"
)

const ms = time.Millisecond

func TestSpans(t *testing.T) {
	before := told{checkpoints: 3, time: 100 * ms}
	_, some := spans(500*ms, 510*ms, before, before)
	require.False(t, some)
	s, some := spans(500*ms, 510*ms, before, told{checkpoints: 4, time: 140 * ms})
	require.True(t, some)
	require.Equal(t, span{459 * ms, 510 * ms}, s, "it may have ended right after the question before; the server's milliseconds are whole")
	s, _ = spans(10*ms, 20*ms, before, told{checkpoints: 4, time: 140 * ms})
	require.Equal(t, span{0, 20 * ms}, s, "it began before the turn")
}

func TestUnion(t *testing.T) {
	got := union([]span{{50 * ms, 60 * ms}, {10 * ms, 20 * ms}, {15 * ms, 30 * ms}, {16 * ms, 17 * ms}})
	require.Equal(t, []span{{10 * ms, 30 * ms}, {50 * ms, 60 * ms}}, got)
	require.Equal(t, 30*ms, total(got))
	require.Empty(t, union(nil))
}

// A commit is inside if any moment of it is.
func TestSplit(t *testing.T) {
	during := []span{{10 * ms, 20 * ms}, {50 * ms, 60 * ms}}
	for _, c := range []struct {
		name   string
		commit commit
		inside bool
	}{
		{"before", commit{0, 9 * ms}, false},
		{"into the first", commit{0, 10 * ms}, true},
		{"within", commit{12 * ms, ms}, true},
		{"out of the first", commit{20 * ms, 5 * ms}, true},
		{"between", commit{21 * ms, 28 * ms}, false},
		{"all over the second", commit{21 * ms, 80 * ms}, true},
		{"after", commit{61 * ms, ms}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inside, outside := split([]commit{c.commit}, during)
			require.Equal(t, c.inside, inside.Count() == 1)
			require.Equal(t, !c.inside, outside.Count() == 1)
			_, outside = split([]commit{c.commit}, nil)
			require.EqualValues(t, 1, outside.Count())
		})
	}
}

func TestValidate(t *testing.T) {
	valid := func() Options {
		o := Options{Server: target.Spec{Kind: target.Duramen, Engines: []string{"A", "B"}}}
		o.EnsureDefaults()
		return o
	}
	o := valid()
	require.NoError(t, o.Validate())
	for fails, change := range map[string]func(*Options){
		"has to be a Duramen": func(o *Options) { o.Server.Kind = target.MariaDB },
		"0 engines":           func(o *Options) { o.Server.Engines = nil },
		"4 engines":           func(o *Options) { o.Server.Engines = []string{"A", "B", "C", "D"} },
		"2000 clients":        func(o *Options) { o.Clients = []int{1, 2000} },
		"rounds of 1s":        func(o *Options) { o.Time = time.Second },
		"tables of 10 rows":   func(o *Options) { o.TableSize = 10 },
	} {
		o := valid()
		change(&o)
		require.ErrorContains(t, o.Validate(), fails)
	}
}

// slice has commits that take so long each.
func slice(round int, heldOff bool, inside, outside int, in, out time.Duration) Slice {
	s := Slice{Round: round, Engine: "BTREE", Clients: 8, HeldOff: heldOff, Elapsed: time.Second, Checkpoints: 2, Took: 30 * ms, Longest: 20 * ms, Share: 0.04}
	for range inside {
		s.inside.Record(in)
	}
	for range outside {
		s.outside.Record(out)
	}
	s.Inside, s.Outside = Latency{s.inside.Count(), s.inside.Latency()}, Latency{s.outside.Count(), s.outside.Latency()}
	return s
}

func TestReport(t *testing.T) {
	o := Options{Server: target.Spec{Kind: target.Duramen, Engines: []string{"BTREE", "TAPE"}}, Clients: []int{8}}
	o.EnsureDefaults()
	r := Result{Options: o, Slices: []Slice{
		slice(1, true, 0, 1000, 0, 2*ms), slice(1, false, 400, 600, 3*ms, 2*ms),
		slice(2, true, 0, 1000, 0, 2*ms), slice(2, false, 99, 600, 8*ms, 2*ms), // too few inside for a ratio of their own
	}}
	tables := r.Tables()
	require.Equal(t, []string{"BTREE", "8", "2.00ms", "2.00ms", "2.00ms", "2.00ms", "3.01ms", "8.00ms", "4.00 (1.50-1.50)", "499"}, tables[0].Rows[0])
	require.Equal(t, []string{"TAPE", "8", "-", "-", "-", "-", "-", "-", "-", "0"}, tables[0].Rows[1], "nothing was measured")
	require.Equal(t, []string{"BTREE", "8", "1,000", "850", "2", "15.0ms", "20.0ms", "4 %", "2"}, tables[1].Rows[0])
	f := r.Figure()
	require.Equal(t, "BTREE, during a checkpoint", f.Panels[1].Series[1].Name)
	require.Equal(t, 3.0, f.Panels[1].Series[1].Points[0].Value, "the second round has too few")
	require.Len(t, f.Panels[1].Series[0].Points, 1)
	var svg strings.Builder
	require.NoError(t, f.SVG(&svg))
	require.Contains(t, svg.String(), "BTREE, held off")
}
