package logbench

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/stat"
)

// Tables are the results for a terminal or a document.
func (r *Result) Tables() []chart.Table {
	list := []chart.Table{r.rates()}
	if shown := r.pairs(); len(shown) > 0 {
		list = append(list, r.ratios(shown), r.bestRatios(shown))
	}
	return append(list, r.groups(), r.latencies(), r.bytes())
}

func (r *Result) note() string {
	return fmt.Sprintf("%s. Medians (lowest-highest) of %d rounds, in turns.", r.Machine, r.Options.Rounds)
}

// missing stands for what was not measured.
const missing = "-"

// grid makes a table with committers as rows and contenders as columns.
func (r *Result) grid(title string, contenders []string, cell func(c *Cell) string) chart.Table {
	t := chart.Table{Title: title, Columns: append([]string{"committers"}, contenders...)}
	for _, n := range r.Options.Committers {
		row := []string{strconv.Itoa(n)}
		for _, name := range contenders {
			if c := r.Cell(name, n); c != nil && len(c.Slices) > 0 {
				row = append(row, cell(c))
			} else {
				row = append(row, missing)
			}
		}
		t.Add(row...)
	}
	return t
}

func (r *Result) rates() chart.Table {
	t := r.grid(r.title("Commits per second", "as if each write were one of the pipeline's groups"), sorted(r.Options.Contenders), func(c *Cell) string {
		s := stat.Summarize(c.each((*Slice).CommitsPerSecond))
		return fmt.Sprintf("%s (%s-%s)", chart.Count(s.Median), chart.Count(s.Min), chart.Count(s.Max))
	})
	t.Notes = append(append(t.Notes, r.note()), r.Notes...)
	return t
}

// title of a table, and what its figures of raw and raw-direct are, if they are there.
func (r *Result) title(title, ofRaw string) string {
	if slices.Contains(r.Options.Contenders, "raw") || slices.Contains(r.Options.Contenders, "raw-direct") {
		return title + " (raw and raw-direct: " + ofRaw + ")"
	}
	return title
}

// pairs are the ratios that are printed, where both were measured: the second is the base.
var pairs = [][2]string{
	{"lsm", "raw"}, {"log", "raw"}, {"lsm", "raw-direct"}, {"log", "raw-direct"}, {"lsm", "bare"}, {"log", "bare"}, {"lsm", "lsm-append"},
}

func (r *Result) pairs() (shown [][2]string) {
	for _, p := range pairs {
		if slices.Contains(r.Options.Contenders, p[0]) && slices.Contains(r.Options.Contenders, p[1]) {
			shown = append(shown, p)
		}
	}
	return shown
}

func (r *Result) pairGrid(title string, shown [][2]string, cell func(a, b []float64) string) chart.Table {
	t := chart.Table{Title: title, Columns: []string{"committers"}}
	for _, p := range shown {
		t.Columns = append(t.Columns, p[0]+" / "+p[1])
	}
	for _, n := range r.Options.Committers {
		row := []string{strconv.Itoa(n)}
		for _, p := range shown {
			a, b := r.Cell(p[0], n), r.Cell(p[1], n)
			if len(a.Slices) == 0 || len(b.Slices) == 0 {
				row = append(row, missing)
				continue
			}
			row = append(row, cell(a.rates(p[1]), b.rates(p[1])))
		}
		t.Add(row...)
	}
	return t
}

func (r *Result) ratios(shown [][2]string) chart.Table {
	return r.pairGrid(r.title("Ratios, median (lowest-highest) of the rounds'", "groups per second to writes per second"), shown, func(a, b []float64) string {
		s := stat.Summarize(stat.Ratios(a, b))
		return fmt.Sprintf("%.2f (%.2f-%.2f)", s.Median, s.Min, s.Max)
	})
}

// bestRatios are for machines that are not quiet: a short round that nobody disturbed shows what both can do.
func (r *Result) bestRatios(shown [][2]string) chart.Table {
	return r.pairGrid("Ratios of each one's best round (what remains if others disturb the machine now and then)", shown, func(a, b []float64) string {
		return fmt.Sprintf("%.2f", stat.Summarize(a).Max/stat.Summarize(b).Max)
	})
}

// rates are what is compared with base: groups with writes, otherwise commits with commits.
func (c *Cell) rates(base string) []float64 {
	if base == "raw" || base == "raw-direct" {
		return c.each((*Slice).GroupsPerSecond)
	}
	return c.each((*Slice).CommitsPerSecond)
}

// grouping are the contenders that form groups.
func (r *Result) grouping() []string {
	return slices.DeleteFunc(sorted(r.Options.Contenders), func(name string) bool { return name == "raw" || name == "raw-direct" })
}

func (r *Result) groups() chart.Table {
	t := r.grid("Transactions per group (and how many groups were in flight at the end, lowest-highest)", r.grouping(), func(c *Cell) string {
		n := chart.Count(stat.Median(c.each(func(s *Slice) float64 { return float64(s.Commits) / float64(max(s.Groups, 1)) })))
		if !isPipeline(c.Contender) {
			return n
		}
		depth := stat.Summarize(c.each(func(s *Slice) float64 { return float64(s.Depth) }))
		return fmt.Sprintf("%s (%.0f-%.0f)", n, depth.Min, depth.Max)
	})
	for _, name := range r.grouping() {
		if c := r.Cell(name, r.Options.Committers[0]); len(c.Slices) > 0 && isPipeline(name) {
			t.Notes = append(t.Notes, fmt.Sprintf("%s is synced by %s, in blocks of %d bytes.", name, c.Slices[0].SyncMethod, c.Slices[0].WriteUnit))
		}
	}
	return t
}

func (r *Result) latencies() chart.Table {
	return r.grid(r.title("Latency of one commit, p50 / p99 / max", "of one write"), sorted(r.Options.Contenders), func(c *Cell) string {
		l := c.Latencies.Latency()
		return fmt.Sprintf("%s / %s / %s", chart.Duration(l.P50), chart.Duration(l.P99), chart.Duration(l.Max))
	})
}

func (r *Result) bytes() chart.Table {
	t := r.grid("Bytes that reached the device for each byte of events, without zeros written ahead", sorted(r.Options.Contenders), (*Cell).perEventByte)
	if r.Meter.Why != "" {
		t.Notes = append(t.Notes, "Not available here: "+r.Meter.Why)
	} else {
		t.Notes = append(t.Notes, "By /proc/diskstats of "+r.Meter.Device+": it counts what other processes write, too. lsm writes the engine's files besides.")
	}
	return t
}

// perEventByte is the sum over all slices of what was written divided by the events' bytes.
func (c *Cell) perEventByte() string {
	var events float64
	sum := device.Count{Known: true}
	for i := range c.Slices {
		s := &c.Slices[i]
		events += float64(s.EventBytes)
		written := s.DeviceBytes.Less(uint64(s.ZeroBytes))
		sum = device.Count{N: sum.N + written.N, Known: sum.Known && written.Known}
	}
	v, ok := sum.Per(events)
	if !ok {
		return missing
	}
	return fmt.Sprintf("%.2f", v)
}

// what explains contenders in the legend.
var what = map[string]string{
	"lsm": "pipeline, LSM engine", "log": "pipeline, idle engine", "lsm-append": "pipeline, LSM engine, not preallocated",
	"bare": "bare group commit", "raw": "raw writes of the same size, fdatasync", "raw-direct": "the same, O_DIRECT|O_DSYNC",
}

// Figure is the picture.
func (r *Result) Figure() chart.Figure {
	rates := chart.Panel{Title: "Commits per second", X: "committers", Y: "commits/s", LogY: true}
	tails := chart.Panel{Title: "Latency, 99th percentile", X: "committers", Y: "milliseconds", LogY: true}
	for _, n := range r.Options.Committers {
		rates.Places = append(rates.Places, strconv.Itoa(n))
	}
	tails.Places = rates.Places
	for _, name := range sorted(r.Options.Contenders) {
		rate, tail := chart.Series{Name: name + ": " + what[name]}, chart.Series{Name: name + ": " + what[name]}
		for i, n := range r.Options.Committers {
			c := r.Cell(name, n)
			if c == nil || len(c.Slices) == 0 {
				continue
			}
			s := stat.Summarize(c.each((*Slice).CommitsPerSecond))
			rate.Points = append(rate.Points, chart.Point{Place: i, Value: s.Median, Low: s.Min, High: s.Max})
			p99 := float64(c.Latencies.Quantile(0.99)) / 1e6
			tail.Points = append(tail.Points, chart.Point{Place: i, Value: p99, Low: p99, High: p99})
		}
		rates.Series, tails.Series = append(rates.Series, rate), append(tails.Series, tail)
	}
	return chart.Figure{
		Title: "The commit pipeline beside what it is made of", Subtitle: "A transaction updates one row; every group is synced",
		Panels: []chart.Panel{rates, tails}, Notes: []string{r.note()},
	}
}
