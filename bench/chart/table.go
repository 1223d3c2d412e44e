package chart

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a title, columns and rows. A row with fewer cells than there are
// columns has empty ones at its end.
type Table struct {
	Title   string
	Columns []string
	// Left is how many columns, from the first, hold names: they are aligned left, numbers right.
	Left  int
	Rows  [][]string
	Notes []string // printed below
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) cell(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

func (t *Table) widths() []int {
	w := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		w[i] = utf8.RuneCountInString(c)
		for _, row := range t.Rows {
			w[i] = max(w[i], utf8.RuneCountInString(t.cell(row, i)))
		}
	}
	return w
}

// Text writes the table for a terminal.
func (t *Table) Text(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintln(&b, t.Title)
	}
	widths := t.widths()
	line := func(row []string) {
		var l strings.Builder
		for i, width := range widths {
			c := t.cell(row, i)
			space := strings.Repeat(" ", width-utf8.RuneCountInString(c))
			if i > 0 {
				l.WriteString("  ")
			}
			if i < t.Left {
				l.WriteString(c + space)
			} else {
				l.WriteString(space + c)
			}
		}
		fmt.Fprintln(&b, strings.TrimRight(l.String(), " "))
	}
	line(t.Columns)
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", width)
	}
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	for _, n := range t.Notes {
		fmt.Fprintln(&b, n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the table as GitHub's Markdown has them.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	}
	line := func(row []string) {
		for i := range t.Columns {
			b.WriteString("| " + strings.ReplaceAll(t.cell(row, i), "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Columns)
	for i := range t.Columns {
		if i < t.Left {
			b.WriteString("|---")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
