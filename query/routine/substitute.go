package routine

import (
	"github.com/duramendb/duramen/query/dialect/tree"
)

// places are what is known of the places of names in a statement before variables are put there.
type places struct {
	scope *scope
	// found are the references to variables.
	found map[*tree.ColumnRef]*variable
	// limits are those of LIMIT, where nothing but numbers may stand, and orders those by which is ordered or grouped, where a number is that of
	// a column.
	limits, orders map[*tree.ColumnRef]bool
	// targets are names that mean columns in any case: of those that get values, of VALUE(c) and its like.
	targets map[*tree.ColumnRef]bool
	// names are those of items of select lists, by where they begin.
	names map[int32]string
}

// Text is the text of a statement. Printed says that it is as trees are printed, whatever the session's sql_mode is.
type Text struct {
	SQL     string
	Printed bool
}

// inText is the text of a statement with the values of variables in the places of their names. It is as it was written if there are none. from is
// what it was read from.
func inText[T tree.Node](n T, sc *scope, from string) (Text, error) {
	out, err := substitute(n, sc, from)
	if err != nil {
		return Text{}, err
	}
	if at := n.Place(); tree.Node(out) == tree.Node(n) && at.End > 0 {
		return Text{SQL: from[at.Start:at.End]}, nil
	}
	return Text{tree.String(out), true}, nil
}

// substitute is a statement, or an expression, with the values of variables in the places of their names; text is what it was read from.
func substitute[T tree.Node](n T, sc *scope, text string) (T, error) {
	p := &places{scope: sc, found: map[*tree.ColumnRef]*variable{}, limits: map[*tree.ColumnRef]bool{}, orders: map[*tree.ColumnRef]bool{}, targets: map[*tree.ColumnRef]bool{}, names: map[int32]string{}}
	p.look(n, text)
	if len(p.found) == 0 {
		return n, nil
	}
	var failed error
	out := tree.Rewrite(n, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.ColumnRef:
			v := p.found[n]
			if v == nil {
				return n
			}
			x, err := v.expression(p.formOf(n))
			if err != nil {
				failed = err
				return n
			}
			return x
		case *tree.SelectItem:
			if name, ok := p.names[n.Start]; ok && n.Alias == nil {
				named := *n
				named.Alias = &tree.Ident{Span: n.Span, Text: name}
				return &named
			}
		}
		return n
	})
	return out.(T), failed
}

func (p *places) look(n tree.Node, text string) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Assignment:
			p.targets[n.Column] = true
		case *tree.ValueOf:
			p.targets[n.Column] = true
		case *tree.DefaultOf:
			p.targets[n.Column] = true
		case *tree.Match:
			for _, c := range n.Columns {
				p.targets[c] = true
			}
		case *tree.Insert:
			for _, c := range n.Columns {
				if c, ok := c.(*tree.ColumnRef); ok {
					p.targets[c] = true
				}
			}
		case *tree.Load:
			for _, c := range n.Fields {
				if c, ok := c.(*tree.ColumnRef); ok {
					p.targets[c] = true
				}
			}
		case *tree.Limit:
			for _, x := range []tree.Expr{n.Count, n.Offset, n.Examined} {
				if c, ok := x.(*tree.ColumnRef); ok {
					p.limits[c] = true
				}
			}
		case *tree.Order:
			if c, ok := n.X.(*tree.ColumnRef); ok {
				p.orders[c] = true
			}
		case *tree.SelectItem:
			if n.Alias == nil {
				p.name(n, text)
			}
		case *tree.ColumnRef:
			if v := p.scope.named(n); v != nil && !p.targets[n] {
				p.found[n] = v
			}
		}
		return true
	})
}

// name notes what an item of a select list is called that has no alias: what was read, whatever is in its place.
func (p *places) name(n *tree.SelectItem, text string) {
	switch x := n.X.(type) {
	case *tree.AllColumns:
		return
	case *tree.ColumnRef:
		if p.scope.named(x) != nil { // with its quotes, as MariaDB has it
			p.names[n.Start] = text[n.Start:n.End]
		}
		return
	}
	p.names[n.Start] = n.Written(text)
}

// formOf is how the value of a variable is written in the place of a name.
func (p *places) formOf(n *tree.ColumnRef) form {
	switch {
	case p.limits[n]:
		return bareNumber
	case p.orders[n]:
		return noNumber
	}
	return anyForm
}
