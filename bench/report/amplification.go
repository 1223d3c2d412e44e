package report

import (
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
)

// amplification is what reached the device for each byte of changed rows. It is known only of turns that end with a flush: otherwise
// it would be about what a server happened to put off.
func (r *Report) amplification() (chart.Table, bool) {
	t := chart.Table{
		Title:   "Write amplification: bytes that reached the device for each byte of changed rows, median (lowest-highest)",
		Columns: []string{"workload", "clients", "server", "engine", "per byte of rows", "bytes per transaction", "of it logged", "flushes per transaction", "logged transactions"},
		Left:    4,
	}
	for _, row := range r.rows {
		for _, c := range r.Info.Config.Contenders {
			name := c.String()
			s := stat.Summarize(r.amplified(row, name))
			if s.N == 0 {
				continue
			}
			k := r.cell(row, name)
			median := func(of func(*suite.Measured) device.Count) string {
				return cost{of: perTransaction(of), show: chart.Count}.text(k)
			}
			t.Add(row.workload, strconv.Itoa(row.clients), name, r.engineOf(row.workload, c.Spec.Engine, name), summary(s),
				median(func(m *suite.Measured) device.Count { return m.DeviceBytes }), median(func(m *suite.Measured) device.Count { return m.LogBytes }),
				median(func(m *suite.Measured) device.Count { return m.Flushes }), median(func(m *suite.Measured) device.Count { return m.Commits }))
		}
	}
	t.Notes = append(t.Notes, "A changed row counts as "+strconv.Itoa(load.RowBytes)+" bytes. Each turn begins with engines that have written everything and ends when they have again, compactions included: "+
		"bytes are those of the whole device, logs and double writes as well. of it logged: bytes of events in the binary log, which may have reached the device more than once.")
	return t, len(t.Rows) > 0
}

// amplified are the write amplifications of a cell's turns.
func (r *Report) amplified(row test, name string) []float64 {
	w, err := load.Find(row.workload)
	if err != nil || w.Rows == 0 || !r.Info.Config.Flush {
		return nil
	}
	return r.cell(row, name).values(func(m *suite.Measured) (float64, bool) {
		return m.DeviceBytes.Per(float64(m.Transactions) * float64(w.Rows*load.RowBytes))
	})
}

// engineOf names the engine that a workload's tables are in.
func (r *Report) engineOf(workload string, asked func(set string) (string, bool), server string) string {
	w, err := load.Find(workload)
	if err != nil || len(w.Sets) != 1 {
		return missing
	}
	name, _ := asked(w.Sets[0])
	if told := r.Info.Servers[server].Engines[w.Sets[0]]; told != "" && told != name {
		name += " (" + told + ")"
	}
	return name
}
