package position

import (
	"fmt"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/stat"
)

// missing stands for what was not measured.
const missing = "-"

// Tables are the results for a terminal or a document.
func (r *Result) Tables() []chart.Table {
	return []chart.Table{r.rates(), r.ratios(), r.costs()}
}

// slices of a cell.
func (r *Result) slices(profile, data, position string) []Slice {
	var list []Slice
	for _, s := range r.Slices {
		if s.Profile == profile && s.Data == data && s.Position == position {
			list = append(list, s)
		}
	}
	return list
}

// grid makes a table with profiles and engines of the data as rows, and positions as columns.
func (r *Result) grid(title string, columns []string, text func(profile, data, position string) string) chart.Table {
	t := chart.Table{Title: title, Columns: []string{"profile", "data in"}, Left: 2}
	for _, p := range columns {
		t.Columns = append(t.Columns, r.Options.name(p))
	}
	for _, profile := range r.Options.Profiles {
		for _, data := range sets {
			line := []string{profile, r.engines(profile, data)}
			for _, p := range columns {
				line = append(line, text(profile, data, p))
			}
			t.Add(line...)
		}
	}
	return t
}

// engines of MariaDB and of Duramen that the data of a set is in.
func (r *Result) engines(profile, data string) string {
	name := r.Options.engine(data)
	if s := r.slices(profile, data, None); len(s) > 0 {
		name += " (Duramen: " + s[0].Engine + ")"
	}
	return name
}

func summary(values []float64, show func(float64) string) string {
	s := stat.Summarize(values)
	if s.N == 0 {
		return missing
	}
	return fmt.Sprintf("%s (%s-%s)", show(s.Median), show(s.Min), show(s.Max))
}

func (r *Result) rates() chart.Table {
	t := r.grid("Applied transactions per second: median (lowest-highest)", positions, func(profile, data, position string) string {
		var rates []float64
		for _, s := range r.slices(profile, data, position) {
			rates = append(rates, s.PerSecond())
		}
		return summary(rates, chart.Count)
	})
	own := "no binary log of their own"
	if r.Options.LogUpdates {
		own = "a binary log of their own (log_slave_updates)"
	}
	t.Notes = append(t.Notes,
		fmt.Sprintf("%s. %d turns of %s transactions of one row, in turns; the log is fetched before the time begins. MariaDB's replicas have %s.",
			r.Machine, r.Options.Rounds, chart.Count(float64(r.Options.Transactions)), own),
		"Duramen's figures are not those of a replica, which does not wait for each transaction, but of its pipeline (look up, lock, change, log, sync, apply) with the same transactions one after the other, read before the time begins; with onelog, and with 2pc and gtid_pos_in_engine.")
	return t
}

func (r *Result) ratios() chart.Table {
	t := r.grid("Relative to the position in the same engine as the data: median (lowest-highest)", positions, func(profile, data, position string) string {
		same := data // of MariaDB: both are names of sets
		if of := followers[position].set; of != "" {
			same = map[string]string{load.First: TwoPCFirst, load.Second: TwoPCSecond}[data]
		}
		if position == same {
			return "1"
		}
		base := map[int]float64{}
		for _, s := range r.slices(profile, data, same) {
			base[s.Round] = s.PerSecond()
		}
		var a, b []float64
		for _, s := range r.slices(profile, data, position) {
			if rate, ok := base[s.Round]; ok {
				a, b = append(a, s.PerSecond()), append(b, rate)
			}
		}
		return summary(stat.Ratios(a, b), func(v float64) string { return fmt.Sprintf("%.2f", v) })
	})
	t.Notes = append(t.Notes, "Of turns of the same round. Duramen with 2pc is relative to itself, Duramen to MariaDB.")
	return t
}

func (r *Result) costs() chart.Table {
	t := r.grid("What a transaction costs: syncs / flushes / device bytes / CPU, µs; medians", positions, func(profile, data, position string) string {
		list := r.slices(profile, data, position)
		median := func(of func(*Slice) device.Count, show func(float64) string) string {
			var values []float64
			for i := range list {
				if v, ok := of(&list[i]).Per(float64(list[i].Transactions)); ok {
					values = append(values, v)
				}
			}
			if len(values) == 0 {
				return missing
			}
			return show(stat.Median(values))
		}
		if len(list) == 0 {
			return missing
		}
		return fmt.Sprintf("%s / %s / %s / %s", median(func(s *Slice) device.Count { return s.Syncs }, chart.Count), median(func(s *Slice) device.Count { return s.Flushes }, chart.Count),
			median(func(s *Slice) device.Count { return s.DeviceBytes }, chart.Count), median(func(s *Slice) device.Count { return s.CPU }, func(v float64) string { return chart.Count(v / 1000) }))
	})
	t.Notes = append(t.Notes, "syncs: of files by the replica's process, counted by the kernel. flushes and bytes: of the whole device, whoever causes them. - is not known.")
	return t
}

// Figure shows the rates.
func (r *Result) Figure() chart.Figure {
	f := chart.Figure{Title: "Applied transactions per second, by where a replica keeps its position", Notes: []string{r.Machine}}
	for _, profile := range r.Options.Profiles {
		p := chart.Panel{Title: profile, X: "data in", Y: "transactions/s"}
		for _, data := range sets {
			p.Places = append(p.Places, r.engines(profile, data))
		}
		for _, position := range positions {
			series := chart.Series{Name: r.Options.name(position)}
			for i, data := range sets {
				var rates []float64
				for _, s := range r.slices(profile, data, position) {
					rates = append(rates, s.PerSecond())
				}
				if s := stat.Summarize(rates); s.N > 0 {
					series.Points = append(series.Points, chart.Point{Place: i, Value: s.Median, Low: s.Min, High: s.Max})
				}
			}
			p.Series = append(p.Series, series)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
