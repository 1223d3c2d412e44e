package plan

import (
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
	if n.Count != nil {
		if l.Count, err = count(c.b, n.Count); err != nil {
			return l, err
		}
	}
	if n.Offset != nil {
		l.Offset, err = count(c.b, n.Offset)
	}
	return l, err
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
