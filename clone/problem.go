package clone

import (
	"fmt"
	"slices"
	"strings"
)

// The kinds of things that are copied, as SkipErrors and reports name them.
const (
	kindDatabase  = "database"
	kindTable     = "table"
	kindSequence  = "sequence"
	kindView      = "view"
	kindProcedure = "procedure"
	kindFunction  = "function"
	kindPackage   = "package"
	kindBody      = "package body"
	kindTrigger   = "trigger"
	kindEvent     = "event"
	kindRole      = "role"
	kindUser      = "user"
	kindGrant     = "grant"
	kindEngine    = "engine" // of a table: it has no transactions
)

var kinds = []string{
	kindDatabase, kindTable, kindSequence, kindView, kindProcedure, kindFunction, kindPackage, kindBody, kindTrigger, kindEvent,
	kindRole, kindUser, kindGrant, kindEngine,
}

// Problem is something of the source that the new server cannot have.
type Problem struct {
	Kind string // "table", "view" ...
	Name string // db.name; of an account user@host
	Err  error  // what the new server says
}

// String is how a problem is told, beginning with what SkipErrors calls it.
func (p Problem) String() string { return fmt.Sprintf("%s:%s: %v", p.Kind, p.Name, p.Err) }

// ProblemsError is what Run returns for problems that SkipErrors does not name.
type ProblemsError struct{ Problems []Problem }

// Error implements error.
func (e *ProblemsError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = "  " + p.String()
	}
	return fmt.Sprintf("the new server cannot have %d of the source's objects; --skip-errors=KIND:NAME, KIND or all leaves them out:\n%s",
		len(lines), strings.Join(lines, "\n"))
}

// checkSkips refuses what names no kind.
func checkSkips(skips []string) error {
	for _, s := range skips {
		kind, _, _ := strings.Cut(s, ":")
		if s != "all" && !slices.Contains(kinds, kind) {
			return fmt.Errorf("--skip-errors=%s: %q is none of all, %s", s, kind, strings.Join(kinds, ", "))
		}
	}
	return nil
}

// skips tells whether one of the names in list stands for p.
func (p Problem) skips(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return s == "all" || s == p.Kind || s == p.Kind+":"+p.Name })
}

// unskipped are the problems that no name in list stands for.
func unskipped(problems []Problem, list []string) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.skips(list) })
}
