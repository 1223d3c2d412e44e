package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
)

const (
	missing = "-"      // not measured, or not known
	failed  = "FAILED" // all turns
)

// Tables are the results; failures come first, so that nobody overlooks them.
func (r *Report) Tables() []chart.Table {
	var tables []chart.Table
	if t, any := r.failures(); any {
		tables = append(tables, t)
	}
	tables = append(tables, r.rates())
	if r.compares() {
		tables = append(tables, r.ratios())
	}
	for _, more := range []func() (chart.Table, bool){r.bestReplica, r.semiSync, r.inverse, r.across, r.engineRatios, r.amplification} {
		if t, any := more(); any {
			tables = append(tables, t)
		}
	}
	if len(r.percentiles()) > 0 {
		tables = append(tables, r.latencies())
	}
	return append(tables, r.costs())
}

// grid makes a table with tests as rows and contenders as columns.
func (r *Report) grid(title string, text func(t test, name string, c *cell) string) chart.Table {
	t := chart.Table{Title: title, Columns: append([]string{"workload", "clients"}, r.names...), Left: 1}
	for _, row := range r.rows {
		line := []string{row.workload, strconv.Itoa(row.clients)}
		for _, name := range r.names {
			c := r.cell(row, name)
			switch {
			case len(c.measured) > 0:
				line = append(line, text(row, name, c)+c.warning())
			case len(c.failed) > 0:
				line = append(line, failed)
			default:
				line = append(line, missing)
			}
		}
		t.Add(line...)
	}
	return t
}

// warning says that not all turns of a cell were measured.
func (c *cell) warning() string {
	if len(c.failed) == 0 {
		return ""
	}
	return fmt.Sprintf(" [%d of %d failed]", len(c.failed), len(c.failed)+len(c.measured))
}

func (r *Report) rates() chart.Table {
	t := r.grid("Transactions per second: median (lowest-highest)", func(_ test, _ string, c *cell) string {
		s := c.rates()
		return fmt.Sprintf("%s (%s-%s)", chart.Count(s.Median), chart.Count(s.Min), chart.Count(s.Max))
	})
	cfg := r.Info.Config
	t.Notes = append(t.Notes, fmt.Sprintf("%s for each cell: %s; servers in turns.", plural(cfg.Repeats, "turn"), cfg.Turn()))
	t.Notes = append(t.Notes, cfg.Notes...)
	if n := r.Missing(); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Not finished: %d of %d turns are still to be made.", n, len(cfg.Turns())))
	}
	return t
}

// compares tells whether any contender is compared with another one.
func (r *Report) compares() bool {
	return slices.ContainsFunc(r.names, func(n string) bool { return r.base[n] != n })
}

func (r *Report) ratios() chart.Table {
	t := r.grid("Relative throughput: value / base, median of the repeats' ratios (lowest-highest)", func(row test, name string, c *cell) string {
		if r.base[name] == name {
			return "1"
		}
		s, ok := ratio(c, r.cell(row, r.base[name]))
		if !ok {
			return missing
		}
		return summary(s)
	})
	for _, n := range r.names {
		if r.base[n] != n {
			t.Notes = append(t.Notes, fmt.Sprintf("Base of %s: %s.", n, r.base[n]))
		}
	}
	return t
}

func (r *Report) latencies() chart.Table {
	return r.grid("Latency of a transaction: p50 / p95 / p99, each the median of the repeats", func(_ test, _ string, c *cell) string {
		var parts []string
		for _, p := range percentiles {
			parts = append(parts, chart.Duration(c.latency(p)))
		}
		return strings.Join(parts, " / ")
	})
}

// percentile is one of a latency's.
type percentile struct {
	name string
	of   func(*suite.Measured) time.Duration
}

var percentiles = []percentile{
	{"p50", func(m *suite.Measured) time.Duration { return m.Latency.P50 }},
	{"p95", func(m *suite.Measured) time.Duration { return m.Latency.P95 }},
	{"p99", func(m *suite.Measured) time.Duration { return m.Latency.P99 }},
}

// percentiles that are shown: nobody waits for the transactions of a replica.
func (r *Report) percentiles() []percentile {
	if r.Info.Config.Replicas != nil {
		return nil
	}
	return percentiles
}

func (c *cell) latency(p percentile) time.Duration {
	return time.Duration(stat.Median(c.values(func(m *suite.Measured) (float64, bool) { return float64(p.of(m)), true })))
}

// cost is a column of the table of costs.
type cost struct {
	name string
	of   func(*suite.Measured) (float64, bool)
	show func(float64) string
	// picture is the title of its chart, "" if it has none; unit is what its values are divided by there, 0 for 1.
	picture string
	unit    float64
}

// text of the median.
func (k cost) text(c *cell) string {
	values := c.values(k.of)
	if len(values) == 0 {
		return missing
	}
	return k.show(stat.Median(values))
}

func perTransaction(count func(*suite.Measured) device.Count) func(*suite.Measured) (float64, bool) {
	return func(m *suite.Measured) (float64, bool) { return count(m).Per(float64(m.Transactions)) }
}

func micros(ns float64) string { return chart.Count(ns / 1000) }

var costs = []cost{
	{"server CPU, µs", perTransaction(func(m *suite.Measured) device.Count { return m.ServerCPU }), micros, "Processor time of the server per transaction, µs", 1000},
	{"client CPU, µs", perTransaction(func(m *suite.Measured) device.Count { return device.Count{N: uint64(m.ClientCPU), Known: true} }), micros, "", 0},
	{"syncs", perTransaction(func(m *suite.Measured) device.Count { return m.Syncs }), chart.Count, "Syncs of files per transaction", 0},
	{"syncs told", perTransaction(func(m *suite.Measured) device.Count { return m.ServerSyncs }), chart.Count, "", 0},
	{"flushes", perTransaction(func(m *suite.Measured) device.Count { return m.Flushes }), chart.Count, "Flushes of the device per transaction", 0},
	{"device bytes", perTransaction(func(m *suite.Measured) device.Count { return m.DeviceBytes }), chart.Count, "Bytes to the device per transaction", 0},
	{"commit bytes told", perTransaction(func(m *suite.Measured) device.Count { return m.CommitBytes }), chart.Count, "Bytes of commits in the logs per transaction", 0},
	{"process bytes", perTransaction(func(m *suite.Measured) device.Count { return m.ProcessBytes }), chart.Count, "", 0},
	{"logged", perTransaction(func(m *suite.Measured) device.Count { return m.Commits }), chart.Count, "", 0},
	{"per group", func(m *suite.Measured) (float64, bool) {
		if !m.Commits.Known || !m.Groups.Known {
			return 0, false
		}
		return m.Commits.Per(float64(m.Groups.N))
	}, chart.Count, "", 0},
	{"peak memory", func(m *suite.Measured) (float64, bool) { return m.PeakMemory.Per(1) }, chart.Bytes, "", 0},
	{"repeated", perTransaction(func(m *suite.Measured) device.Count { return device.Count{N: m.Errors, Known: true} }), chart.Count, "", 0},
}

func (r *Report) costs() chart.Table {
	t := chart.Table{Title: "What a transaction costs: medians of the repeats", Columns: []string{"workload", "clients", "server"}, Left: 3}
	var shown []cost
	for _, c := range costs {
		if r.knows(c) {
			shown = append(shown, c)
			t.Columns = append(t.Columns, c.name)
		}
	}
	for _, row := range r.rows {
		for _, name := range r.names {
			c := r.cell(row, name)
			if len(c.measured) == 0 {
				continue
			}
			line := []string{row.workload, strconv.Itoa(row.clients), name}
			for _, k := range shown {
				line = append(line, k.text(c))
			}
			t.Add(line...)
		}
	}
	t.Notes = append(t.Notes,
		"syncs: of files by the server's process, counted by the kernel. syncs told: what the server counts; Duramen those of its log, MariaDB and MySQL those of InnoDB without the binary log's.",
		"flushes and device bytes: of the whole device (/proc/diskstats), whoever causes them. commit bytes told: what Duramen counts in its logs, without what it fills ahead of need and without checkpoints. process bytes: what the server made dirty or wrote directly (/proc/PID/io); a large folio of the page cache counts as a whole, whatever part of it was written.",
		"logged: transactions in the binary log per transaction; 0 of those that change nothing. per group: transactions per group of the binary log. peak memory: of the server's process. repeated: transactions repeated after a deadlock, a lock wait or a changed row, per transaction.",
		"- is not known.")
	return t
}

// knows tells whether there is any value.
func (r *Report) knows(c cost) bool {
	return slices.ContainsFunc(r.names, func(n string) bool {
		return slices.ContainsFunc(r.rows, func(row test) bool { return len(r.cell(row, n).values(c.of)) > 0 })
	})
}

// failures has a row for each reason on a contender, with the first turn that it hit.
func (r *Report) failures() (chart.Table, bool) {
	t := chart.Table{Title: "FAILED", Columns: []string{"first turn", "turns", "why"}, Left: 3}
	type reason struct{ contender, why string }
	var order []reason
	turns := map[reason][]suite.Turn{}
	for _, f := range r.Failed() {
		k := reason{f.Contender, oneLine(f.Failed)}
		if len(turns[k]) == 0 {
			order = append(order, k)
		}
		turns[k] = append(turns[k], f.Turn)
	}
	for _, k := range order {
		t.Add(turns[k][0].String(), strconv.Itoa(len(turns[k])), k.why)
	}
	return t, len(t.Rows) > 0
}

const whyLength = 300

// oneLine shortens a message, which may hold the end of a server's log.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > whyLength {
		return string(r[:whyLength]) + "..."
	}
	return s
}
