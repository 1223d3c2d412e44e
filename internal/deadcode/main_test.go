package main

import (
	"slices"
	"strings"
	"testing"
)

func reported(path string, names ...string) reportedPackage {
	p := reportedPackage{Path: module + path}
	for _, n := range names {
		f := struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}{Name: n}
		f.Position.File, f.Position.Line = "a.go", 7
		p.Funcs = append(p.Funcs, f)
	}
	return p
}

func TestJudge(t *testing.T) {
	packages := []reportedPackage{
		reported("/row", "Decode", "Column.empty"), reported("/engine/enginetest", "Run"), reported("/test/peer", "Start"), reported("", "Start"),
	}
	packages = append(packages, reported("/new", "Parse", "print"), reported("/begun", "Parse"))
	vector := reported("/values", "Add", "Sum")
	vector.Funcs[0].Position.File = module + "/values/vector.go"
	packages = append(packages, vector)
	allowed := map[string]string{
		"row.Decode": "a reason", "row.Gone": "a reason", "new/": "a reason", "begun/": "a reason", "values/vector.go": "a reason", "values/live.go": "a reason",
	}
	got := judge(packages, allowed, map[string]bool{"row": true, "begun": true})
	want := []string{"a.go:7: no program calls .Start", "a.go:7: no program calls begun.Parse", "a.go:7: no program calls row.Column.empty", "a.go:7: no program calls values.Sum",
		"internal/deadcode/allowed.txt: begun/ is not dead", "internal/deadcode/allowed.txt: row.Gone is not dead",
		"internal/deadcode/allowed.txt: values/live.go is not dead"}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want lines that begin as %q", got, want)
	}
}

func TestAllowedHasReasons(t *testing.T) {
	if _, err := parseAllowed(allowedText); err != nil {
		t.Error(err)
	}
	if _, err := parseAllowed("# why\n\nrow.Decode   \n"); err == nil {
		t.Error("a line without a reason was accepted")
	}
}
