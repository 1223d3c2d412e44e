package report

import (
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
)

// onePerEngine are workloads that each set of tables has: the first engine's, and those that are compared with it.
var onePerEngine = []struct {
	first  string
	others []string
}{
	{"update-first", []string{"update-second", "update-memory"}},
	{"point-first", []string{"point-second", "point-memory"}},
}

// engineRatios compares the engines of a server with its first one.
func (r *Report) engineRatios() (chart.Table, bool) {
	t := chart.Table{Title: "Engines of a server, relative to its first: throughput, median of the repeats' ratios (lowest-highest)", Columns: []string{"clients", "server", "workload", "/ that of the first"}, Left: 3}
	for _, w := range onePerEngine {
		for _, n := range r.clients(w.first) {
			for _, name := range r.names {
				for _, other := range w.others {
					if s, ok := ratio(r.cell(test{other, n}, name), r.cell(test{w.first, n}, name)); ok {
						t.Add(strconv.Itoa(n), name, other, summary(s))
					}
				}
			}
		}
	}
	return t, len(t.Rows) > 0
}

// inverse shows what the base of a server's profiles does, relative to each of the others: how often its throughput, and which part of
// the others' costs.
func (r *Report) inverse() (chart.Table, bool) {
	t := chart.Table{Title: "The base, relative to each of the others: base / value, medians of the repeats' ratios (lowest-highest)", Left: 4,
		Columns: []string{"workload", "clients", "base", "other", "throughput", "commit bytes told", "device bytes", "flushes", "server CPU"}}
	if r.Info.Config.Base != suite.SameServer {
		return t, false
	}
	counts := []func(*suite.Measured) device.Count{
		func(m *suite.Measured) device.Count { return m.CommitBytes },
		func(m *suite.Measured) device.Count { return m.DeviceBytes },
		func(m *suite.Measured) device.Count { return m.Flushes },
		func(m *suite.Measured) device.Count { return m.ServerCPU },
	}
	for _, row := range r.rows {
		for _, name := range r.names {
			base, other := r.cell(row, r.base[name]), r.cell(row, name)
			rates, ok := ratio(base, other)
			if base == other || !ok {
				continue
			}
			line := []string{row.workload, strconv.Itoa(row.clients), r.base[name], name, summary(rates)}
			for _, of := range counts {
				text := missing
				if s := stat.Summarize(stat.Ratios(byRounds(base, other, perTransaction(of)))); s.N > 0 {
					text = summary(s)
				}
				line = append(line, text)
			}
			t.Add(line...)
		}
	}
	t.Notes = append(t.Notes, "All but throughput: per transaction. commit bytes told are those of the logs; device bytes have checkpoints in them, and log files that are filled with zeros "+
		"ahead of need: in short turns it is chance which of them that hits.")
	return t, len(t.Rows) > 0
}

// byRounds are the values of two cells in the rounds that both have.
func byRounds(a, b *cell, of func(*suite.Measured) (float64, bool)) (ofA, ofB []float64) {
	for _, m := range a.measured {
		for _, o := range b.measured {
			x, ok1 := of(m.Measured)
			y, ok2 := of(o.Measured)
			if m.Round == o.Round && ok1 && ok2 {
				ofA, ofB = append(ofA, x), append(ofB, y)
			}
		}
	}
	return ofA, ofB
}
