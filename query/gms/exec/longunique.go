package exec

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// withShortKeys runs a rule that refuses unique keys of whole TEXTs whose collation has equal texts of other bytes, and of longer prefixes than a
// key of InnoDB has: package tables has these, by the weights of the texts. While the rule looks at them they are keys of one character.
func withShortKeys(c *sql.Context, n sql.Node, rule func() (sql.Node, transform.TreeIdentity, error)) (sql.Node, transform.TreeIdentity, error) {
	var restore []func()
	shorten := func(sch sql.Schema, columns []sql.IndexColumn) {
		for i := range columns {
			col := &columns[i]
			at := sch.IndexOfColName(strings.ToLower(col.Name))
			if at < 0 || !types.IsTextOnly(sch[at].Type) {
				continue
			}
			t, ok := sch[at].Type.(sql.StringType)
			if !ok || col.Length == 0 && !types.IsTextBlob(t) || col.Length > t.MaxCharacterLength() {
				continue
			}
			was := col.Length
			restore = append(restore, func() { col.Length = was })
			col.Length = 1
		}
	}
	transform.InspectWithOpaque(c, n, func(c *sql.Context, n sql.Node) bool {
		switch n := n.(type) {
		case *plan.CreateTable:
			for _, idx := range n.Indexes() {
				if idx.IsUnique() {
					shorten(n.PkSchema().Schema, idx.Columns)
				}
			}
		case *plan.AlterIndex:
			if n.Action == plan.IndexAction_Create && n.Constraint == sql.IndexConstraint_Unique && n.Table != nil && n.Table.Resolved() {
				shorten(n.Table.Schema(c), n.Columns)
			}
		}
		return true
	})
	defer func() {
		for _, f := range restore {
			f()
		}
	}()
	return rule()
}
