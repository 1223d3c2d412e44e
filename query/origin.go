package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/tables"
)

// origin is where a column of a result comes from: a column of a table, perhaps through views and derived
// tables, or else an expression.
type origin struct {
	// facts is what the table's definition says; nil for expressions and for tables of the server's own.
	facts *tables.ColumnFacts
	// expr is the expression that an output column is, its alias taken off; nil if it is not known.
	expr sql.Expression
	// db, orgTable and orgName are those of the table; table is its alias. A view or a derived table stands for
	// the tables below it.
	db, table, orgTable, orgName string
	// outer: the table is on the side of an outer join that may have no row.
	outer bool
	// digits is the most that a point in time has which an expression is made of; -1 if it is made of none.
	digits int
}

// originsOf finds the origin of each column of a bound plan's result; nil if the plan has a shape that it does
// not know.
func originsOf(c *sql.Context, node sql.Node) []origin {
	switch n := node.(type) {
	case *plan.InsertInto:
		if len(n.Returning) > 0 {
			return originsOfList(c, n.Returning, n.Destination)
		}
		return nil
	case *plan.DeleteFrom:
		if len(n.Returning) > 0 {
			return originsOfList(c, n.Returning, n.Child)
		}
		return nil
	case *plan.Project:
		return originsOfList(c, n.Projections, n.Child)
	case *plan.GroupBy:
		return originsOfList(c, n.SelectDeps, n.Child)
	case *plan.Window:
		return originsOfList(c, n.SelectExprs, n.Child)
	case *plan.JoinNode:
		if n.Op.IsPartial() {
			return originsOf(c, n.Left())
		}
		left, right := originsOf(c, n.Left()), originsOf(c, n.Right())
		setOuter(left, n.Op.IsRightOuter() || n.Op.IsFullOuter())
		setOuter(right, n.Op.IsLeftOuter() || n.Op.IsFullOuter())
		return append(left, right...)
	case *plan.ResolvedTable, *plan.TableAlias, *plan.IndexedTableAccess, *plan.SubqueryAlias:
		schema := node.Schema(c)
		out := make([]origin, len(schema))
		for i, col := range schema {
			out[i], _ = find(c, node, "", "", col.Name)
		}
		return out
	case *plan.SetOp:
		return make([]origin, len(node.Schema(c)))
	}
	if children := node.Children(); len(children) == 1 {
		return originsOf(c, children[0])
	}
	return nil
}

func setOuter(list []origin, outer bool) {
	for i := range list {
		list[i].outer = list[i].outer || outer
	}
}

func originsOfList(c *sql.Context, list []sql.Expression, from sql.Node) []origin {
	out := make([]origin, len(list))
	for i, e := range list {
		out[i] = originOf(c, e, from)
	}
	return out
}

// originOf finds the origin of an expression over the rows of from.
func originOf(c *sql.Context, e sql.Expression, from sql.Node) origin {
	for {
		alias, ok := e.(*expression.Alias)
		if !ok {
			break
		}
		e = alias.Child
	}
	if f, ok := e.(*expression.GetField); ok {
		if o, found := find(c, from, f.Database(), f.Table(), f.Name()); found {
			return o
		}
	}
	return origin{expr: e, digits: digitsOf(c, e, from)}
}

// digitsOf finds the fractional digits of the columns with a time that an expression reads.
func digitsOf(c *sql.Context, e sql.Expression, from sql.Node) int {
	if digits, is := currentDigits(e); is {
		return digits
	}
	digits := -1
	if !types.IsTime(e.Type(c)) && !types.IsTimespan(e.Type(c)) {
		return digits
	}
	sql.Inspect(c, e, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && (types.IsTime(f.Type(c)) || types.IsTimespan(f.Type(c))) {
			if o, found := find(c, from, f.Database(), f.Table(), f.Name()); found && o.facts != nil {
				digits = max(digits, int(o.facts.Decimals))
			} else if found {
				digits = max(digits, o.digits)
			}
		}
		return true
	})
	return digits
}

// currentDigits is the argument of NOW and its like, which go-mysql-server's type of them does not tell.
func currentDigits(e sql.Expression) (digits int, is bool) {
	f, ok := e.(sql.FunctionExpression)
	if !ok {
		return 0, false
	}
	switch strings.ToLower(f.FunctionName()) {
	case "now", "current_timestamp", "localtime", "localtimestamp", "sysdate", "utc_timestamp":
	default:
		return 0, false
	}
	for _, child := range e.Children() {
		if literal, ok := child.(*expression.Literal); ok {
			if n, _, err := types.Int64.Convert(nil, literal.Value()); err == nil {
				digits, _ := n.(int64)
				return int(min(max(digits, 0), 6)), true
			}
		}
	}
	// UTC_TIMESTAMP(n) shows its argument in its text only.
	if _, arg, found := strings.Cut(e.String(), "("); found && len(arg) > 1 && arg[0] >= '0' && arg[0] <= '6' {
		return int(arg[0] - '0'), true
	}
	return 0, true
}

// find looks for a column of a table, "" for any, among those that a plan reads.
func find(c *sql.Context, node sql.Node, db, table, name string) (origin, bool) {
	switch n := node.(type) {
	case *plan.ResolvedTable:
		return ofTable(c, n, table, name)
	case *plan.IndexedTableAccess:
		return find(c, n.TableNode, db, table, name)
	case *plan.TableAlias:
		if table != "" && !strings.EqualFold(table, n.Name()) {
			return origin{}, false
		}
		o, found := find(c, n.Child, "", "", name)
		o.table = n.Name()
		if _, derived := n.Child.(*plan.SubqueryAlias); derived {
			o.orgTable = n.Name()
		}
		return o, found
	case *plan.SubqueryAlias:
		return throughSubquery(c, n, table, name)
	case *plan.JoinNode:
		o, found := find(c, n.Left(), db, table, name)
		if found {
			o.outer = o.outer || n.Op.IsRightOuter() || n.Op.IsFullOuter()
			return o, true
		}
		o, found = find(c, n.Right(), db, table, name)
		o.outer = o.outer || n.Op.IsLeftOuter() || n.Op.IsFullOuter()
		return o, found
	case *plan.SetOp:
		return origin{}, false
	case sql.Projector:
		if table == "" { // an alias that was given below
			for _, e := range n.ProjectedExprs() {
				alias, ok := e.(*expression.Alias)
				if ok && strings.EqualFold(alias.Name(), name) || !ok && strings.EqualFold(e.String(), name) {
					return originOf(c, e, node.Children()[0]), true
				}
			}
		}
	}
	for _, child := range node.Children() {
		if o, found := find(c, child, db, table, name); found {
			return o, true
		}
	}
	return origin{}, false
}

func ofTable(c *sql.Context, n *plan.ResolvedTable, table, name string) (o origin, found bool) {
	if table != "" && !strings.EqualFold(table, n.Name()) {
		return o, false
	}
	t := n.Table
	for {
		w, wrapped := t.(sql.TableWrapper)
		if !wrapped {
			break
		}
		t = w.Underlying()
	}
	o = origin{table: n.Name(), orgTable: t.Name(), orgName: name, digits: -1}
	if n.SqlDatabase != nil {
		o.db = n.SqlDatabase.Name()
	}
	own, ok := t.(interface {
		Facts(column string) *tables.ColumnFacts
	})
	if ok {
		o.facts = own.Facts(name)
		return o, o.facts != nil
	}
	return o, n.Schema(c).IndexOfColName(name) >= 0
}

// throughSubquery finds what a column of a view or of a derived table is made of. MariaDB names the view and
// its column instead of the table's, and the database of the table.
func throughSubquery(c *sql.Context, n *plan.SubqueryAlias, table, name string) (origin, bool) {
	if table != "" && !strings.EqualFold(table, n.Name()) {
		return origin{}, false
	}
	inner := originsOf(c, n.Child)
	for i, col := range n.Schema(c) {
		if !strings.EqualFold(col.Name, name) {
			continue
		}
		o := origin{}
		if i < len(inner) {
			o = inner[i]
		}
		o.table, o.orgTable, o.orgName = n.Name(), n.Name(), col.Name
		return o, true
	}
	return origin{}, false
}
