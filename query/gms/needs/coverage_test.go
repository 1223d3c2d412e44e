package needs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

// notStatements are those that the parser never makes, or that are never run by themselves.
var notStatements = []string{"Stream", "OtherRead", "OtherAdmin", "SrsAttribute", "InjectedStatement"}

// TestEveryStatement compares the parser's types of statements with the cases of Of, both from the source.
func TestEveryStatement(t *testing.T) {
	file, _ := runtime.FuncForPC(reflect.ValueOf(sqlparser.Parse).Pointer()).FileLine(0)
	all := statementTypes(t, filepath.Dir(file))
	require.Greater(t, len(all), 60)
	named := casesOf(t)
	for _, name := range all {
		if !slices.Contains(notStatements, name) {
			require.Contains(t, named, name, "a statement without an entry")
		}
	}
}

// statementTypes are the types with a method iStatement.
func statementTypes(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "ast*.go"))
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "iStatement" {
				continue
			}
			typ := fn.Recv.List[0].Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			out = append(out, typ.(*ast.Ident).Name)
		}
	}
	return out
}

// casesOf are the types that this package's switches over statements name.
func casesOf(t *testing.T) []string {
	tree, err := parser.ParseFile(token.NewFileSet(), "statement.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var out []string
	ast.Inspect(tree, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok {
			return true
		}
		for _, e := range c.List {
			if star, ok := e.(*ast.StarExpr); ok {
				if sel, ok := star.X.(*ast.SelectorExpr); ok {
					out = append(out, sel.Sel.Name)
				}
			}
		}
		return true
	})
	return out
}
