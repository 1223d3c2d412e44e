package enginetest

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// outcome of one test: PASS, FAIL or SKIP as package testing prints it, or
// started as long as nothing more is known.
type outcome string

const (
	passed  outcome = "PASS"
	failed  outcome = "FAIL"
	skipped outcome = "SKIP"
	started outcome = "started"
)

// results maps the full names of tests (TestScripts/some_script/some_query) to
// their outcomes.
type results map[string]outcome

// Package testing puts a SYN before each line that is its own.
var (
	reResult  = regexp.MustCompile(`\x16\s*--- (PASS|FAIL|SKIP): (.*) \([0-9.]+s\)$`)
	reStarted = regexp.MustCompile(`\x16=== RUN   (.*)$`)
	reTest    = regexp.MustCompile(`\x16=== (?:RUN|NAME|CONT) +(\S.*)$`)
)

// parse reads the output of a child. Names there begin with TestChild/.
func parse(output []byte) results {
	r := results{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := reStarted.FindStringSubmatch(line); m != nil {
			if name, ok := strings.CutPrefix(m[1], "TestChild/"); ok {
				r[name] = started
			}
		} else if m := reResult.FindStringSubmatch(line); m != nil {
			if name, ok := strings.CutPrefix(m[2], "TestChild/"); ok {
				r[name] = outcome(m[1])
			}
		}
	}
	return r
}

// Causes of what a judge has decided, and the beginning of that of the rest.
const (
	asMariaDB = "MariaDB answers as we do"
	// afterRefused: a MariaDB that was not told the statements that we refuse
	// answers this one as we do.
	afterRefused = "follows from a refused statement (1235)"
	open         = "open: "
)

var (
	reVerdict       = regexp.MustCompile(`^answers ("(?:[^"\\]|\\.)*"), we ("(?:[^"\\]|\\.)*") to `)
	controls        = regexp.MustCompile(`[\x00-\x08\x0e-\x1f\x7f]`)
	reRefusedBefore = regexp.MustCompile(` ([1-9][0-9]*) refused before\)$`)
)

// judged gives the cause that a judge found for each test to fail, if one was
// there: what its statements were answered as, or the first of them that was not.
func judged(output []byte) map[string]string {
	found := map[string]string{}
	test := ""
	for line := range strings.Lines(string(output)) {
		line = strings.TrimRight(line, "\n")
		if m := reTest.FindStringSubmatch(line); m != nil {
			test = strings.TrimPrefix(m[1], "TestChild/")
		} else if said, ok := strings.CutPrefix(line, verdictMark); ok {
			if cause, before := causeOf(said), found[test]; before == "" || before == asMariaDB || before == afterRefused && cause != asMariaDB {
				found[test] = cause
			}
		}
	}
	return found
}

// causeOf is the cause that a verdict gives to a failing test.
func causeOf(said string) string {
	switch {
	case strings.HasPrefix(said, verdictSame):
		if reRefusedBefore.MatchString(said) {
			return afterRefused
		}
		return asMariaDB
	case strings.HasPrefix(said, verdictRefused):
		return open + "we refuse it (1235)"
	}
	m := reVerdict.FindStringSubmatch(said)
	if m == nil {
		return open + said
	}
	theirs, ours := unquoted(m[1]), unquoted(m[2])
	from := 0
	for from < min(len(theirs), len(ours)) && theirs[from] == ours[from] {
		from++
	}
	return open + "MariaDB " + excerpt(theirs, from) + ", we " + excerpt(ours, from)
}

func unquoted(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		s = u
	}
	s = controls.ReplaceAllStringFunc(s, func(c string) string { return fmt.Sprintf(`\x%02x`, c[0]) })
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\n", " / ")), " ")
}

// excerpt is the part of an answer where it begins to differ.
func excerpt(s string, from int) string {
	if s == "" {
		return "nothing"
	}
	end := ""
	if from = max(0, from-20); from > 0 {
		s, end = s[from:], "…"
	}
	if len(s) > 70 {
		return strings.ToValidUTF8(end+s[:70], "") + "…"
	}
	return strings.ToValidUTF8(end+s, "")
}

// unfinished gives the deepest test that began and did not end: the one that
// panicked or hung.
func (r results) unfinished() string {
	deepest := ""
	for name, o := range r {
		if o == started && strings.Count(name, "/") >= strings.Count(deepest, "/") && name > deepest {
			deepest = name
		}
	}
	return deepest
}

// leaves gives the names of the tests that have no subtests.
func (r results) leaves() []string {
	names := slices.Sorted(maps.Keys(r))
	inner := map[string]bool{}
	for _, name := range names {
		for i := range name {
			if name[i] == '/' {
				inner[name[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return inner[n] })
}

// failures gives the failed leaves, and those inner tests that failed although
// nothing below them did: they failed themselves, or broke off.
func (r results) failures() []string {
	below := map[string]bool{} // tests with a failure somewhere below
	var failures []string
	names := slices.Sorted(maps.Keys(r))
	slices.SortStableFunc(names, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, name := range names {
		if r[name] != failed {
			continue
		}
		if !below[name] {
			failures = append(failures, name)
		}
		for i := range name {
			if name[i] == '/' {
				below[name[:i]] = true
			}
		}
	}
	slices.Sort(failures)
	return failures
}

// passes counts the leaves that passed.
func (r results) passes() (n int) {
	for _, name := range r.leaves() {
		if r[name] == passed {
			n++
		}
	}
	return n
}
