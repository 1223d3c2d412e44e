package report

import (
	"fmt"
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
)

// The workloads that transactions over two engines are compared by.
const (
	inFirst   = "two-in-first"
	inSecond  = "two-in-second"
	acrossTwo = "two-across"
)

// across compares transactions over two engines of a server with those in one of them.
func (r *Report) across() (chart.Table, bool) {
	t := chart.Table{
		Title:   "Transactions over two engines, relative to those in one engine of the same server",
		Columns: []string{"clients", "server", "over both / their mean", "over both / the slower", "syncs: first", "second", "both", "device bytes: first", "second", "both"},
		Left:    2,
	}
	syncs := perTransaction(func(m *suite.Measured) device.Count { return m.Syncs })
	bytes := perTransaction(func(m *suite.Measured) device.Count { return m.DeviceBytes })
	for _, n := range r.clients(acrossTwo) {
		for _, name := range r.names {
			first, second, both := r.cell(test{inFirst, n}, name), r.cell(test{inSecond, n}, name), r.cell(test{acrossTwo, n}, name)
			ofMean, ofSlower := acrossRatios(first, second, both)
			if ofMean.N == 0 {
				continue
			}
			line := []string{strconv.Itoa(n), name, summary(ofMean), summary(ofSlower)}
			for _, c := range []cost{{of: syncs, show: chart.Count}, {of: bytes, show: chart.Count}} {
				for _, where := range []*cell{first, second, both} {
					line = append(line, c.text(where))
				}
			}
			t.Add(line...)
		}
	}
	t.Notes = append(t.Notes,
		"Each transaction changes two rows in two tables. Their mean: the harmonic mean of the rates in the first and in the second engine, so 1.00 says that a transaction over both takes as "+
			"long as half of one in the first and half of one in the second. The slower: the lower of the two rates. Both are medians of the repeats' ratios (lowest-highest).")
	return t, len(t.Rows) > 0
}

// acrossRatios divides the rate of transactions over both engines by those in one, repeat by repeat.
func acrossRatios(first, second, both *cell) (ofMean, ofSlower stat.Summary) {
	var rates, means, slower []float64
	one, two := first.byRound(), second.byRound()
	for round, rate := range both.byRound() {
		a, b := one[round], two[round]
		if a == 0 || b == 0 {
			continue
		}
		rates, means, slower = append(rates, rate), append(means, 2/(1/a+1/b)), append(slower, min(a, b))
	}
	return stat.Summarize(stat.Ratios(rates, means)), stat.Summarize(stat.Ratios(rates, slower))
}

// byRound are the rates of the repeats.
func (c *cell) byRound() map[int]float64 {
	rates := map[int]float64{}
	for _, m := range c.measured {
		rates[m.Round] = m.Measured.PerSecond()
	}
	return rates
}

func summary(s stat.Summary) string { return fmt.Sprintf("%.2f (%.2f-%.2f)", s.Median, s.Min, s.Max) }
