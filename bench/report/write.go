package report

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/duramendb/duramen/bench/chart"
)

// Title of the whole.
func (r *Report) Title() string { return "duramen bench run, suite " + r.Info.Config.Suite }

// Text writes the results for a terminal.
func (r *Report) Text(w io.Writer) error {
	var b bytes.Buffer
	for i, t := range r.Tables() {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := t.Text(&b); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Markdown writes everything but the charts.
func (r *Report) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n## Results\n", r.Title())
	for _, t := range r.Tables() {
		b.WriteByte('\n')
		if err := t.Markdown(&b); err != nil {
			return err
		}
	}
	b.WriteString("\n## What was measured\n")
	for _, t := range r.Context() {
		b.WriteByte('\n')
		if err := t.Markdown(&b); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// htmlTable is a table as the page shows it.
type htmlTable struct {
	Title string
	Head  []htmlCell
	Rows  [][]htmlCell
	Notes []string
}

type htmlCell struct{ Text, Class string }

// longText is what may be broken into lines.
const longText = 60

func newHTMLTable(t chart.Table) htmlTable {
	class := func(i int, text string) string {
		var c []string
		if i < t.Left {
			c = append(c, "name")
		}
		if len(text) > longText {
			c = append(c, "long")
		}
		if text == failed || strings.HasSuffix(text, "failed]") {
			c = append(c, "bad")
		}
		return strings.Join(c, " ")
	}
	h := htmlTable{Title: t.Title, Notes: t.Notes}
	for i, c := range t.Columns {
		h.Head = append(h.Head, htmlCell{c, class(i, "")})
	}
	for _, row := range t.Rows {
		var cells []htmlCell
		for i, c := range row {
			cells = append(cells, htmlCell{c, class(i, c)})
		}
		h.Rows = append(h.Rows, cells)
	}
	return h
}

// HTML writes one page with everything, which needs nothing else.
func (r *Report) HTML(w io.Writer) error {
	data := struct {
		Title, Subtitle        string
		Failed, Missing, Turns int
		Pictures               []template.HTML
		Tables, Context        []htmlTable
	}{
		Title: r.Title(), Subtitle: r.note(), Failed: len(r.Failed()), Missing: r.Missing(), Turns: len(r.Info.Config.Turns()),
	}
	for _, p := range r.Pictures() {
		var b bytes.Buffer
		if err := p.SVG(&b); err != nil {
			return err
		}
		// Package chart escapes all texts in it.
		data.Pictures = append(data.Pictures, template.HTML(b.String())) // see above
	}
	for _, t := range r.Tables() {
		data.Tables = append(data.Tables, newHTMLTable(t))
	}
	for _, t := range r.Context() {
		data.Context = append(data.Context, newHTMLTable(t))
	}
	return page.Execute(w, data)
}
