package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// modes are the sql_modes in which a text is tried; which one it was sent in is not recorded.
var modes = []lex.Mode{0, lex.AnsiQuotes, lex.Oracle, lex.NoBackslashEscapes}

// parse reads a text, nil: it is none in any mode.
func parse(sql string) tree.Statement {
	for _, m := range modes {
		if n, _, err := grammar.Parse(sql, grammar.Options{Mode: m}); err == nil {
			return n
		}
	}
	return nil
}

// begins is how a statement of the kinds that count begins, for texts that are none.
var begins = regexp.MustCompile(`(?is)^\s*\(*\s*(select|insert|replace|update|delete|do)\b`)

// absent are functions that are not there at all.
var absent = regexp.MustCompile(`(?i)\b(st_\w+|mbr\w+|geom\w+|astext|point|linestring|polygon|multi\w+|extractvalue|updatexml|column_(create|add|get|exists|delete|list|check|json))\s*\(`)

// own are texts whose answers are each server's own.
var own = regexp.MustCompile(`(?i)@@(global\.|session\.|local\.)?(\w*dir|datadir|\w*_file|log_error|hostname|port|socket|version\w*|server_id|server_uid|pseudo_thread_id|wsrep\w*|in_predicate\w*)\b` +
	`|\b(uuid|uuid_short|sys_guid|connection_id|version|sysdate|load_file|rand|encrypt|is_used_lock|release_all_locks)\s*\(` +
	`|\b(now|current_timestamp|current_time|curtime|localtime|localtimestamp|utc_timestamp|utc_time)\s*\(\s*[1-6]\s*\)` +
	`|\binto\s+(outfile|dumpfile)\b`)

// systemDatabases have no tables of users. mtr is the suite's own.
var systemDatabases = []string{"information_schema", "performance_schema", "mysql", "sys", "mtr"}

// counts reports whether a statement is one of those that are counted: on one table of a user or none.
func (h *history) counts(sql string, n tree.Statement) bool {
	if absent.MatchString(sql) || own.MatchString(sql) {
		return false
	}
	if n == nil {
		return begins.MatchString(sql)
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
	if f.Subqueries || f.Windows || f.Sequences || composed(n) {
		return false
	}
	for _, t := range f.Tables {
		if slices.Contains(systemDatabases, strings.ToLower(t.Name.DB.Text)) || h.views[key(t.Name)] {
			return false
		}
	}
	_, insert := n.(*tree.Insert) // and the table of its SELECT
	return len(f.Tables) <= 1 || insert && len(f.Tables) == 2
}

// composed reports whether a statement has a set operation, common table expressions, or a JSON_TABLE.
func composed(n tree.Statement) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.SetOperation, *tree.With, *tree.JSONTable:
			found = true
		}
		return !found
	})
	return found
}

// ordered reports whether a query orders its own result.
func ordered(sql string) bool {
	s := literals.ReplaceAllString(sql, "S")
	for was := ""; was != s; {
		was, s = s, parentheses.ReplaceAllString(s, "")
	}
	return orderBy.MatchString(s)
}

var (
	literals    = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"`)
	numbers     = regexp.MustCompile(`\b\d[\w.]*`)
	space       = regexp.MustCompile(`\s+`)
	parentheses = regexp.MustCompile(`\([^()]*\)`)
	orderBy     = regexp.MustCompile(`(?i)\border\s+by\b(\s+null\b)?`)
)

// shape is a text without what its literals are.
func shape(sql string) string {
	s := literals.ReplaceAllString(sql, "S")
	return strings.ToLower(space.ReplaceAllString(numbers.ReplaceAllString(s, "N"), " "))
}
