package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// structs are the types of the package.
type structs struct {
	fields map[string][]field // of structs
	nodes  []string           // structs that are nodes, in the order of their names
	others map[string]bool    // interfaces of nodes
}

// field is a field of a struct, embedded ones among them.
type field struct {
	name string
	typ  ast.Expr
}

// shape is how a field holds nodes.
type shape uint8

// The shapes.
const (
	noNode     shape = iota
	oneNode          // a node, by a pointer or an interface, or nil
	nameNode         // an Ident that is a part of the struct
	partStruct       // a struct that is no node and has some
	someNodes        // a list
)

// identType is the type of names.
const identType = "Ident"

// read takes in the types of a directory, but not those of what is generated and of tests.
func read(dir string) (*structs, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &structs{fields: map[string][]field{}, others: map[string]bool{}}
	prints := map[string]bool{}
	for _, path := range paths {
		if base := filepath.Base(path); strings.HasSuffix(base, "_test.go") || base == walkFile || base == rewriteFile {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				s.declare(d)
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.Name == "print" {
					prints[baseOf(d.Recv.List[0].Type)] = true
				}
			}
		}
	}
	for name, fields := range s.fields {
		if prints[name] && len(fields) > 0 && fields[0].name == "Span" {
			s.nodes = append(s.nodes, name)
		}
	}
	slices.Sort(s.nodes)
	if len(s.nodes) == 0 {
		return nil, fmt.Errorf("no nodes in %s", dir)
	}
	return s, nil
}

// declare takes in the types of a declaration. Interfaces that have another one embedded are those of nodes.
func (s *structs) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.TypeParams != nil {
			continue
		}
		switch x := t.Type.(type) {
		case *ast.InterfaceType:
			s.others[t.Name.Name] = true
		case *ast.StructType:
			fields := []field{}
			for _, f := range x.Fields.List {
				if f.Names == nil {
					fields = append(fields, field{baseOf(f.Type), f.Type})
				}
				for _, name := range f.Names {
					fields = append(fields, field{name.Name, f.Type})
				}
			}
			s.fields[t.Name.Name] = fields
		}
	}
}

func baseOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return baseOf(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// shapeOf is how a type holds nodes, and an error for one that could and is not understood.
func (s *structs) shapeOf(t ast.Expr) (shape, error) {
	switch t := t.(type) {
	case *ast.Ident:
		switch {
		case s.others[t.Name]:
			return oneNode, nil
		case t.Name == identType:
			return nameNode, nil
		case slices.Contains(s.nodes, t.Name):
			return noNode, fmt.Errorf("a %s is not held by a pointer", t.Name)
		}
		for _, f := range s.fields[t.Name] {
			inner, err := s.shapeOf(f.typ)
			if err != nil {
				return noNode, err
			}
			if inner != noNode {
				return partStruct, nil
			}
		}
		return noNode, nil
	case *ast.StarExpr:
		name := baseOf(t)
		if slices.Contains(s.nodes, name) {
			return oneNode, nil
		}
		inner, err := s.shapeOf(t.X)
		if err == nil && inner != noNode {
			err = fmt.Errorf("a *%s is no node and has some", name)
		}
		return noNode, err
	case *ast.ArrayType:
		if t.Len != nil {
			return noNode, fmt.Errorf("an array, of %s", baseOf(t.Elt))
		}
		inner, err := s.shapeOf(t.Elt)
		if err != nil || inner == noNode {
			return noNode, err
		}
		return someNodes, nil
	}
	return noNode, fmt.Errorf("a type that is not understood: %T", t)
}
