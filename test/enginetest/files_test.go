package enginetest

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	knownFile  = "testdata/known_failures"
	memoryFile = "testdata/memory"
)

const knownHeader = `# Tests of go-mysql-server's suite that fail in query.Session: name, tab, cause.
# TestSuite fails when one of them passes, and when another one fails.
`

// byMachine matches causes that causeOf has worded.
var byMachine = regexp.MustCompile(`^open: (MariaDB .*, we |we refuse it)`)

const memoryHeader = `# How many tests of each function go-mysql-server's memory backend passes.
# Written by DURAMEN_ENGINETEST_BACKEND=memory DURAMEN_TEST_SCALE=full.
`

// lines gives those of a file that are neither empty nor a comment.
func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// readKnown gives the cause of each known failure by the test's name.
func readKnown(t *testing.T) map[string]string {
	t.Helper()
	known := map[string]string{}
	for _, line := range lines(t, knownFile) {
		name, cause, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(cause) == "" {
			t.Errorf("%s: %q names no cause", knownFile, line)
		}
		known[name] = cause
	}
	return known
}

// writeKnown puts failures on file. What was open, or is new, gets the cause
// that a judge has found, if there was one; a cause that somebody has written
// stays unless MariaDB answers as we do now.
func writeKnown(t *testing.T, known map[string]string, failures []string, judged map[string]string, ran func(string) bool) {
	t.Helper()
	next := map[string]string{}
	for name, cause := range known {
		if !ran(name) {
			next[name] = cause
		}
	}
	for _, name := range failures {
		cause, found := known[name], judged[name]
		byJudge := cause == asMariaDB || cause == afterRefused || byMachine.MatchString(cause)
		if cause == "" || found == asMariaDB || strings.HasPrefix(cause, open) && found == afterRefused || byJudge && (found != "" || cause == asMariaDB && wantsJudge()) {
			cause = found // empty without a judge, and of what it was not asked: it has to be written by hand
		}
		next[name] = cause
	}
	var b strings.Builder
	b.WriteString(knownHeader)
	for _, name := range slices.Sorted(maps.Keys(next)) {
		fmt.Fprintf(&b, "%s\t%s\n", name, next[name])
	}
	if err := os.WriteFile(knownFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readMemory(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, line := range lines(t, memoryFile) {
		name, count, _ := strings.Cut(line, "\t")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%s: %q: %v", memoryFile, line, err)
		}
		counts[name] = n
	}
	return counts
}

// writeMemory reports what the memory backend passes and, when asked to, puts
// it on file.
func writeMemory(t *testing.T, names []string, got results) {
	t.Helper()
	counts := map[string]int{}
	for _, name := range names {
		counts[name] = 0
	}
	for _, leaf := range got.leaves() {
		if got[leaf] == passed {
			function, _, _ := strings.Cut(leaf, "/")
			counts[function]++
		}
	}
	t.Logf("the memory backend passes %d tests", got.passes())
	for _, f := range got.failures() {
		t.Logf("the memory backend fails %s", f)
	}
	if os.Getenv("DURAMEN_ENGINETEST_UPDATE") != "1" {
		return
	}
	var b strings.Builder
	b.WriteString(memoryHeader)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s\t%d\n", name, counts[name])
	}
	if err := os.WriteFile(memoryFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
