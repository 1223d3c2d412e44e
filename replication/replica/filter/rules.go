package filter

import (
	"fmt"
	"strings"
)

// Rules are what the variables say. An option of the command line or of an option file is one rule, as it stands, with its commas and spaces; those of one name add up.
type Rules struct {
	DoDB, IgnoreDB []string
	// These are "database.table", the last two with wildcards.
	DoTable, IgnoreTable, WildDoTable, WildIgnoreTable []string
	// RewriteDB is looked through in its order; the first that matches counts.
	RewriteDB []Rewrite
}

// Rewrite is a rule of replicate_rewrite_db.
type Rewrite struct{ From, To string }

// String is how replicate_rewrite_db shows it.
func (r Rewrite) String() string { return r.From + arrow + r.To }

const arrow = "->"

// RuleError is a rule that is not understood. SET GLOBAL answers MariaDB's error 1210, Incorrect arguments to SET; a server with such an option does not start.
type RuleError struct {
	Rule   string
	Syntax string // that it should have
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("rule '%s' of a replication filter is not of the form %s", e.Rule, e.Syntax)
}

// ParseDatabases reads the value of replicate_do_db or replicate_ignore_db: names with commas between them. Spaces before a name do not count, those after it do.
func ParseDatabases(value string) []string {
	var rules []string
	for rule := range strings.SplitSeq(value, ",") {
		if rule != "" {
			rules = append(rules, strings.TrimLeft(rule, spaces))
		}
	}
	return rules
}

const spaces = " \t\n\v\f\r"

// ParseTables reads the value of one of the four variables about tables. The error is a *RuleError: MariaDB keeps the rules before a wrong one then; who calls this
// had better change nothing.
func ParseTables(value string) ([]string, error) {
	rules := ParseDatabases(value)
	for _, r := range rules {
		if err := checkTable(r); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

func checkTable(rule string) error {
	if !strings.Contains(rule, ".") {
		return &RuleError{rule, "database.table"}
	}
	return nil
}

// ParseRewrites reads the value of replicate_rewrite_db: rules with commas between them. The error is a *RuleError, as that of ParseTables.
func ParseRewrites(value string) ([]Rewrite, error) {
	var rules []Rewrite
	for _, rule := range ParseDatabases(value) {
		r, err := ParseRewrite(rule)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// ParseRewrite reads one rule, which is what the option --replicate-rewrite-db has. The error is a *RuleError.
func ParseRewrite(rule string) (Rewrite, error) {
	from, to, found := strings.Cut(rule, arrow)
	r := Rewrite{strings.Trim(from, spaces), strings.Trim(to, spaces)}
	if !found || r.From == "" || r.To == "" {
		return Rewrite{}, &RuleError{rule, "FROM->TO"}
	}
	return r, nil
}
