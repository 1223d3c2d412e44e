package enginebench

import (
	"fmt"
	"strconv"
	"time"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/stat"
)

// figure is a line of the tables.
type figure struct {
	name  string
	files bool                    // there is none of an engine that has no files
	value func(s *Slice) *float64 // nil: not known
	show  func(v float64) string
}

func nanoseconds(v float64) string {
	if v < 10_000 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " ns"
	}
	return chart.Duration(time.Duration(v))
}

func perSecond(v float64) string { return chart.Bytes(v) + "/s" }
func times(v float64) string     { return fmt.Sprintf("%.2f", v) }

var figures = []figure{
	{"Get, cached", false, func(s *Slice) *float64 { return &s.GetCached }, nanoseconds},
	{"Get, uncached", true, func(s *Slice) *float64 { return &s.GetUncached }, nanoseconds},
	{"  from the device", true, func(s *Slice) *float64 { return s.DeviceReads }, chart.Bytes},
	{"row of a scan forwards", false, func(s *Slice) *float64 { return &s.ScanForwards }, nanoseconds},
	{"row of a scan backwards", false, func(s *Slice) *float64 { return &s.ScanBackwards }, nanoseconds},
	{"row applied, batches of 1", false, func(s *Slice) *float64 { return &s.ApplyOne }, nanoseconds},
	{"row applied, batches of 100", false, func(s *Slice) *float64 { return &s.ApplyHundred }, nanoseconds},
	{"memory of a pending row", true, func(s *Slice) *float64 { return &s.PendingPerRow }, chart.Bytes},
	{"memory at rest, per row", false, func(s *Slice) *float64 { return &s.RestingPerRow }, chart.Bytes},
	{"checkpoint", true, func(s *Slice) *float64 { return &s.CheckpointSecs }, func(v float64) string { return chart.Duration(time.Duration(v * 1e9)) }},
	{"checkpoint, rows' bytes", true, func(s *Slice) *float64 { return &s.CheckpointRate }, perSecond},
	{"bytes written per byte applied", true, func(s *Slice) *float64 { return &s.WriteAmplification }, times},
	{"disk, per row", true, func(s *Slice) *float64 { return &s.DiskBytesPerRow }, chart.Bytes},
	{"loading", false, func(s *Slice) *float64 { return &s.LoadSeconds }, func(v float64) string { return chart.Duration(time.Duration(v * 1e9)) }},
}

// cell is the median and the range of a figure.
func (f *figure) cell(slices []*Slice) string {
	var values []float64
	for _, s := range slices {
		if v := f.value(s); v != nil && !(f.files && s.Volatile) {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return "-"
	}
	s := stat.Summarize(values)
	if s.Min == s.Max {
		return f.show(s.Median)
	}
	return fmt.Sprintf("%s (%s-%s)", f.show(s.Median), f.show(s.Min), f.show(s.Max))
}

// Tables are the results for a terminal or a document: one for each number of rows.
func (r *Result) Tables() (list []chart.Table) {
	for _, rows := range r.Options.Rows {
		t := chart.Table{Title: chart.Count(float64(rows)) + " rows", Columns: []string{""}, Left: 1}
		for _, k := range r.Options.Kinds {
			t.Columns = append(t.Columns, k.Dir())
		}
		for _, f := range figures {
			line := []string{f.name}
			for _, k := range r.Options.Kinds {
				line = append(line, f.cell(r.of(k.Dir(), rows)))
			}
			t.Add(line...)
		}
		list = append(list, t)
	}
	last := &list[len(list)-1]
	last.Notes = append(last.Notes, fmt.Sprintf("%s. Keys of %d bytes, rows of %d. Medians (lowest-highest) of %d rounds, in turns.",
		r.Machine, r.Options.KeyBytes, r.Options.RowBytes, r.Options.Rounds),
		"Cached: the first 100,000 rows, read just before. Uncached: all rows, of an engine just opened whose files were dropped from the page cache.")
	return list
}

// Figure is the picture.
func (r *Result) Figure() chart.Figure {
	fig := chart.Figure{Title: "What engines cost below SQL", Subtitle: fmt.Sprintf("Keys of %d bytes, rows of %d", r.Options.KeyBytes, r.Options.RowBytes)}
	for _, f := range figures {
		p := chart.Panel{Title: f.name, X: "rows", Y: "nanoseconds"}
		switch f.name {
		case "Get, cached", "row of a scan forwards", "row applied, batches of 1", "row applied, batches of 100":
		default:
			continue
		}
		for _, rows := range r.Options.Rows {
			p.Places = append(p.Places, chart.Count(float64(rows)))
		}
		for _, k := range r.Options.Kinds {
			line := chart.Series{Name: k.Dir()}
			for i, rows := range r.Options.Rows {
				var values []float64
				for _, s := range r.of(k.Dir(), rows) {
					values = append(values, *f.value(s))
				}
				if len(values) > 0 {
					s := stat.Summarize(values)
					line.Points = append(line.Points, chart.Point{Place: i, Value: s.Median, Low: s.Min, High: s.Max})
				}
			}
			p.Series = append(p.Series, line)
		}
		fig.Panels = append(fig.Panels, p)
	}
	fig.Notes = []string{r.Machine}
	return fig
}
