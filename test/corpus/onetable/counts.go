package main

import (
	"fmt"
	"slices"
	"strings"
)

// shapeMost is how many statements of one shape count in a file.
const shapeMost = 20

// counts are the statements by suite.
type counts struct {
	suites map[string]*[len(columns)]int
	found  []difference
}

// column is a kind of answer.
type column int

const (
	all column = iota
	same
	failsHere
	result
	otherError
	failsThere
)

var columns = [...]string{all: "Statements", same: "The same", failsHere: "Fails only in Duramen", result: "Another result", otherError: "Another error", failsThere: "Fails only in MariaDB"}

// difference is a statement with another answer, which no earlier one explains.
type difference struct {
	test string
	s    *statement
}

func columnOf(class string) column {
	switch class {
	case "same":
		return same
	case "error", "hang", "gone", "died":
		return failsHere
	case "errcode":
		return otherError
	case "accepts":
		return failsThere
	}
	return result
}

// add counts the statements of a file.
func (c *counts) add(f *file) {
	if f.RC == skipped {
		return
	}
	if c.suites == nil {
		c.suites = map[string]*[len(columns)]int{}
	}
	of := c.suites[suite(f.Test)]
	if of == nil {
		of = new([len(columns)]int)
		c.suites[suite(f.Test)] = of
	}
	h, shapes := newHistory(), map[string]int{}
	for i := range f.Statements {
		s := &f.Statements[i]
		if s.Kind != "query" || s.Class == "lost" {
			continue
		}
		switch {
		case s.Class == "kill", s.Class == "order" && !ordered(s.SQL):
			s.Class = "same"
		}
		n := parse(s.SQL)
		counted := h.counts(s.SQL, n)
		if s.Class == "affected" && !counted {
			s.Class = "same" // what definitions and CALL report
		}
		consequence := h.follows(s, n)
		key := shape(s.SQL)
		shapes[key]++
		if !counted || shapes[key] > shapeMost || consequence && s.Class != "same" {
			continue
		}
		of[all]++
		of[columnOf(s.Class)]++
		if s.Class != "same" {
			c.found = append(c.found, difference{f.Test, s})
		}
	}
}

// suite is the row of the table in which a file is counted.
func suite(test string) string {
	name, of, _ := cutLast(test, "/")
	if name == "main" && strings.HasPrefix(of, "ctype_") {
		return "main, `ctype_*` (character sets)"
	}
	return name
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// table prints the numbers.
func (c *counts) table(out *strings.Builder) {
	fmt.Fprintf(out, "| Suite | %s |\n|%s\n", strings.Join(columns[:], " | "), strings.Repeat("---|", len(columns)+1))
	var sum [len(columns)]int
	names := make([]string, 0, len(c.suites))
	for name := range c.suites {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return c.suites[b][all] - c.suites[a][all] })
	for _, name := range names {
		row(out, name, c.suites[name])
		for i, n := range c.suites[name] {
			sum[i] += n
		}
	}
	row(out, "all", &sum)
}

func row(out *strings.Builder, name string, n *[len(columns)]int) {
	fmt.Fprintf(out, "| %s | %d | %.2f %% |", name, n[all], 100*float64(n[same])/float64(max(n[all], 1)))
	for _, x := range n[failsHere:] {
		fmt.Fprintf(out, " %d |", x)
	}
	fmt.Fprintln(out)
}

// list prints the differences.
func (c *counts) list(out *strings.Builder) {
	for _, d := range c.found {
		fmt.Fprintf(out, "\n%s: %s\n  %s\n", d.test, d.s.Class, strings.ReplaceAll(d.s.SQL, "\n", "\n  "))
		for _, server := range []struct {
			name    string
			answers []answer
		}{{"MariaDB", d.s.MariaDB}, {"Duramen", d.s.Duramen}} {
			for _, a := range server.answers {
				fmt.Fprintf(out, "  %s: %s\n", server.name, a.text())
			}
		}
	}
}

func (a *answer) text() string {
	switch a.Kind {
	case "err":
		return fmt.Sprintf("error %d, %s", a.Code, a.Message)
	case "rs":
		return fmt.Sprintf("%d rows of %q: %q", a.RowCount, a.Columns, a.Rows)
	}
	return fmt.Sprintf("%d rows affected", a.Affected)
}
