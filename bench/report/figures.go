package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/suite"
)

// picture is a chart of any kind, with its title.
type picture struct {
	drawing
	title string
}

type drawing interface{ SVG(w io.Writer) error }

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
		for _, g := range r.groups() {
			if names := slices.DeleteFunc(g.names, k.hide); len(single) > 0 && len(names) > 0 {
				pictures = append(pictures, r.bars(single, group{g.title, names}, k))
			}
		}
	}
	return pictures
}

// group are contenders that are shown together.
type group struct {
	title string
	names []string
}

// groups are the profiles, if profiles are compared apart: bars with and
// without syncs on one axis would hide each other's differences.
func (r *Report) groups() []group {
	var groups []group
	for _, c := range r.Info.Config.Contenders {
		title := ""
		if r.Info.Config.Base == suite.SameProfile {
			title = c.Profile
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.title == title })
		if i < 0 {
			i, groups = len(groups), append(groups, group{title: title})
		}
		groups[i].names = append(groups[i].names, c.String())
	}
	return groups
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
	// hide are contenders that are not shown.
	hide func(name string) bool
}

func (r *Report) kinds() []kind {
	kinds := []kind{{
		title: "Throughput", subtitle: "higher is better; median, lowest and highest of the repeats", y: "transactions/s",
		point: func(t test, name string) (chart.Point, bool) {
			s := r.cell(t, name).rates()
			return chart.Point{Value: s.Median, Low: s.Min, High: s.Max}, s.N > 0
		},
		text: chart.Count, hide: nobody,
	}}
	if r.compares() {
		kinds = append(kinds, kind{
			title: "Relative throughput", subtitle: "value / base; above 1 is faster than the base", y: "value / base", mark: 1,
			point: func(t test, name string) (chart.Point, bool) {
				s, ok := ratio(r.cell(t, name), r.cell(t, r.base[name]))
				return chart.Point{Value: s.Median, Low: s.Min, High: s.Max}, ok
			},
			text: func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
			hide: func(name string) bool { return r.base[name] == name }, // always 1
		})
	}
	for _, p := range r.percentiles() {
		kinds = append(kinds, kind{
			title: "Latency, " + p.name, subtitle: "lower is better; median of the repeats", y: p.name + ", ms", logY: true,
			point: func(t test, name string) (chart.Point, bool) {
				c := r.cell(t, name)
				return chart.Point{Value: c.latency(p).Seconds() * 1000}, len(c.measured) > 0
			},
			text: chart.Count, hide: nobody,
		})
	}
	for _, k := range costs {
		if k.picture == "" || !r.knows(k) {
			continue
		}
		kinds = append(kinds, kind{
			title: k.picture, subtitle: "lower is better; median of the repeats", y: k.picture, logY: true,
			point: func(t test, name string) (chart.Point, bool) {
				values := r.cell(t, name).values(k.of)
				v := stat.Median(values)
				if k.unit > 0 {
					v /= k.unit
				}
				return chart.Point{Value: v}, v > 0 // there is no 0 on the axis
			},
			text: chart.Count, hide: nobody,
		})
	}
	return kinds
}

// Charts are the pictures as files, by names that say what they show.
func (r *Report) Charts() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, p := range r.Pictures() {
		var b bytes.Buffer
		if err := p.SVG(&b); err != nil {
			return nil, err
		}
		name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(p.title), "-"), "-") + ".svg"
		if _, taken := files[name]; taken {
			name = "one-" + name // bars of what has one number of clients, beside lines of what has several
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

var notInNames = regexp.MustCompile("[^a-z0-9]+")

func nobody(string) bool { return false }

func (r *Report) lines(workloads []string, k kind) picture {
	f := &chart.Figure{Title: k.title, Subtitle: k.subtitle, Notes: []string{r.note()}}
	for _, w := range workloads {
		p := chart.Panel{Title: w, X: "clients", Y: k.y, LogY: k.logY}
		for _, n := range r.clients(w) {
			p.Places = append(p.Places, strconv.Itoa(n))
		}
		for _, name := range r.names {
			if k.hide(name) {
				continue
			}
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
	return picture{f, f.Title}
}

func (r *Report) bars(workloads []string, g group, k kind) picture {
	title := k.title
	if g.title != "" && len(r.groups()) > 1 {
		title += ", " + g.title
	}
	b := &chart.Bars{Title: title, Subtitle: k.subtitle, X: k.y, Mark: k.mark, Notes: []string{r.note()}}
	for _, name := range g.names {
		b.Series = append(b.Series, chart.BarSeries{Name: name})
	}
	for i, w := range workloads {
		n := r.clients(w)[0]
		b.Groups = append(b.Groups, fmt.Sprintf("%s (%d)", w, n))
		for j, name := range g.names {
			if pt, ok := k.point(test{w, n}, name); ok {
				pt.Place, pt.Annotation = i, k.text(pt.Value)
				b.Series[j].Points = append(b.Series[j].Points, pt)
			}
		}
	}
	return picture{b, b.Title}
}

// note is what every picture says about the machine.
func (r *Report) note() string {
	return fmt.Sprintf("%s. %s for each value: %s.", r.Info.Machine.Where, plural(r.Info.Config.Repeats, "turn"), r.Info.Config.Turn())
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
