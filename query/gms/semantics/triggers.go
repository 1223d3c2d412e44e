package semantics

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// triggerHead is the part of CREATE TRIGGER that says when it fires, and on what.
var triggerHead = regexp.MustCompile("(?is)\\btrigger\\b.*?\\b(before|after)\\s+(insert|update|delete)\\s+on\\s+(?:(?:`[^`]+`|[^\\s`.]+)\\s*\\.\\s*)?(`[^`]+`|[^\\s`.]+)")

// checkTriggers refuses REPLACE and ON DUPLICATE KEY UPDATE on a table with triggers
// that would have to fire for the rows they replace or update: go-mysql-server fires
// those of INSERT only, and AFTER INSERT also for rows that were updated.
func checkTriggers(ctx *sql.Context, n *plan.InsertInto) error {
	what, events := "", ""
	read := variablesOf(ctx, n.Source)
	switch {
	case n.IsReplace:
		what, events = "REPLACE", "before delete, after delete, after insert"
	case n.OnDupExprs.HasUpdates():
		what, events = "INSERT ... ON DUPLICATE KEY UPDATE", "before update, after update, after insert"
	case len(read) == 0:
		return nil
	}
	table, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return err
	}
	db := n.Database()
	if p, ok := db.(interface{ Unwrap() sql.Database }); ok {
		db = p.Unwrap()
	}
	triggers, ok := db.(sql.TriggerDatabase)
	if !ok {
		return nil
	}
	all, err := triggers.GetTriggers(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		m := triggerHead.FindStringSubmatch(t.CreateStatement)
		if m == nil || !strings.EqualFold(strings.Trim(m[3], "`"), table.Name()) {
			continue
		}
		for _, name := range read {
			if strings.EqualFold(m[2], "insert") && strings.Contains(strings.ToLower(t.CreateStatement), name) {
				return mysqlerr.NotYet("an INSERT that reads " + name + ", which a trigger of the table names")
			}
		}
		if event := strings.ToLower(m[1] + " " + m[2]); strings.Contains(events, event) {
			return mysqlerr.New(mysqlerr.NotSupportedYet, what+" on a table with an "+strings.ToUpper(event)+" trigger")
		}
	}
	return nil
}

// variablesOf are the user variables that a node reads: go-mysql-server reads them all before the first row fires a trigger.
func variablesOf(ctx *sql.Context, n sql.Node) (names []string) {
	switch n := n.(type) {
	case *plan.TriggerExecutor: // the trigger itself is beside
		return variablesOf(ctx, n.Left())
	case *plan.Values:
		if len(n.ExpressionTuples) == 1 {
			return nil
		}
	}
	if e, ok := n.(sql.Expressioner); ok {
		for _, x := range e.Expressions() {
			sql.Inspect(ctx, x, func(_ *sql.Context, x sql.Expression) bool {
				if v, ok := x.(*expression.UserVar); ok {
					names = append(names, "@"+strings.ToLower(v.Name))
				}
				return true
			})
		}
	}
	for _, child := range n.Children() {
		names = append(names, variablesOf(ctx, child)...)
	}
	return names
}
