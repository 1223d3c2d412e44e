package dialecttest

import (
	"fmt"
	"reflect"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// CheckWalk says what is wrong with how Walk and Rewrite go through a tree whose text has a length: Walk visits all nodes that its structs
// hold, no other ones, each in the place of the one that it is in and behind those before it, and Rewrite leaves alone what does not change.
func CheckWalk(s tree.Node, length int) error {
	held := map[tree.Node]bool{}
	hold(reflect.ValueOf(&s).Elem(), held)
	visited := map[tree.Node]bool{}
	wrong := error(nil)
	root := tree.Span{End: int32(length)}
	if !within(s.Place(), root) {
		return fmt.Errorf("%T at %v of %d bytes", s, s.Place(), length)
	}
	tree.Walk(s, func(n tree.Node) bool {
		if visited[n] || !held[n] {
			wrong = fmt.Errorf("%T at %v is visited: before %v, held %v", n, n.Place(), visited[n], held[n])
		}
		visited[n] = true
		last := int32(0)
		for _, child := range children(n) {
			at := child.Place()
			if !within(at, n.Place()) || at.Start < last {
				wrong = fmt.Errorf("%T at %v in %T at %v, behind %d", child, at, n, n.Place(), last)
			}
			last = at.Start
		}
		return true
	})
	for n := range held {
		if !visited[n] {
			return fmt.Errorf("%T at %v is not visited", n, n.Place())
		}
	}
	if again := tree.Rewrite(s, func(n tree.Node) tree.Node { return n }); again != s {
		return fmt.Errorf("the tree is another one when nothing changed")
	}
	return wrong
}

// within reports whether a place is in another one. What does not stand in the text has none.
func within(inner, outer tree.Span) bool {
	return inner == tree.Span{} || outer.Start <= inner.Start && inner.Start <= inner.End && inner.End <= outer.End
}

// children are the nodes in a node, one level down.
func children(n tree.Node) (all []tree.Node) {
	tree.Walk(n, func(c tree.Node) bool {
		if c == n {
			return true
		}
		all = append(all, c)
		return false
	})
	return all
}

var identType = reflect.TypeFor[tree.Ident]()

// hold collects all nodes in a value. A name that is not given is none.
func hold(v reflect.Value, held map[tree.Node]bool) {
	switch v.Kind() {
	case reflect.Interface:
		hold(v.Elem(), held)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if n, ok := v.Interface().(tree.Node); ok {
			held[n] = true
		}
		if v.Elem().Kind() == reflect.Struct {
			parts(v.Elem(), held)
		}
	case reflect.Slice:
		for i := range v.Len() {
			hold(v.Index(i), held)
		}
	case reflect.Struct:
		if v.Type() == identType {
			if !v.IsZero() {
				held[v.Addr().Interface().(tree.Node)] = true
			}
			return
		}
		parts(v, held)
	}
}

func parts(v reflect.Value, held map[tree.Node]bool) {
	for i := range v.NumField() {
		hold(v.Field(i), held)
	}
}
