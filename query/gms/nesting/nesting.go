// Package nesting bounds how deep a parsed statement may be nested.
//
// go-mysql-server binds, analyses, prints and evaluates a statement by functions that
// call themselves for every level of its syntax tree. A goroutine's stack grows to 1 GB
// and the process ends when it wants more: no recover sees that. The parser keeps its stack
// on the heap, so the place to refuse a statement is between the parser and everything else.
//
// Check walks with a stack of its own, over every field of every node, so that nothing
// escapes that a node's own walk leaves out (bodies of routines, default values, views). On its way
// it finds what the parser takes and MariaDB's grammar does not (grammar.go).
package nesting

import (
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Bounds of a statement.
const (
	// LevelsMax is how many nodes of the syntax tree may lie one below the other. MariaDB, with its
	// default thread_stack of 299008 bytes, refuses about 700 operators (error 1436).
	LevelsMax = 1000
	// SelectsMax is MariaDB's bound of SELECTs within SELECTs (MAX_SELECT_NESTING).
	SelectsMax = 63
	// TablesMax is MariaDB's bound of tables in one join (MAX_TABLES less the bits of pseudo tables).
	TablesMax = 61
	// chainMin is the number of terms of an AND or OR from which it is made a balanced tree.
	chainMin = 16
)

// place is a node that is still to be looked at.
type place struct {
	v       reflect.Value
	levels  int // nodes above it
	selects int // SELECTs above it
}

// Check refuses a statement that is nested too deep (1436, 1473) or joins too many tables
// (1116). Chains of AND and of OR, which may have any number of terms, are made balanced trees
// first: both are associative, and the order of the terms stays.
func Check(ast sqlparser.Statement) error {
	if ast == nil {
		return nil
	}
	with := false
	if err := walk(ast, &with); err != nil || !with {
		return err
	}
	return expansions(ast)
}

// walk does all of Check but what expansions does; it says whether there is a WITH clause.
func walk(ast sqlparser.Statement, with *bool) error {
	todo := []place{{v: reflect.ValueOf(ast)}}
	var g grammar
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch p.v.Kind() {
		case reflect.Interface:
			if !p.v.IsNil() {
				todo = append(todo, place{p.v.Elem(), p.levels, p.selects})
			}
		case reflect.Slice:
			if isLeaf(p.v.Type().Elem()) {
				continue
			}
			for i := range p.v.Len() {
				todo = append(todo, place{p.v.Index(i), p.levels, p.selects})
			}
		case reflect.Map:
			for it := p.v.MapRange(); it.Next(); {
				todo = append(todo, place{it.Value(), p.levels, p.selects})
			}
		case reflect.Pointer:
			if p.v.IsNil() || p.v.Type().Elem().Kind() != reflect.Struct {
				continue
			}
			if p.levels++; p.levels > LevelsMax {
				return tooDeep()
			}
			if p.v.CanInterface() {
				node := p.v.Interface()
				if _, ok := node.(*sqlparser.With); ok {
					*with = true
				}
				if err := g.check(node); err != nil {
					return err
				}
				leaf, err := visit(node, &p)
				if err != nil {
					return err
				}
				if leaf {
					continue
				}
			}
			todo = append(todo, place{p.v.Elem(), p.levels, p.selects})
		case reflect.Struct:
			t := p.v.Type()
			for i := range t.NumField() {
				if !isLeaf(t.Field(i).Type) {
					todo = append(todo, place{p.v.Field(i), p.levels, p.selects})
				}
			}
		}
	}
	if err := g.aggregates(); err != nil {
		return err
	}
	return g.windows()
}

// visit does what nodes of some types need; leaf says that nothing is below the node.
func visit(node any, p *place) (leaf bool, err error) {
	switch n := node.(type) {
	case *sqlparser.SQLVal:
		return true, nil
	case *sqlparser.ColName:
		return n.StoredProcVal == nil, nil
	case *sqlparser.AndExpr:
		balance(n, andTerms)
	case *sqlparser.OrExpr:
		balance(n, orTerms)
	case *sqlparser.Select:
		if p.selects++; p.selects > SelectsMax {
			return false, mysqlerr.New(mysqlerr.TooHighLevelOfNestingForSelect)
		}
		if tables(n.From) > TablesMax {
			return false, mysqlerr.New(mysqlerr.TooManyTables, TablesMax)
		}
	}
	return false, nil
}

func tooDeep() error { return mysqlerr.New(mysqlerr.StackOverrunNeedMore, LevelsMax) }

// isLeaf reports whether values of a type lead to no node.
func isLeaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Slice, reflect.Map, reflect.Pointer, reflect.Struct:
		return false
	}
	return true
}

// tables counts the tables of a FROM clause, without those of derived tables.
func tables(from sqlparser.TableExprs) int {
	n := 0
	todo := append([]sqlparser.TableExpr{}, from...)
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch t := last.(type) {
		case *sqlparser.JoinTableExpr:
			todo = append(todo, t.LeftExpr, t.RightExpr)
		case *sqlparser.ParenTableExpr:
			todo = append(todo, t.Exprs...)
		case nil:
		default:
			n++
		}
	}
	return n
}

// andTerms gives the places of both sides of an AND; nil for another node.
func andTerms(e sqlparser.Expr) (left, right *sqlparser.Expr) {
	if n, ok := e.(*sqlparser.AndExpr); ok && n != nil {
		return &n.Left, &n.Right
	}
	return nil, nil
}

// orTerms is andTerms for OR.
func orTerms(e sqlparser.Expr) (left, right *sqlparser.Expr) {
	if n, ok := e.(*sqlparser.OrExpr); ok && n != nil {
		return &n.Left, &n.Right
	}
	return nil, nil
}

// balance makes a long chain of one operator, whose top is given, a balanced tree of the
// same nodes.
func balance(top sqlparser.Expr, sides func(sqlparser.Expr) (left, right *sqlparser.Expr)) {
	// Most chains are short, and lean to the left.
	n := 1
	for e := top; n < chainMin; n++ {
		left, _ := sides(e)
		if left == nil {
			return
		}
		e = *left
	}
	var terms, nodes []sqlparser.Expr
	todo := []sqlparser.Expr{top}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if left, right := sides(e); left != nil {
			nodes = append(nodes, e)
			todo = append(todo, *right, *left)
			continue
		}
		terms = append(terms, e)
	}
	join(terms, nodes, sides)
}

// join makes a tree of the terms whose top is the first node; there is one node less
// than terms. It calls itself as often as the logarithm of their number.
func join(terms, nodes []sqlparser.Expr, sides func(sqlparser.Expr) (left, right *sqlparser.Expr)) sqlparser.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	left, right := sides(nodes[0])
	half := len(terms) / 2
	*left = join(terms[:half], nodes[1:half], sides)
	*right = join(terms[half:], nodes[half:], sides)
	return nodes[0]
}
