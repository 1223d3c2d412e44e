// Package dialecttest finds the statements of package dialect in its source, so that tests of those who handle them can tell whether
// one was forgotten.
package dialecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Statements are the names of the types of package dialect, which is in a directory, that are statements: those with a method String,
// which no other type there has.
func Statements(t testing.TB, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, d := range parse(t, f).Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv != nil && fn.Name.Name == "String" {
				out = append(out, fn.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	require.NotEmpty(t, out, dir)
	return out
}

// Cases are the names of the types of package dialect that the type switches of a function name.
func Cases(t testing.TB, file, function string) []string {
	var out []string
	for _, d := range parse(t, file).Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != function {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range c.List {
				sel, ok := e.(*ast.SelectorExpr)
				if !ok {
					continue
				}
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "dialect" {
					out = append(out, sel.Sel.Name)
				}
			}
			return true
		})
	}
	require.NotEmpty(t, out, "%s in %s", function, file)
	return out
}

func parse(t testing.TB, file string) *ast.File {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	return tree
}
