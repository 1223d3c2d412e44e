package operator

import (
	"fmt"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// Chain joins operands by AND or OR, in pairs of halves: the order in which they are computed is that of the text, as is where that ends, and a long condition
// is no deep expression. What alternatives have in common is looked for once.
func Chain(b *eval.Builder, op tree.Op, xs []*eval.Expr) (*eval.Expr, error) {
	whole, err := balanced(b, op, xs)
	if err != nil || op != tree.OpOr || len(xs) < mergedLeast {
		return whole, err
	}
	merged, err := mergedOf(b, xs)
	if err != nil || len(merged) == len(xs) {
		return whole, err
	}
	short, err := balanced(b, op, merged)
	if err != nil {
		return nil, err
	}
	return condition(Name(op), whole.Type, truth(b, short), whole.Args...).As(whole), nil
}

// balanced is the chain as a tree that is as low as can be.
func balanced(b *eval.Builder, op tree.Op, xs []*eval.Expr) (*eval.Expr, error) {
	if len(xs) == 1 {
		return xs[0], nil
	}
	half := (len(xs) + 1) / 2
	left, err := balanced(b, op, xs[:half])
	if err != nil {
		return nil, err
	}
	right, err := balanced(b, op, xs[half:])
	if err != nil {
		return nil, err
	}
	return Binary(b, op, left, right)
}

// mergedLeast is how many alternatives of one sort are looked for together.
const mergedLeast = 8

// equality is a column that equals a constant, of which nothing is to be said.
type equality struct {
	how  Comparison
	x, y *eval.Expr
}

// alternatives are operands of OR that are of one sort: the same columns equal constants.
type alternatives struct {
	rows [][]equality
	xs   []*eval.Expr
}

// mergedOf are operands of OR in which a = 1 OR a = 2 ..., and (a = 1 AND b = 2) OR (a = 3 AND b = 4) ..., are one search in a list. Since nothing is to be
// said of them, they may be computed in another order among themselves.
func mergedOf(b *eval.Builder, xs []*eval.Expr) ([]*eval.Expr, error) {
	var out []*eval.Expr
	var run []*alternatives // until an operand comes that is none
	sorts := map[string]*alternatives{}
	end := func() error {
		for _, a := range run {
			if len(a.rows) < mergedLeast {
				out = append(out, a.xs...)
				continue
			}
			x, err := a.merged(b)
			if err != nil {
				return err
			}
			out = append(out, x)
		}
		run = run[:0]
		clear(sorts)
		return nil
	}
	for _, x := range xs {
		row, ok := equalities(b, nil, x)
		if !ok || len(row) > columnsMost {
			if err := end(); err != nil {
				return nil, err
			}
			out = append(out, x)
			continue
		}
		sort := sortOf(row)
		a := sorts[sort]
		if a == nil {
			a = &alternatives{}
			sorts[sort], run = a, append(run, a)
		}
		a.rows, a.xs = append(a.rows, row), append(a.xs, x)
	}
	return out, end()
}

// sortOf says which columns are compared, and how.
func sortOf(row []equality) string {
	var out []byte
	for _, e := range row {
		source, ordinal, _ := e.x.Column()
		out = fmt.Appendf(out, "%d.%d:%d/%d", source, ordinal, e.how.Class, e.how.Kind)
		if e.how.Collation != nil {
			out = append(out, e.how.Collation.Name()...)
		}
		out = append(out, ' ')
	}
	return string(out)
}

func (a *alternatives) merged(b *eval.Builder) (*eval.Expr, error) {
	var columns []listColumn
	for i := range a.rows[0] {
		ys := make([]*eval.Expr, len(a.rows))
		for at, row := range a.rows {
			ys[at] = row[i].y
		}
		c, err := listColumnOf(b, a.rows[0][i].how, a.rows[0][i].x, ys)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	t := types.BoolType()
	for _, x := range a.xs {
		t = t.NullIf(x.Type)
	}
	return condition("in", t, foundIn(b, columns, len(a.rows)), a.xs...), nil
}

// equalities appends the equalities that an operand of OR asks for, all of them; ok is false if it is something else, or there may be something to say.
func equalities(b *eval.Builder, to []equality, x *eval.Expr) (_ []equality, ok bool) {
	switch {
	case !x.Plain() || len(x.Args) != 2 || len(to) >= columnsMost:
		return to, false
	case x.Name == Name(tree.OpAnd):
		if to, ok = equalities(b, to, x.Args[0]); !ok {
			return to, false
		}
		return equalities(b, to, x.Args[1])
	case x.Name != Name(tree.OpEqual):
		return to, false
	}
	e, ok := silentEquality(b, x.Args[0], x.Args[1])
	if !ok {
		e, ok = silentEquality(b, x.Args[1], x.Args[0])
	}
	return append(to, e), ok
}

// silentEquality is column = constant, if the column's values are compared as they are, and the constant is known to have nothing to say.
func silentEquality(b *eval.Builder, x, y *eval.Expr) (e equality, ok bool) {
	_, _, column := x.Column()
	written := y.Is(eval.Literal) || y.Name == "?" && len(y.Args) == 0
	if !column || !written || y.Null() || !y.Is(eval.Constant) || y.Is(eval.Volatile) || y.Type.Hybrid || x.Type.Members != nil || y.Type.Members != nil {
		return e, false
	}
	how, err := comparisonOf(b, Name(tree.OpEqual), x, y)
	if err != nil {
		return e, false
	}
	e = equality{how, x, y}
	whole := x.Type.Kind.Integer() && x.Type.Kind != types.Year
	switch how.Class {
	case types.ClassInt:
		return e, whole && y.Type.Kind.Integer()
	case types.ClassDec:
		exact := y.Type.Kind.Integer() || y.Type.Kind == types.Decimal
		return e, (whole && x.Type.Kind != types.Bigint || x.Type.Kind == types.Decimal) && exact
	case types.ClassFloat:
		double := func(t types.Type) bool { return t.Class() == types.ClassFloat && t.Decimals >= types.NotFixed }
		return e, double(x.Type) && double(y.Type)
	case types.ClassTime:
		if x.Type.Kind != types.Date && x.Type.Kind != types.Datetime || how != alone(x.Type) || !settled([]*eval.Expr{y}) {
			return e, false
		}
		z, err := how.bring(b, y)
		return e, err == nil && silently(b, func(f *eval.Frame) { z.Compute(f) })
	}
	if how.Kind != types.Varchar || y.Compared() != nil {
		return e, false
	}
	a, args, err := agree(b, Name(tree.OpEqual), x, y)
	if err != nil || args[0] != x || a.Collation != how.Collation {
		return e, false
	}
	if e.y = args[1]; e.y != y {
		return e, settled([]*eval.Expr{y}) && silently(b, func(f *eval.Frame) { e.y.Compute(f) })
	}
	return e, true
}
