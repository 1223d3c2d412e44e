package semantics

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
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
	switch {
	case n.IsReplace:
		what, events = "REPLACE", "before delete, after delete, after insert"
	case n.OnDupExprs.HasUpdates():
		what, events = "INSERT ... ON DUPLICATE KEY UPDATE", "before update, after update, after insert"
	default:
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
		if event := strings.ToLower(m[1] + " " + m[2]); strings.Contains(events, event) {
			return mysqlerr.New(mysqlerr.NotSupportedYet, what+" on a table with an "+strings.ToUpper(event)+" trigger")
		}
	}
	return nil
}
