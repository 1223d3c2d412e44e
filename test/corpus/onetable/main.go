// Command onetable passes on the JSON lines, from standard input, whose field sql is a statement on one table: a SELECT, INSERT, REPLACE, UPDATE, DELETE,
// DO, or SET of user variables, that names one table of a user or none and has no subquery, no set operation and no window, and no function on spatial values, XML or dynamic columns. Texts that are no
// statements at all pass as well where they begin with such a word.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

var first = regexp.MustCompile(`(?is)^\s*\(*\s*(select|insert|replace|update|delete|do)\b`)

var elsewhere = regexp.MustCompile(`(?i)\b(st_\w+|mbr\w+|geom\w+|astext|point|linestring|polygon|multi\w+|extractvalue|updatexml|column_(create|add|get|exists|delete|list|check|json))\s*\(`)

var systemDatabases = []string{"information_schema", "performance_schema", "mysql", "sys", "mtr"}

const lineMost = 64 << 20 // bytes

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, lineMost)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		var line struct{ SQL string }
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			fmt.Fprintln(os.Stderr, "onetable:", err)
			os.Exit(1)
		}
		if onOneTable(line.SQL) {
			_, _ = out.Write(append(in.Bytes(), '\n'))
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "onetable:", err)
		os.Exit(1)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "onetable:", err)
		os.Exit(1)
	}
}

func onOneTable(sql string) bool {
	n, _, err := grammar.Parse(sql, grammar.Options{})
	if err != nil || n == nil {
		return first.MatchString(sql)
	}
	f := new(facts.Rows).Of(n)
	switch f.Kind {
	case facts.Select, facts.Insert, facts.Replace, facts.Update, facts.Delete, facts.Do:
	case facts.Set:
		set, ok := n.(*tree.Set)
		if !ok || slices.ContainsFunc(set.Items, func(item tree.SetItem) bool { _, ok := item.(*tree.SetUserVariable); return !ok }) {
			return false
		}
	default:
		return false
	}
	if elsewhere.MatchString(sql) || f.Subqueries || f.Windows || f.Sequences || set(n) {
		return false
	}
	names := map[string]bool{}
	mentions := 0
	for _, t := range f.Tables {
		if slices.Contains(systemDatabases, strings.ToLower(t.Name.DB.Text)) {
			return false
		}
		names[t.Name.Name.Text] = true
		mentions++
	}
	_, insert := n.(*tree.Insert)
	return mentions <= 1 || insert && mentions == 2
}

// set reports whether a statement has a set operation or common table expressions.
func set(n tree.Statement) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.SetOperation, *tree.With:
			found = true
		}
		return !found
	})
	return found
}
