package computed

import "github.com/duramendb/duramen/query/dialect/tree"

// A column of BIT is a number to operators and bytes to functions of texts. Of what go-mysql-server yields, SQL of our own knows numbers only.

// number reports whether an argument stands only where it is a number: as an operand of arithmetic and of comparisons.
func (s *source) number(name string) bool {
	all, numbers := 0, 0
	count := func(operands ...tree.Expr) {
		for _, x := range operands {
			if ref, ok := x.(*tree.ColumnRef); ok && ref.Name.Text == name {
				numbers++
			}
		}
	}
	tree.Walk(s.x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.ColumnRef:
			if n.Name.Text == name {
				all++
			}
		case *tree.Binary:
			if n.Op >= tree.OpEqual && n.Op <= tree.OpGreaterEqual || n.Op >= tree.OpBitOr && n.Op <= tree.OpBitXor {
				count(n.Left, n.Right)
			}
		case *tree.Unary:
			count(n.X)
		case *tree.Between:
			count(n.X, n.Low, n.High)
		case *tree.In:
			count(n.X)
			count(n.List...)
		case *tree.Is:
			count(n.X)
		}
		return true
	})
	return all == numbers
}
