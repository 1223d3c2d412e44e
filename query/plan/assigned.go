package plan

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// conditionSets refuses a condition of an UPDATE or DELETE that sets user variables where it is not known for how many rows MariaDB computes it before
// the first is changed.
func conditionSets(where tree.Expr, order []*tree.Order) error {
	switch {
	case where == nil || bind.Assigned(where) == nil:
		return nil
	case setsAlike(where):
		return bind.Refusal("a user variable that a condition sets without a column") // it may be set once for all rows
	case order != nil:
		return bind.Refusal("a user variable that a condition sets before rows are sorted")
	}
	return nil
}

// setsAlike reports whether an expression has an assignment of a user variable that names no column.
func setsAlike(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		if set, ok := n.(*tree.AssignVariable); ok {
			found = found || !namesColumn(set.Value)
		}
		return !found
	})
	return found
}

func namesColumn(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		_, ok := n.(*tree.ColumnRef)
		found = found || ok
		return !found
	})
	return found
}
