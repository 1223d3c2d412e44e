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

// largeTypes are the types with more methods than that, and how many they have: the numbers only get smaller.
var largeTypes = map[string]int{

}

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
		allowed, known := largeTypes[name]
		switch {
		case known && n < allowed:
			problems = append(problems, fmt.Sprintf("%s has %d methods: write the smaller number into internal/lint/sizes.go", name, n))
		case n > max(methodsMax, allowed):
			problems = append(problems, fmt.Sprintf("%s has %d methods, %d are enough: a part of it is a type of its own", name, n, max(methodsMax, allowed)))
		}
	}
	for name := range largeTypes {
		if counts[name] == 0 {
			problems = append(problems, fmt.Sprintf("%s is not there any more: take it out of internal/lint/sizes.go", name))
		}
	}
	sort.Strings(problems)
	return problems
}
