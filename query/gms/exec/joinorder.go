package exec

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// errManyTables refuses a join that cannot be planned in reasonable time.
var errManyTables = mysqlerr.New(mysqlerr.NotSupportedYet, "this statement with a join of so many tables that are joined each with many others; join some of them in a derived table")

// paddingTable stands in joins that are to have more than enumeratedTables: see paddedJoin.
var paddingTable = plan.NewDualSqlTable()

// paddingID is beyond the ids of a statement's tables and columns.
const paddingID = 1 << 15

// paddedJoin adds tables to a join of n, so many that go-mysql-server keeps its order. They never run: withoutPadding
// takes them off the plan.
func paddedJoin(c *sql.Context, join sql.Node, n int) sql.Node {
	for ; n <= enumeratedTables; n++ {
		padding := plan.NewResolvedTable(paddingTable, plan.NewResolvedDualTable().SqlDatabase, nil).
			WithId(sql.TableId(paddingID + n)).WithColumns(sql.NewColSet(sql.ColumnId(paddingID + n)))
		join = plan.NewCrossJoin(c, join, padding)
	}
	return join
}

func isPadding(n sql.Node) bool {
	t, ok := n.(*plan.ResolvedTable)
	return ok && t.Id() > paddingID && t.Table == paddingTable
}

// withoutPadding takes the padding off a plan.
func withoutPadding(c *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := transform.Node(c, n, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if j, ok := n.(*plan.JoinNode); ok && isPadding(j.Right()) {
			return j.Left(), transform.NewTree, nil
		}
		return n, transform.SameTree, nil
	})
	if err != nil {
		return nil, err
	}
	transform.Inspect(n, func(n sql.Node) bool {
		if isPadding(n) {
			err = errManyTables
		}
		return err == nil
	})
	return n, err
}

// connectedOrder is an inner join in the order of its text, but for tables that have no condition with any before
// them: these wait until they have one. Other joins stay as they are.
func connectedOrder(c *sql.Context, join *plan.JoinNode) sql.Node {
	o := joinOrder{c: c, waiting: map[sql.TableId]bool{}}
	if !o.add(join) {
		return join
	}
	node := o.take(0)
	for len(o.leaves) > 0 {
		at := 0
		for i := range o.leaves {
			if o.connected(i) {
				at = i
				break
			}
		}
		leaf := o.take(at)
		if on := o.ready(); len(on) > 0 {
			node = plan.NewInnerJoin(c, node, leaf, expression.JoinAnd(on...))
		} else {
			node = plan.NewCrossJoin(c, node, leaf)
		}
	}
	return node
}

// joinOrder is a join that is being put together anew.
type joinOrder struct {
	c          *sql.Context
	leaves     []joinLeaf // those to come
	conditions []joinCondition
	waiting    map[sql.TableId]bool // the tables of leaves
}

type joinLeaf struct {
	node   sql.Node
	tables map[sql.TableId]bool
}

type joinCondition struct {
	expr   sql.Expression
	tables map[sql.TableId]bool
}

// add takes a join apart; false if its order matters, or is not known not to.
func (o *joinOrder) add(n sql.Node) bool {
	j, ok := n.(*plan.JoinNode)
	if !ok {
		return o.addLeaf(n)
	}
	if j.Op != plan.JoinTypeInner && j.Op != plan.JoinTypeCross || j.Comment() != "" || !o.add(j.Left()) || !o.add(j.Right()) {
		return false
	}
	if j.Filter == nil {
		return true
	}
	for _, e := range expression.SplitConjunction(o.c, j.Filter) {
		cond := joinCondition{e, map[sql.TableId]bool{}}
		hidden := transform.InspectExpr(o.c, e, func(_ *sql.Context, e sql.Expression) bool {
			switch e := e.(type) {
			case *expression.GetField:
				cond.tables[e.TableId()] = true
			case *plan.Subquery, *plan.ExistsSubquery:
				return true // its columns are not seen here
			}
			return false
		})
		if hidden {
			return false
		}
		o.conditions = append(o.conditions, cond)
	}
	return true
}

func (o *joinOrder) addLeaf(n sql.Node) bool {
	leaf := joinLeaf{n, map[sql.TableId]bool{}}
	transform.Inspect(n, func(n sql.Node) bool {
		if t, ok := n.(plan.TableIdNode); ok {
			leaf.tables[t.Id()] = true
			return false
		}
		return true
	})
	maps.Copy(o.waiting, leaf.tables)
	o.leaves = append(o.leaves, leaf)
	return len(leaf.tables) == 1
}

// take places a leaf.
func (o *joinOrder) take(at int) sql.Node {
	leaf := o.leaves[at]
	o.leaves = append(o.leaves[:at:at], o.leaves[at+1:]...)
	for t := range leaf.tables {
		delete(o.waiting, t)
	}
	return leaf.node
}

// connected reports whether a leaf has a condition with tables that are placed already, and no others.
func (o *joinOrder) connected(at int) bool {
	for _, cond := range o.conditions {
		own, waiting := 0, 0
		for t := range cond.tables {
			switch {
			case o.leaves[at].tables[t]:
				own++
			case o.waiting[t]:
				waiting++
			}
		}
		if own > 0 && waiting == 0 && len(cond.tables) > own {
			return true
		}
	}
	return false
}

// ready takes the conditions whose tables are all placed.
func (o *joinOrder) ready() []sql.Expression {
	var now []sql.Expression
	var later []joinCondition
	for _, cond := range o.conditions {
		complete := true
		for t := range cond.tables {
			complete = complete && !o.waiting[t]
		}
		if complete {
			now = append(now, cond.expr)
		} else {
			later = append(later, cond)
		}
	}
	o.conditions = later
	return now
}
