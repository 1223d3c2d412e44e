package native

import (
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/shape"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
)

// literal is a literal of a text as a parameter: its value and type, which are those of the literal; false if it is better bound.
func literal(env *types.Env, of *shape.Text, text string, at int) (types.Value, types.Type, bool) {
	switch of.Kind(at) {
	case shape.Integer:
		return bind.Integer(of.Source(text, at))
	case shape.Fraction:
		return bind.Fraction(of.Source(text, at))
	case shape.String:
		return bind.PlainText(env, of.Unquote(at))
	}
	return types.Value{}, types.Type{}, false
}

// listMost is how many literals of IN are parameters at most: a longer list is looked into by a table, which is made once.
const listMost = 32

// lift makes those literals of a statement parameters that are compared with a column that takes them for what they are (compares), or that become the value of
// a column, or a number of LIMIT.
// The others are part of what the program means.
func (b *binding) lift(n tree.Statement, src *plan.Source) {
	k := b.keep
	if k == nil || k.literals == nil {
		return
	}
	l := k.literals
	nodes := map[int]tree.Expr{}
	eachValue(n, func(x tree.Expr, with *tree.ColumnRef) {
		at, kind := -1, shape.Other
		switch x := x.(type) {
		case *tree.NumberLit:
			if at, kind = l.Find(x.Start, x.End), shape.Integer; x.Kind == tree.DecimalNumber && at >= 0 && l.Kind(at) == shape.Fraction {
				kind = shape.Fraction
			}
		case *tree.TextLit:
			if x.Charset == "" && !x.National {
				at, kind = l.Find(x.Start, x.End), shape.String
			}
		}
		if at >= 0 && l.Kind(at) == kind && (with == nil || compares(src.Table, with.Name.Text, kind)) {
			nodes[at] = x
		}
	})
	b.binder.Lifted = map[tree.Expr]int{}
	text := b.text
	for at := range l.Count() {
		x := nodes[at]
		v, t, ok := types.Value{}, types.Type{}, false
		if x != nil {
			v, t, ok = literal(b.binder.Env, l, text, at)
		}
		if !ok {
			k.fixed = append(k.fixed, fixedLiteral{at, strings.Clone(l.Source(text, at))})
			continue
		}
		b.binder.Lifted[x] = len(k.given)
		k.given = append(k.given, at)
		b.binder.Params, b.frame.Params = append(b.binder.Params, t), append(b.frame.Params, v)
	}
	b.frame.Asked.Params = make([]bool, len(k.given))
	k.free = make([]bool, len(k.given))
	for i := range k.free {
		k.free[i] = true
	}
}

// compares reports whether a column and literals of a kind are compared as they are, or by what the type of the literal says, whatever its value is.
func compares(t *relation.Table, column string, with shape.Kind) bool {
	at := t.Find(column)
	if at < 0 {
		return false
	}
	switch kind := t.Columns[at].Type.Kind; kind {
	case types.Decimal, types.Float, types.Double:
		return with == shape.Integer || with == shape.Fraction
	case types.Date, types.Datetime, types.Timestamp:
		return with == shape.String
	default:
		return with == shape.Integer && kind.Integer() || with == shape.String && kind.IsString()
	}
}

// eachValue calls given with the expressions of conditions that are compared with a column, and with those that become the value of one, or of LIMIT (with is
// nil).
func eachValue(n tree.Statement, given func(x tree.Expr, with *tree.ColumnRef)) {
	conditions := func(n tree.Expr) {
		if n != nil {
			tree.Walk(n, func(n tree.Node) bool { compared(n, given); return true })
		}
	}
	assigned := func(list []*tree.Assignment) {
		for _, a := range list {
			given(a.Value, nil)
		}
	}
	limited := func(n *tree.Limit) {
		if n != nil && n.Examined == nil && !n.WithTies {
			given(n.Count, nil)
			given(n.Offset, nil)
		}
	}
	switch n := n.(type) {
	case *tree.Select:
		conditions(n.Where)
		limited(n.Limit)
	case *tree.Update:
		assigned(n.Set)
		conditions(n.Where)
		limited(n.Limit)
	case *tree.Delete:
		conditions(n.Where)
		limited(n.Limit)
	case *tree.Insert:
		for _, row := range n.Rows {
			for _, x := range row.Items {
				given(x, nil)
			}
		}
		assigned(n.Set)
		assigned(n.OnDuplicate)
	}
}

// compared calls given with what an operator compares with a column.
func compared(n tree.Node, given func(x tree.Expr, with *tree.ColumnRef)) {
	column := func(x tree.Expr) *tree.ColumnRef { c, _ := x.(*tree.ColumnRef); return c }
	switch n := n.(type) {
	case *tree.Binary:
		if !n.Op.Compares() {
			return
		}
		if c := column(n.Left); c != nil {
			given(n.Right, c)
		} else if c := column(n.Right); c != nil {
			given(n.Left, c)
		}
	case *tree.In:
		if c := column(n.X); c != nil && len(n.List) <= listMost {
			for _, x := range n.List {
				given(x, c)
			}
		}
	case *tree.Between:
		if c := column(n.X); c != nil {
			given(n.Low, c)
			given(n.High, c)
		}
	}
}
