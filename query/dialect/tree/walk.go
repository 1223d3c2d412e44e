package tree

import "slices"

// Walk calls visit for a node and, if that returns true, for all nodes in it, in the order of the text. Names are nodes as well, of type
// *Ident. What is not there (nil, or a name that is not given) is not visited. visit must not change the nodes.
//
// The stack grows with the height of the tree, which package grammar bounds.
func Walk(n Node, visit func(Node) bool) {
	w := walker{visit: visit}
	w.walk(n)
}

type walker struct {
	visit func(Node) bool
	// waiting are the nodes that are known and not visited, with those of the innermost node at the end.
	waiting []Node
}

func (w *walker) walk(n Node) {
	if !w.visit(n) {
		return
	}
	from := len(w.waiting)
	w.waiting = n.appendChildren(w.waiting)
	to := len(w.waiting)
	inOrder(w.waiting[from:to])
	for i := from; i < to; i++ {
		w.walk(w.waiting[i])
	}
	clear(w.waiting[from:to])
	w.waiting = w.waiting[:from]
}

// inOrder puts nodes in the order of the text. Most are already, since the fields of most nodes are.
func inOrder(nodes []Node) {
	byStart := func(a, b Node) int { return int(a.Place().Start) - int(b.Place().Start) }
	if !slices.IsSortedFunc(nodes, byStart) {
		slices.SortStableFunc(nodes, byStart)
	}
}

// Rewrite makes a tree out of another one: f gets each node, after those in it, and returns it, or what shall stand in its place. That has to be
// of a type that can stand there, and must not be nil; else Rewrite panics. Nodes in which nothing changes are the same nodes as before, the
// others are copies: the tree that was there stays as it is.
func Rewrite(n Node, f func(Node) Node) Node { return f(n.rewrite(f)) }

// rewriteOne is Rewrite for the field of a node, and notes whether it changes.
func rewriteOne[T interface {
	comparable
	Node
}](x T, f func(Node) Node, changed *bool) T {
	y := Rewrite(x, f).(T)
	if y != x {
		*changed = true
	}
	return y
}

// rewriteName is rewriteOne for a name that is a part of its node.
func rewriteName(x *Ident, f func(Node) Node, changed *bool) Ident { return *rewriteOne(x, f, changed) }

// rewriteList is rewriteOne for the nodes of a list, of which some may be nil.
func rewriteList[T interface {
	comparable
	Node
}](list []T, f func(Node) Node, changed *bool) []T {
	var none T
	out := list
	for i, x := range list {
		if x == none {
			continue
		}
		one := false
		y := rewriteOne(x, f, &one)
		if !one {
			continue
		}
		*changed = true
		if &out[0] == &list[0] {
			out = slices.Clone(list)
		}
		out[i] = y
	}
	return out
}

// rewriteNames is rewriteList for names.
func rewriteNames(list []Ident, f func(Node) Node, changed *bool) []Ident {
	out := list
	for i := range list {
		one := false
		y := rewriteName(&list[i], f, &one)
		if !one {
			continue
		}
		*changed = true
		if &out[0] == &list[0] {
			out = slices.Clone(list)
		}
		out[i] = y
	}
	return out
}
