package main

import (
	"fmt"
	"go/ast"
	"sort"
)

// Nobody finds his way in a file of thousands of lines, or in a type with a hundred methods.
const (
	linesMax   = 500
	methodsMax = 60
)

// countMethods adds the methods of a file's types to counts, by package and type.
func countMethods(pkg string, f *ast.File, counts map[string]int) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || len(fn.Recv.List) != 1 {
			continue
		}
		t := fn.Recv.List[0].Type
		if p, ok := t.(*ast.StarExpr); ok {
			t = p.X
		}
		if x, ok := t.(*ast.IndexExpr); ok { // a type with a parameter
			t = x.X
		}
		if name, ok := t.(*ast.Ident); ok {
			counts[pkg+"."+name.Name]++
		}
	}
}

// checkMethods tells which types have too many methods.
func checkMethods(counts map[string]int) []string {
	var problems []string
	for name, n := range counts {
		if n > methodsMax {
			problems = append(problems, fmt.Sprintf("%s has %d methods, %d are enough: a part of it is a type of its own", name, n, methodsMax))
		}
	}
	sort.Strings(problems)
	return problems
}
