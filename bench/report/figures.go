package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/duramendb/duramen/bench/chart"
)

// picture is a chart of any kind.
type picture interface{ SVG(w io.Writer) error }

// Pictures are the charts: lines over clients for workloads that have several numbers of
// clients, bars for the others.
func (r *Report) Pictures() []picture {
	var many, single []string // workloads
	for _, t := range r.rows {
		if len(r.clients(t.workload)) > 1 {
			if !slices.Contains(many, t.workload) {
				many = append(many, t.workload)
			}
		} else {
			single = append(single, t.workload)
		}
	}
	var pictures []picture
	for _, k := range r.kinds() {
		if len(many) > 0 {
			pictures = append(pictures, r.lines(many, k))
		}
		if len(single) > 0 {
			pictures = append(pictures, r.bars(single, k))
		}
	}
	return pictures
}

func (r *Report) clients(workload string) []int {
	var n []int
	for _, t := range r.rows {
		if t.workload == workload {
			n = append(n, t.clients)
		}
	}
	return n
}

// kind is what a picture shows.
type kind struct {
	title, subtitle, y string
	logY               bool
	mark               float64
	// point of a cell; false if there is none.
	point func(t test, name string) (chart.Point, bool)
	text  func(float64) string
}

func (r *Report) kinds() []kind {
	kinds := []kind{{
		title: "Throughput", subtitle: "higher is better; median, lowest and highest of the repeats", y: "transactions/s",
		point: func(t test, name string) (chart.Point, bool) {
			s := r.cell(t, name).rates()
			return chart.Point{Value: s.Median, Low: s.Min, High: s.Max}, s.N > 0
		},
		text: chart.Count,
	}}
	if r.compares() {
		kinds = append(kinds, kind{
			title: "Relative throughput", subtitle: "value / base; above 1 is faster than the base", y: "value / base", mark: 1,
			point: func(t test, name string) (chart.Point, bool) {
				s, ok := ratio(r.cell(t, name), r.cell(t, r.base[name]))
				return chart.Point{Value: s.Median, Low: s.Min, High: s.Max}, ok
			},
			text: func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
		})
	}
	for _, p := range percentiles {
		kinds = append(kinds, kind{
			title: "Latency, " + p.name, subtitle: "lower is better; median of the repeats", y: p.name + ", ms", logY: true,
			point: func(t test, name string) (chart.Point, bool) {
				c := r.cell(t, name)
				return chart.Point{Value: c.latency(p).Seconds() * 1000}, len(c.measured) > 0
			},
			text: chart.Count,
		})
	}
	return kinds
}

func (r *Report) lines(workloads []string, k kind) picture {
	f := &chart.Figure{Title: k.title, Subtitle: k.subtitle, Notes: []string{r.note()}}
	for _, w := range workloads {
		p := chart.Panel{Title: w, X: "clients", Y: k.y, LogY: k.logY}
		for _, n := range r.clients(w) {
			p.Places = append(p.Places, strconv.Itoa(n))
		}
		for _, name := range r.names {
			s := chart.Series{Name: name}
			for i, n := range r.clients(w) {
				if pt, ok := k.point(test{w, n}, name); ok {
					pt.Place = i
					s.Points = append(s.Points, pt)
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func (r *Report) bars(workloads []string, k kind) picture {
	b := &chart.Bars{Title: k.title, Subtitle: k.subtitle, X: k.y, Mark: k.mark, Notes: []string{r.note()}}
	for _, name := range r.names {
		b.Series = append(b.Series, chart.BarSeries{Name: name})
	}
	for i, w := range workloads {
		n := r.clients(w)[0]
		b.Groups = append(b.Groups, fmt.Sprintf("%s (%d)", w, n))
		for j, name := range r.names {
			if pt, ok := k.point(test{w, n}, name); ok {
				pt.Place, pt.Annotation = i, k.text(pt.Value)
				b.Series[j].Points = append(b.Series[j].Points, pt)
			}
		}
	}
	return b
}

// note is what every picture says about the machine.
func (r *Report) note() string {
	return fmt.Sprintf("%s. %d turns of %v each.", r.Info.Machine.Where, r.Info.Config.Repeats, r.Info.Config.Time)
}
