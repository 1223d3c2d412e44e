package computed

import (
	"fmt"
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// printer prints an expression for our grammar. What go-mysql-server has to yield becomes a column of the name $0, $1 ...
type printer struct {
	leaves  sqlparser.Exprs
	places  map[string]int // of leaves, by their texts
	foreign bool           // there is something that cannot be printed
}

func (p *printer) print(e sqlparser.Expr) string {
	buf := sqlparser.NewTrackedBuffer(p.node)
	p.node(buf, e)
	return buf.String()
}

// node is a sqlparser.NodeFormatter. Operators stand in parentheses: the tree has none where it was not written.
func (p *printer) node(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
	switch n := n.(type) {
	case *sqlparser.BinaryExpr, *sqlparser.ComparisonExpr, *sqlparser.RangeCond, *sqlparser.IsExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr,
		*sqlparser.NotExpr, *sqlparser.CollateExpr:
		if !computes(n.(sqlparser.Expr)) {
			p.foreign = true
			return
		}
		buf.WriteString("(")
		n.Format(buf)
		buf.WriteString(")")
		return
	case *sqlparser.UnaryExpr:
		buf.WriteString("(")
		buf.WriteString(n.Operator)
		buf.WriteString(" ")
		p.node(buf, n.Expr)
		buf.WriteString(")")
		return
	case *sqlparser.SubstrExpr:
		if n.Name != nil {
			buf.WriteString("substr(")
			p.leaf(buf, n.Name)
			buf.WriteString(",")
			p.node(buf, n.From)
			if n.To != nil {
				buf.WriteString(",")
				p.node(buf, n.To)
			}
			buf.WriteString(")")
			return
		}
	case *sqlparser.SQLVal:
		if n.Type == sqlparser.ValArg {
			p.leaf(buf, n)
			return
		}
	case sqlparser.ListArg, *sqlparser.Subquery, *sqlparser.ExistsExpr, *sqlparser.StarExpr, *sqlparser.Default, sqlparser.InjectedExpr, *sqlparser.MatchExpr,
		*sqlparser.ValuesFuncExpr:
		p.foreign = true
		return
	case *sqlparser.ColName:
		p.leaf(buf, n)
		return
	case *sqlparser.GroupConcatExpr:
		p.leaf(buf, n)
		return
	case *sqlparser.FuncExpr:
		if !computes(n) {
			p.leaf(buf, n)
			return
		}
	}
	n.Format(buf)
}

// leaf prints what go-mysql-server yields.
func (p *printer) leaf(buf *sqlparser.TrackedBuffer, e sqlparser.Expr) {
	if p.foreign = p.foreign || hasQuery(e); p.foreign {
		return
	}
	text := fmt.Sprintf("%T %s", e, sqlparser.String(e))
	at, ok := p.places[text]
	if !ok {
		at = len(p.leaves)
		p.places[text] = at
		p.leaves = append(p.leaves, e)
	}
	buf.WriteString("`" + argumentName(at) + "`")
}

// hasQuery reports whether there is a subquery in an expression.
func hasQuery(e sqlparser.Expr) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n.(type) {
		case *sqlparser.Subquery:
			found = true
		case sqlparser.InjectedExpr:
			return false, nil
		}
		return !found, nil
	}, e)
	return found
}

// argumentName is the name of an argument as a column of the expression's tree.
func argumentName(at int) string { return "$" + strconv.Itoa(at) }
