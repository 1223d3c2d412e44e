package main

import (
	"bytes"
	_ "embed" // the exceptions
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
)

// tool is pinned, so that a new release changes no verdict.
const tool = "golang.org/x/tools/cmd/deadcode@v0.49.0"

const (
	module = "github.com/duramendb/duramen"
	tags   = "gms_pure_go"
)

//go:embed allowed.txt
var allowedText string

// reportedPackage is what the tool says of one package.
type reportedPackage struct {
	Path  string
	Funcs []struct {
		Name     string
		Position struct {
			File string
			Line int
		}
	}
}

func main() {
	packages, err := unreachable()
	var allowed map[string]string
	if err == nil {
		allowed, err = parseAllowed(allowedText)
	}
	var used map[string]bool
	if err == nil {
		used, err = imported()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "deadcode:", err)
		os.Exit(2)
	}
	problems := judge(packages, allowed, used)
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// unreachable runs the tool.
func unreachable() ([]reportedPackage, error) {
	cmd := exec.Command("go", "run", tool, "-json", "-tags", tags, "./...")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	var packages []reportedPackage
	if err := json.Unmarshal(out.Bytes(), &packages); err != nil {
		return nil, fmt.Errorf("output of %s: %w", tool, err)
	}
	return packages, nil
}

// imported are the packages that a program of this repository imports.
func imported() (map[string]bool, error) {
	cmd := exec.Command("go", "list", "-deps", "-tags", tags, "./cmd/...", "./examples/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		used[short(strings.TrimSpace(line))] = true
	}
	return used, nil
}

// short is an import path without the module's.
func short(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

// parseAllowed reads lines of a function, or a file, and its reason.
func parseAllowed(text string) (map[string]string, error) {
	allowed := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if reason = strings.TrimSpace(reason); reason == "" {
			return nil, errors.New("allowed.txt: " + name + " has no reason")
		}
		allowed[name] = reason
	}
	return allowed, nil
}

// wholePackage ends the name of a package of which everything is allowed, as long as no program imports it.
const wholePackage = "/"

// judge gives what is wrong, in order.
func judge(packages []reportedPackage, allowed map[string]string, used map[string]bool) []string {
	var problems []string
	needed := map[string]bool{}
	for _, p := range packages {
		pkg := short(p.Path)
		if forTests(pkg) {
			continue
		}
		if whole := pkg + wholePackage; allowed[whole] != "" && !used[pkg] {
			needed[whole] = true
			continue
		}
		for _, f := range p.Funcs {
			name := pkg + "." + f.Name
			if _, ok := allowed[name]; ok {
				needed[name] = true
				continue
			}
			if file := short(f.Position.File); allowed[file] != "" {
				needed[file] = true
				continue
			}
			problems = append(problems, fmt.Sprintf("%s:%d: no program calls %s: delete it, or move it into the tests that call it (internal/deadcode)",
				f.Position.File, f.Position.Line, name))
		}
	}
	for name := range allowed {
		if !needed[name] {
			problems = append(problems, "internal/deadcode/allowed.txt: "+name+" is not dead, or gone: remove the line")
		}
	}
	sort.Strings(problems)
	return problems
}

// forTests reports whether only tests import a package: by their place or their name, as in internal/lint, and the
// file system of the crash laboratory.
func forTests(pkg string) bool {
	return strings.HasPrefix(pkg, "test/") || strings.HasSuffix(pkg, "test") || pkg == "internal/crashfs"
}
