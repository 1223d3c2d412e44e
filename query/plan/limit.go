package plan

import (
	"math"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Limit is how many rows of a result there are, after so many that are left out.
type Limit struct {
	Count, Offset uint64
	Any           bool // else there is no LIMIT
	// Ties says that rows which are equal to the last one in the order come as well (WITH TIES). All rows are read then, and counted.
	Ties bool
	// Examined is how many rows are read at most, if there is such a bound; Counts is what MariaDB counts as such.
	Examined *uint64
	Counts   Examination
	// count and offset are what is computed anew for each run; nil of what is the same.
	count, offset *eval.Expr
}

func (c *compiler) limit(n *tree.Limit) (Limit, error) {
	if n == nil {
		return Limit{}, nil
	}
	l := Limit{Any: true, Count: 1<<64 - 1, Ties: n.WithTies}
	var err error
	if n.Examined != nil {
		rows, err := count(c.b, n.Examined)
		if err != nil {
			return l, err
		}
		l.Examined = &rows
	}
	other := n.Examined == nil && !n.WithTies // what these decide follows from the numbers
	if n.Count != nil {
		if l.Count, l.count, err = rows(c.b, n.Count, other); err != nil {
			return l, err
		}
	}
	if n.Offset != nil {
		l.Offset, l.offset, err = rows(c.b, n.Offset, other)
	}
	return l, err
}

// rows is count. Where another run may have another parameter, x is what says it; else nil.
func rows(b *bind.Binder, n tree.Expr, other bool) (most uint64, x *eval.Expr, err error) {
	_, lifted := b.Lifted[n]
	_, holder := n.(*tree.Placeholder)
	if !other || !lifted && !holder {
		most, err = count(b, n)
		return most, nil, err
	}
	asked := b.Scratch.Asked
	b.Scratch.Asked = nil // again asks for it
	defer func() { b.Scratch.Asked = asked }()
	if most, err = count(b, n); err != nil {
		return most, nil, err
	}
	if most == math.MaxUint64 { // which is as without LIMIT: no run has that but those with the same value
		b.Scratch.Asked = asked
		most, err = count(b, n)
		return most, nil, err
	}
	x, err = b.Expr(n)
	return most, x, err
}

// again is the limit for the parameters of another run; false if they are no numbers of rows.
func (l *Limit) again(f *eval.Frame) bool {
	return nextRows(f, l.count, &l.Count) && nextRows(f, l.offset, &l.Offset)
}

func nextRows(f *eval.Frame, x *eval.Expr, most *uint64) bool {
	if x == nil {
		return true
	}
	v := x.Compute(f)
	*most = uint64(v.Int)
	return !v.Null && (v.Int >= 0 || x.Type.Unsigned) && *most != math.MaxUint64
}

// ties settles WITH TIES.
func (c *compiler) ties(p *Select, n *tree.Select) error {
	if n.OrderBy == nil {
		return mysqlerr.New(mysqlerr.WithTiesNeedsOrder)
	}
	p.CountAll = p.CountAll || p.Limit.Count > 0
	if !p.Distinct || p.Source == nil || len(p.Order) == 0 {
		return nil
	}
	t := p.Source.Table
	for i := range t.Indexes {
		if parts := t.Parts(i); p.Order[0].Column >= 0 && parts[0].Column == p.Order[0].Column {
			return bind.Refusal("DISTINCT in the order of an index with ties") // MariaDB then takes all rows for equal
		}
	}
	if parts := t.Parts(-1); len(parts) > 0 && p.Order[0].Column >= 0 && parts[0].Column == p.Order[0].Column {
		return bind.Refusal("DISTINCT in the order of the primary key with ties")
	}
	return nil
}

// count is a number of rows: a literal, or a parameter.
func count(b *bind.Binder, n tree.Expr) (uint64, error) {
	x, err := b.Expr(n)
	if err != nil {
		return 0, err
	}
	if x.Null() {
		return 0, nil // a parameter that has no value yet
	}
	if x.Type.Class() != types.ClassInt || !x.Is(eval.Constant) {
		return 0, bind.Refusal("a LIMIT that is no integer")
	}
	v := x.Compute(b.Scratch)
	if v.Null || v.Int < 0 && !x.Type.Unsigned {
		return 0, bind.Refusal("a LIMIT that is no number of rows")
	}
	return uint64(v.Int), nil
}
