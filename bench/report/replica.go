package report

import (
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/target"
)

// bestReplica compares each Duramen with the MariaDB whose mode is the best one for the workload.
func (r *Report) bestReplica() (chart.Table, bool) {
	t := chart.Table{
		Title:   "Replicas: Duramen relative to MariaDB in its best mode, median of the repeats' ratios (lowest-highest)",
		Columns: []string{"workload", "clients", "server", "best MariaDB", "its transactions/s", "relative"}, Left: 4,
	}
	if r.Info.Config.Replicas == nil {
		return t, false
	}
	for _, row := range r.rows {
		best, rate := "", 0.0
		for _, c := range r.Info.Config.Contenders {
			if s := r.cell(row, c.String()).rates(); c.Kind == target.MariaDB && s.N > 0 && s.Median > rate {
				best, rate = c.String(), s.Median
			}
		}
		for _, c := range r.Info.Config.Contenders {
			if c.Kind != target.Duramen || best == "" {
				continue
			}
			if s, ok := ratio(r.cell(row, c.String()), r.cell(row, best)); ok {
				t.Add(row.workload, strconv.Itoa(row.clients), c.String(), best, chart.Count(rate), summary(s))
			}
		}
	}
	t.Notes = append(t.Notes, "Best: the highest median. clients: those that made the log on the primary.")
	return t, len(t.Rows) > 0
}
