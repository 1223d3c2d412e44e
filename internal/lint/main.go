package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

func main() {
	root := "."
	if len(os.Args) > 1 && os.Args[1] == "-drawing" {
		fmt.Print(drawing())
		return
	}
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	problems, err := check(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// check gives the problems of all Go files below root, in order.
func check(root string) ([]string, error) {
	var problems []string
	documented := map[string]bool{} // package directory -> says what it is
	methods := map[string]int{}     // package.Type -> how many
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "data") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := checkFile(filepath.ToSlash(rel), src)
		if err != nil {
			return err
		}
		problems = append(problems, f.problems...)
		dir := filepath.ToSlash(filepath.Dir(rel))
		documented[dir] = documented[dir] || f.documented
		for name, n := range f.methods {
			methods[name] += n
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for dir, ok := range documented {
		if !ok {
			problems = append(problems, dir+": no package comment (it belongs into doc.go)")
		}
	}
	if pkg := undrawn(); pkg != "" {
		problems = append(problems, "internal/lint/drawing.go: package "+pkg+" is in no layer")
	}
	if drawn, err := os.ReadFile(filepath.Join(root, drawingFile)); err != nil || string(drawn) != drawing() {
		problems = append(problems, drawingFile+" is stale: go run ./internal/lint -drawing > "+drawingFile)
	}
	if pkg := cycle(); pkg != "" {
		problems = append(problems, "internal/lint/imports.go: the import table has a cycle through "+pkg)
	}
	problems = append(problems, checkMethods(methods)...)
	sort.Strings(problems)
	return problems, nil
}

type file struct {
	problems   []string
	documented bool
	methods    map[string]int
}

// unfinished is written so that this file does not contain the marks itself.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b|not ` + `implemented`)

func checkFile(path string, src []byte) (file, error) {
	var f file
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		return f, err
	}
	report := func(pos token.Pos, format string, args ...any) {
		f.problems = append(f.problems, fmt.Sprintf("%s:%d: %s", path, fset.Position(pos).Line, fmt.Sprintf(format, args...)))
	}
	f.documented = parsed.Doc != nil

	if !ast.IsGenerated(parsed) {
		if formatted, err := format.Source(src); err != nil || !bytes.Equal(formatted, src) {
			report(parsed.Package, "is not formatted by gofmt")
		}
	}
	pkg := path[:max(0, strings.LastIndexByte(path, '/'))]
	if pkg == "" {
		pkg = "."
	}
	inTest := strings.HasSuffix(path, "_test.go")
	if n := bytes.Count(src, []byte("\n")); n > linesMax && !ast.IsGenerated(parsed) {
		f.problems = append(f.problems, fmt.Sprintf("%s: %d lines, at most %d: a part of it is a file of its own", path, n, linesMax))
	}
	f.methods = map[string]int{}
	if !inTest {
		countMethods(pkg, parsed, f.methods)
	}
	for _, imp := range parsed.Imports {
		if wrong := checkImport(pkg, strings.Trim(imp.Path.Value, `"`), inTest); wrong != "" {
			report(imp.Pos(), "%s", wrong)
		}
	}
	for i, line := range bytes.Split(src, []byte("\n")) {
		if m := unfinished.Find(line); m != nil {
			f.problems = append(f.problems, fmt.Sprintf("%s:%d: %q marks unfinished work: finish it, or open an issue", path, i+1, m))
		}
	}
	if inTest {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" {
						report(call.Pos(), "a test must not sleep: await the condition (peer.Await, a channel) or inject the clock")
					}
				}
			}
			return true
		})
	}
	return f, nil
}
