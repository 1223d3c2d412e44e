package bind

import (
	"strconv"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Aggregates are the aggregate functions of a statement, in the order of Frame.Aggregates. A Binder that has them takes such functions where
// they may stand; whoever sets Binder.Aggregates to nil for a clause has them refused there.
type Aggregates struct {
	Funcs []*aggregate.Func
}

// aggregate binds a function over rows.
func (b *Binder) aggregate(n *tree.Aggregate) (*eval.Expr, error) {
	if n.Over != nil || n.Within != nil {
		return nil, Refusal("a window")
	}
	all := b.Aggregates
	if all == nil {
		return nil, mysqlerr.New(mysqlerr.InvalidGroupFuncUse)
	}
	b.Aggregates = nil // within the arguments there are none
	defer func() { b.Aggregates = all }()
	c, err := b.aggregateCall(n)
	if err != nil {
		return nil, err
	}
	fn, err := aggregate.Bind(&b.Builder, c)
	if err != nil {
		return nil, err
	}
	all.Funcs = append(all.Funcs, fn)
	return fn.Node(len(all.Funcs) - 1), nil
}

func (b *Binder) aggregateCall(n *tree.Aggregate) (c aggregate.Call, err error) {
	c = aggregate.Call{Name: n.Name, Distinct: n.Distinct}
	if _, all := n.Args[0].(*tree.AllColumns); !all {
		if c.Args, err = b.exprs(n.Args); err != nil {
			return c, err
		}
		for i, x := range c.Args {
			c.Args[i] = x.Stored()
		}
	}
	for _, o := range n.OrderBy {
		x, err := b.aggregateOrder(o.X, c.Args)
		if err != nil {
			return c, err
		}
		c.OrderBy = append(c.OrderBy, aggregate.Order{X: x, Desc: o.Desc})
	}
	if n.Separator != nil {
		if c.Separator, err = b.Expr(n.Separator); err != nil {
			return c, err
		}
		if c.Separator.Null() {
			return c, Refusal("an empty separator that is NULL")
		}
	}
	if n.Limit != nil {
		c.Limit, err = b.aggregateLimit(n.Limit)
	}
	return c, err
}

// aggregateOrder is a key of ORDER BY; a number means an argument by its place.
func (b *Binder) aggregateOrder(n tree.Expr, args []*eval.Expr) (*eval.Expr, error) {
	number, ok := n.(*tree.NumberLit)
	if !ok || number.Kind != tree.IntegerNumber {
		return b.Expr(n)
	}
	at, err := strconv.ParseUint(number.Text, 10, 32)
	if err != nil || at < 1 || at > uint64(len(args)) {
		return nil, mysqlerr.New(mysqlerr.BadField, number.Text, "ORDER BY")
	}
	return args[at-1], nil
}

func (b *Binder) aggregateLimit(n *tree.Limit) (*aggregate.Limit, error) {
	if n.WithTies || n.Examined != nil || n.Count == nil {
		return nil, Refusal("this form of LIMIT")
	}
	l := &aggregate.Limit{}
	var err error
	if l.Count, err = b.aggregateRows(n.Count); err != nil || n.Offset == nil {
		return l, err
	}
	l.Offset, err = b.aggregateRows(n.Offset)
	return l, err
}

func (b *Binder) aggregateRows(n tree.Expr) (uint64, error) {
	if number, ok := n.(*tree.NumberLit); ok && number.Kind == tree.IntegerNumber {
		if v, err := strconv.ParseUint(number.Text, 10, 64); err == nil {
			return v, nil
		}
	}
	return 0, Refusal("a LIMIT that is not written as a number")
}
