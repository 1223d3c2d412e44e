package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// temporary reports whether MariaDB certainly puts the result into a temporary table, whose columns it then describes to clients: as it does for groups
// that no index has together and for what DISTINCT leaves. Which of several indexes it reads is not known here: where one could make the groups, it is
// taken to.
func (c *compiler) temporary(p *Select, n *tree.Select, best way, f *found) bool {
	fixed := map[int]bool{}
	for _, cond := range f.conds {
		if cond.op == tree.OpEqual && !cond.between && len(cond.list) == 1 {
			fixed[cond.column] = true
		}
	}
	switch {
	case best.one, p.Group != nil && p.Group.Rollup: // WITH ROLLUP sorts the rows themselves
		return false
	case n.Options&tree.SelectSQLBufferResult != 0 && (p.Group == nil || p.Group.Keyed):
		return true
	case p.Group != nil:
		return p.Group.Keyed && c.groupsTemporary(p, fixed)
	}
	return p.Distinct && c.distinctTemporary(p, fixed)
}

// ofBits reports whether a function is MIN or MAX of a BIT.
func ofBits(fn *aggregate.Func) bool {
	x, _, ok := fn.Extreme()
	return ok && x.Type.Kind == types.Bit
}

func (c *compiler) groupsTemporary(p *Select, fixed map[int]bool) bool {
	var keys []*eval.Expr
	for _, k := range p.Group.Keys {
		if _, at, ok := k.Column(); !ok || !fixed[at] {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return false
	}
	ordered := len(p.Order) > len(keys)
	for i := range min(len(p.Order), len(keys)) {
		ordered = ordered || !sameColumn(p.Order[i].X, keys[i])
	}
	for _, fn := range p.Group.Aggregates {
		if fn.Sorts() {
			return ordered
		}
	}
	return ordered || !c.indexed(keys, true)
}

// indexed reports whether an index begins with columns, in their order or in any.
func (c *compiler) indexed(keys []*eval.Expr, inOrder bool) bool {
	var columns []int
	for _, k := range keys {
		_, at, ok := k.Column()
		if !ok {
			return false
		}
		columns = append(columns, at)
	}
	t := c.scope.src.Table
	if c.scope.src.Descending {
		return false // its index is not read in order
	}
	for index := -1; index < len(t.Indexes); index++ {
		parts := t.Parts(index)
		if len(parts) < len(columns) {
			continue
		}
		first := make([]int, len(columns))
		for i := range first {
			first[i] = parts[i].Column
		}
		if inOrder && slices.Equal(first, columns) || !inOrder && !slices.ContainsFunc(first, func(part int) bool { return !slices.Contains(columns, part) }) {
			return true
		}
	}
	return false
}

func (c *compiler) distinctTemporary(p *Select, fixed map[int]bool) bool {
	var keys []*eval.Expr
	shown := map[int]bool{}
	for _, item := range p.Items {
		_, at, column := item.X.Column()
		switch {
		case item.X.Is(eval.Constant) || column && fixed[at]:
			continue
		case column:
			shown[at] = true
		}
		keys = append(keys, item.X)
	}
	if len(keys) == 0 || c.indexed(keys, false) {
		return false
	}
	t := c.scope.src.Table
	for index := -1; index < len(t.Indexes); index++ {
		if index >= 0 && !t.Indexes[index].Unique {
			continue
		}
		parts := t.Parts(index)
		if len(parts) > 0 && !slices.ContainsFunc(parts, func(part row.KeyPart) bool { return !shown[part.Column] || t.Columns[part.Column].Type.Nullable }) {
			return false // there are no rows to leave out
		}
	}
	return true
}
