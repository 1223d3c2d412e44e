package report

import (
	"fmt"
	"slices"

	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
)

// Options of New.
type Options struct {
	// Base is the contender that throughput is compared with; "" leaves it to the suite.
	Base string
}

// Report is what is shown of a run.
type Report struct {
	Info  *suite.Info
	rows  []test
	names []string // contenders, in their order
	cells map[cellKey]*cell
	base  map[string]string // contender -> the one it is compared with
}

// test is a row of most tables.
type test struct {
	workload string
	clients  int
}

type cellKey struct {
	test
	contender string
}

// cell has the turns of a test on a contender.
type cell struct {
	measured []suite.Result
	failed   []suite.Result
}

// New sums up a run.
func New(info *suite.Info, results []suite.Result, o Options) (*Report, error) {
	r := &Report{Info: info, cells: map[cellKey]*cell{}, base: map[string]string{}}
	for _, c := range info.Config.Contenders {
		r.names = append(r.names, c.String())
	}
	for _, t := range info.Config.Turns() {
		if row := (test{t.Workload, t.Clients}); !slices.Contains(r.rows, row) {
			r.rows = append(r.rows, row)
		}
	}
	for _, res := range results {
		c := r.cell(test{res.Workload, res.Clients}, res.Contender)
		if res.Measured != nil {
			c.measured = append(c.measured, res)
		} else {
			c.failed = append(c.failed, res)
		}
	}
	if o.Base != "" {
		if !slices.Contains(r.names, o.Base) {
			return nil, fmt.Errorf("there is no %q to compare with; there are %q", o.Base, r.names)
		}
		for _, n := range r.names {
			r.base[n] = o.Base
		}
		return r, nil
	}
	for _, c := range info.Config.Contenders {
		r.base[c.String()] = baseOf(c, &info.Config, info.Config.Base).String()
	}
	return r, nil
}

// baseOf is what a contender is compared with.
func baseOf(c target.Contender, cfg *suite.Config, rule suite.Base) target.Contender {
	if rule == suite.WithoutSemiSync {
		return withoutSemiSync(c, cfg)
	}
	var candidates []target.Contender
	for _, o := range cfg.Contenders {
		switch rule {
		case suite.SameServer:
			if o.Name == c.Name {
				return o
			}
		case suite.SameProfile:
			if o.Profile == c.Profile {
				candidates = append(candidates, o)
			}
		default:
			candidates = append(candidates, o)
		}
	}
	for _, o := range candidates {
		if o.Kind != target.Duramen {
			return o
		}
	}
	return candidates[0] // all, or c itself, are among them
}

// cell finds a cell, or makes an empty one.
func (r *Report) cell(t test, contender string) *cell {
	k := cellKey{t, contender}
	if r.cells[k] == nil {
		r.cells[k] = &cell{}
	}
	return r.cells[k]
}

// values applies f to the turns of a cell; those of which f does not know it are left out.
func (c *cell) values(f func(*suite.Measured) (float64, bool)) []float64 {
	var values []float64
	for _, m := range c.measured {
		if v, ok := f(m.Measured); ok {
			values = append(values, v)
		}
	}
	return values
}

func (c *cell) rates() stat.Summary {
	return stat.Summarize(c.values(func(m *suite.Measured) (float64, bool) { return m.PerSecond(), true }))
}

// ratio is the median of the ratios between turns of the same repeat, which were made one after the other.
func ratio(c, base *cell) (stat.Summary, bool) {
	var a, b []float64
	for _, m := range c.measured {
		for _, o := range base.measured {
			if o.Round == m.Round {
				a, b = append(a, m.Measured.PerSecond()), append(b, o.Measured.PerSecond())
			}
		}
	}
	ratios := stat.Ratios(a, b)
	return stat.Summarize(ratios), len(ratios) > 0
}

// Failed lists the turns that failed.
func (r *Report) Failed() []suite.Result {
	var failed []suite.Result
	for _, t := range r.rows {
		for _, name := range r.names {
			failed = append(failed, r.cell(t, name).failed...)
		}
	}
	return failed
}

// Missing is the number of turns that have neither a measurement nor a failure.
func (r *Report) Missing() int {
	n := len(r.Info.Config.Turns())
	for _, c := range r.cells {
		n -= len(c.measured) + len(c.failed)
	}
	return n
}
