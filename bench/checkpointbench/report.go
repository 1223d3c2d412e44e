package checkpointbench

import (
	"fmt"
	"strconv"
	"time"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/stat"
)

const missing = "-"

// of are the turns of a cell.
func (r *Result) of(engine string, clients int, heldOff bool) (list []*Slice) {
	for i := range r.Slices {
		if s := &r.Slices[i]; s.Engine == engine && s.Clients == clients && s.HeldOff == heldOff {
			list = append(list, s)
		}
	}
	return list
}

// enough commits for a p99 of them.
const enough = 100

// ratios of the p99 of commits inside checkpoints and that of the turn before, which had none: of all rounds together, and round by
// round where there were enough commits.
func (r *Result) ratios(engine string, clients int) (together float64, rounds stat.Summary) {
	with, held := r.of(engine, clients, false), r.of(engine, clients, true)
	var inside, without []float64
	for _, s := range with {
		for _, o := range held {
			if o.Round == s.Round && s.Inside.Commits >= enough && o.Outside.Commits >= enough {
				inside, without = append(inside, float64(s.Inside.P99)), append(without, float64(o.Outside.P99))
			}
		}
	}
	a, b := pool(with, insideOf), pool(held, outsideOf)
	if a.Count() >= enough && b.Count() >= enough {
		together = float64(a.Quantile(0.99)) / float64(b.Quantile(0.99))
	}
	return together, stat.Summarize(stat.Ratios(inside, without))
}

func insideOf(s *Slice) *stat.Histogram  { return &s.inside }
func outsideOf(s *Slice) *stat.Histogram { return &s.outside }

// pool is all rounds together.
func pool(list []*Slice, of func(*Slice) *stat.Histogram) *stat.Histogram {
	all := &stat.Histogram{}
	for _, s := range list {
		all.Merge(of(s))
	}
	return all
}

// quantiles of all rounds together: p50, and p99 if there are enough commits.
func quantiles(list []*Slice, of func(*Slice) *stat.Histogram) (p50, p99 string) {
	h := pool(list, of)
	p50, p99 = missing, missing
	if h.Count() > 0 {
		p50 = chart.Duration(h.Quantile(0.5))
	}
	if h.Count() >= enough {
		p99 = chart.Duration(h.Quantile(0.99))
	}
	return p50, p99
}

// median of something in turns; "-" if there are none.
func median(list []*Slice, of func(*Slice) float64, show func(float64) string) string {
	var values []float64
	for _, s := range list {
		values = append(values, of(s))
	}
	if len(values) == 0 {
		return missing
	}
	return show(stat.Median(values))
}

func ns(v float64) string { return chart.Duration(time.Duration(v)) }

// Tables implements what every benchmark gives.
func (r *Result) Tables() []chart.Table {
	latency := chart.Table{
		Title: "Latency of commits during a checkpoint, and without: of all rounds together", Left: 1,
		Columns: []string{
			"engine", "clients", "held off: p50", "p99", "checkpoints: p50 outside", "p99 outside", "p50 inside", "p99 inside", "p99 inside / p99 held off (of rounds)", "commits inside",
		},
		Notes: []string{
			r.Machine,
			fmt.Sprintf("%d rounds, turns of %v; %d tables of %s rows in each engine. An update of one row per commit, profile %s.",
				r.Options.Rounds, r.Options.Time, r.Options.Tables, chart.Count(float64(r.Options.TableSize)), r.Options.Profile),
			"held off: no checkpoint becomes due; commits beside flushes that the engine makes all the same are left out. inside: a commit that overlaps a checkpoint.",
		},
	}
	work := chart.Table{
		Title: "The checkpoints", Left: 1,
		Columns: []string{"engine", "clients", "commits/s held off", "with checkpoints", "checkpoints per turn", "mean", "longest", "share of the time", "flushes while held off"},
		Notes:   []string{"With checkpoints one is due each second; the first of a turn writes what the turn before has piled up, and is the longest."},
	}
	for _, engine := range r.Options.Server.Engines {
		for _, n := range r.Options.Clients {
			held, with := r.of(engine, n, true), r.of(engine, n, false)
			line := []string{engine, strconv.Itoa(n)}
			for _, of := range []struct {
				list []*Slice
				of   func(*Slice) *stat.Histogram
			}{{held, outsideOf}, {with, outsideOf}, {with, insideOf}} {
				p50, p99 := quantiles(of.list, of.of)
				line = append(line, p50, p99)
			}
			together, rounds := r.ratios(engine, n)
			ratio := missing
			if together > 0 {
				ratio = fmt.Sprintf("%.2f", together)
			}
			if rounds.N > 0 {
				ratio += fmt.Sprintf(" (%.2f-%.2f)", rounds.Min, rounds.Max)
			}
			latency.Add(append(line, ratio, chart.Count(float64(pool(with, insideOf).Count())))...)
			work.Add(engine, strconv.Itoa(n), median(held, (*Slice).PerSecond, chart.Count), median(with, (*Slice).PerSecond, chart.Count),
				median(with, func(s *Slice) float64 { return float64(s.Checkpoints) }, chart.Count),
				median(with, func(s *Slice) float64 { return float64(s.Took) / float64(max(s.Checkpoints, 1)) }, ns),
				median(with, func(s *Slice) float64 { return float64(s.Longest) }, ns),
				median(with, func(s *Slice) float64 { return 100 * s.Share }, func(v float64) string { return fmt.Sprintf("%.0f %%", v) }),
				median(held, func(s *Slice) float64 { return float64(s.Checkpoints) }, chart.Count))
		}
	}
	return []chart.Table{latency, work}
}

// Figure shows p50 and p99 over clients.
func (r *Result) Figure() chart.Figure {
	f := chart.Figure{Title: "Latency of commits during a checkpoint, and without", Subtitle: "lower is better; median, lowest and highest of the rounds", Notes: []string{r.Machine}}
	for _, q := range []struct {
		name            string
		inside, outside func(*Slice) time.Duration
	}{
		{"p50", func(s *Slice) time.Duration { return s.Inside.P50 }, func(s *Slice) time.Duration { return s.Outside.P50 }},
		{"p99", func(s *Slice) time.Duration { return s.Inside.P99 }, func(s *Slice) time.Duration { return s.Outside.P99 }},
	} {
		p := chart.Panel{Title: q.name, X: "clients", Y: "ms"}
		for _, n := range r.Options.Clients {
			p.Places = append(p.Places, strconv.Itoa(n))
		}
		for _, engine := range r.Options.Server.Engines {
			for _, line := range []struct {
				name    string
				heldOff bool
				of      func(*Slice) time.Duration
				enough  uint64
			}{
				{engine + ", held off", true, q.outside, 1},
				{engine + ", during a checkpoint", false, q.inside, enough},
			} {
				series := chart.Series{Name: line.name}
				for i, n := range r.Options.Clients {
					var values []float64
					for _, s := range r.of(engine, n, line.heldOff) {
						count := s.Inside.Commits
						if line.heldOff {
							count = s.Outside.Commits
						}
						if count >= line.enough {
							values = append(values, line.of(s).Seconds()*1000)
						}
					}
					if s := stat.Summarize(values); s.N > 0 {
						series.Points = append(series.Points, chart.Point{Place: i, Value: s.Median, Low: s.Min, High: s.Max})
					}
				}
				p.Series = append(p.Series, series)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
