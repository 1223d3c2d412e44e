package column

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// TriggerSession is a session that may plan and run the bodies of triggers.
type TriggerSession interface {
	// TriggerRow is a node whose columns are those of NEW and OLD; nil outside of triggers.
	TriggerRow() sql.Node
	// InTrigger says which it is, until it is taken back.
	InTrigger(row sql.Node) (back func())
}

// InScope tells a session of the row of the trigger whose body is planned in a scope.
func InScope(ctx *sql.Context, scope *plan.Scope) (back func()) {
	s, ok := ctx.Session.(TriggerSession)
	if !ok || scope == nil {
		return func() {}
	}
	for _, n := range scope.InnerToOuter() {
		for _, child := range n.Children() {
			if triggerRow(child) {
				return s.InTrigger(child)
			}
		}
	}
	return func() {}
}

// triggerRow reports whether a node is what go-mysql-server has for NEW and OLD.
func triggerRow(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.TableAlias:
		return isRowName(n.Name())
	case *plan.JoinNode:
		return triggerRow(n.Left()) && triggerRow(n.Right())
	}
	return false
}

func isRowName(table string) bool {
	return strings.EqualFold(table, "new") || strings.EqualFold(table, "old")
}

// TriggerRowOf is the node for the row of a trigger of a table.
func TriggerRowOf(ctx *sql.Context, table sql.Node, event string) sql.Node {
	switch strings.ToLower(event) {
	case "insert":
		return plan.NewTableAlias("new", table)
	case "delete":
		return plan.NewTableAlias("old", table)
	}
	return plan.NewCrossJoin(ctx, plan.NewTableAlias("old", table), plan.NewTableAlias("new", table))
}

// field finds the origin of a column, which may be one of the row of a trigger around the query.
func (t *tracer) field(from sql.Node, f *expression.GetField) (Origin, bool) {
	if from != nil {
		if o, found := t.find(from, f.Database(), f.Table(), f.Name()); found {
			return o, true
		}
	}
	if !isRowName(f.Table()) {
		return Origin{}, false
	}
	s, ok := t.c.Session.(TriggerSession)
	if !ok || s.TriggerRow() == nil {
		return Origin{}, false
	}
	o, found := t.find(s.TriggerRow(), "", f.Table(), f.Name())
	if o.Facts != nil {
		o.Facts = maybeNull(o.Facts)
	}
	o.outer = true // before a BEFORE trigger has had its say
	return o, found
}
