package device

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/stat"
)

// Tables are the results for a terminal or a document.
func (r *Result) Tables() []chart.Table {
	return []chart.Table{r.rates(), r.ratios(), r.latencies(), r.traffic()}
}

// note is what every picture and table should say.
func (r *Result) note() string {
	return fmt.Sprintf("%s. Medians (lowest-highest) of %d rounds, in turns.", r.Machine, r.Options.Rounds)
}

// missing stands for a cell that was not measured.
const missing = "-"

// methods are those that were measured, in their order.
func (r *Result) methods() []string {
	var names []string
	for _, c := range r.Cells {
		if !slices.Contains(names, c.Method.Name) {
			names = append(names, c.Method.Name)
		}
	}
	return names
}

// grid makes a table with methods as rows and sizes as columns.
func (r *Result) grid(title string, inFlight []int, cell func(c *Cell) string) chart.Table {
	t := chart.Table{Title: title, Columns: []string{"in flight", "method"}, Left: 2}
	for _, size := range r.Options.Sizes {
		t.Columns = append(t.Columns, chart.Bytes(float64(size)))
	}
	for _, n := range inFlight {
		for _, m := range r.methods() {
			row := []string{strconv.Itoa(n), m}
			for _, size := range r.Options.Sizes {
				c := r.Cell(m, size, n)
				if len(c.Slices) == 0 {
					row = append(row, missing)
					continue
				}
				row = append(row, cell(c))
			}
			t.Add(row...)
		}
	}
	return t
}

func (r *Result) rates() chart.Table {
	t := r.grid("Durable writes per second", r.Options.InFlight, func(c *Cell) string {
		s := stat.Summarize(c.Rates())
		return fmt.Sprintf("%s (%s-%s)", chart.Count(s.Median), chart.Count(s.Min), chart.Count(s.Max))
	})
	t.Notes = append(t.Notes, r.note())
	for _, c := range r.Cells {
		if c.Unsupported != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("%s with %d bytes cannot be measured here: %v", c.Method.Name, c.Size, c.Unsupported))
		}
	}
	return t
}

// baseline is what the others are compared with.
const baseline = "settled"

func (r *Result) ratios() chart.Table {
	t := r.grid("Rate relative to "+baseline+" (median of the rounds' ratios)", r.Options.InFlight, func(c *Cell) string {
		base := r.Cell(baseline, c.Size, c.InFlight)
		if base == nil || len(base.Slices) == 0 {
			return missing
		}
		return chart.Count(stat.Median(stat.Ratios(c.Rates(), base.Rates())))
	})
	return t
}

func (r *Result) latencies() chart.Table {
	return r.grid("Latency of one write: p50 / p99 / max", r.Options.InFlight, func(c *Cell) string {
		l := c.Latencies.Latency()
		return fmt.Sprintf("%s / %s / %s", chart.Duration(l.P50), chart.Duration(l.P99), chart.Duration(l.Max))
	})
}

func (r *Result) traffic() chart.Table {
	t := r.grid("Reached the device for each write: bytes / I/Os / flushes", r.Options.InFlight, func(c *Cell) string {
		traffic, writes := c.Traffic()
		bytes := missing
		if n, ok := traffic.DeviceBytes.Per(writes); ok {
			bytes = chart.Bytes(n)
		}
		return fmt.Sprintf("%s / %s / %s", bytes, per(traffic.DeviceWrites, writes), per(traffic.Flushes, writes))
	})
	if r.Meter.Why != "" {
		t.Notes = append(t.Notes, "Not available here: "+r.Meter.Why)
	} else {
		t.Notes = append(t.Notes, "By /proc/diskstats of "+r.Meter.Device+": it counts what other processes write, too.")
	}
	return t
}

func per(c Count, n float64) string {
	v, ok := c.Per(n)
	if !ok {
		return missing
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Figure is the picture: a panel for each number in flight.
func (r *Result) Figure() chart.Figure {
	f := chart.Figure{Title: "What log files cost on this device", Subtitle: "Durable writes per second by size of the write; higher is better", Notes: []string{r.note()}}
	for _, n := range r.Options.InFlight {
		p := chart.Panel{Title: fmt.Sprintf("%d in flight", n), X: "bytes of a write", Y: "durable writes/s"}
		for _, size := range r.Options.Sizes {
			p.Places = append(p.Places, chart.Bytes(float64(size)))
		}
		for _, m := range r.methods() {
			s := chart.Series{}
			for i, size := range r.Options.Sizes {
				c := r.Cell(m, size, n)
				s.Name = m + ": " + c.Method.What
				if len(c.Slices) > 0 {
					sum := stat.Summarize(c.Rates())
					s.Points = append(s.Points, chart.Point{Place: i, Value: sum.Median, Low: sum.Min, High: sum.Max})
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
