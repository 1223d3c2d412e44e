package report

import (
	"strconv"
	"time"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
)

// semiSync compares primaries whose commits wait for a replica with those that do not, and a lone client's commit with two syncs of the
// device: the primary's and the replica's.
func (r *Report) semiSync() (chart.Table, bool) {
	t := chart.Table{
		Title: "Commits of a primary with a replica: medians of the repeats (lowest-highest)", Left: 3,
		Columns: []string{"workload", "clients", "server", "commits/s", "/ without semi-sync", "p50", "p99", "a sync: p50", "commit / two syncs: p50", "mean"},
	}
	c := r.Info.Config
	if len(c.Pairs) == 0 {
		return t, false
	}
	for _, row := range r.rows {
		for _, who := range c.Contenders {
			of := r.cell(row, who.String())
			if len(of.measured) == 0 {
				continue
			}
			line := []string{row.workload, strconv.Itoa(row.clients), who.String(), chart.Count(of.rates().Median), "1"}
			if base := baseOf(who, &c, suite.WithoutSemiSync); base.String() != who.String() {
				line[4] = missing
				if s, ok := ratio(of, r.cell(row, base.String())); ok {
					line[4] = summary(s)
				}
			}
			line = append(line, chart.Duration(of.latency(percentiles[0])), chart.Duration(of.latency(percentiles[2])))
			t.Add(append(line, of.besideSyncs(row.clients)...)...)
		}
	}
	t.Notes = append(t.Notes,
		"Each turn counts only if no commit went without the acknowledgement that it had to wait for, and if the replica had the primary's rows afterwards.",
		"A sync: of a block of 4 KiB, written over a file that is there, just before each turn, on the same disk. Commit / two syncs: of one client, by each turn's own figures.")
	return t, len(t.Rows) > 0
}

// besideSyncs are the time of a sync, and what part of two of them a lone client's commit takes.
func (c *cell) besideSyncs(clients int) []string {
	syncs := c.values(func(m *suite.Measured) (float64, bool) {
		if m.Sync == nil {
			return 0, false
		}
		return float64(m.Sync.P50), true
	})
	if len(syncs) == 0 {
		return []string{missing, missing, missing}
	}
	texts := []string{chart.Duration(time.Duration(stat.Median(syncs)))}
	for _, of := range []func(m *suite.Measured) (commit, sync time.Duration){
		func(m *suite.Measured) (commit, sync time.Duration) { return m.Latency.P50, m.Sync.P50 },
		func(m *suite.Measured) (commit, sync time.Duration) { return m.Latency.Avg, m.Sync.Mean },
	} {
		s := stat.Summarize(c.values(func(m *suite.Measured) (float64, bool) {
			if m.Sync == nil {
				return 0, false
			}
			commit, sync := of(m)
			return float64(commit) / float64(2*sync), sync > 0
		}))
		if clients != 1 || s.N == 0 {
			texts = append(texts, missing)
			continue
		}
		texts = append(texts, summary(s))
	}
	return texts
}

// withoutSemiSync is the first of the pairs that c's server is measured as, in c's profile.
func withoutSemiSync(c target.Contender, cfg *suite.Config) target.Contender {
	for _, o := range cfg.Contenders {
		if cfg.Pairs[o.Name].Of == cfg.Pairs[c.Name].Of && o.Profile == c.Profile {
			return o
		}
	}
	return c
}
