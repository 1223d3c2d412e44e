package needs

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
)

// OfTrigger is what the definer of a trigger needs when it fires, from its CREATE TRIGGER: TRIGGER on the table,
// UPDATE on the columns of NEW that it sets, SELECT on those of NEW and OLD that it reads, and what its statements need.
func OfTrigger(s *sqlparser.DDL) privilege.Needs {
	var n privilege.Needs
	table := tableName(s.Table)
	if table.DB == "" {
		table.DB = s.TriggerSpec.TrigName.Qualifier.String()
	}
	need := privilege.NeedTable(table, privilege.Trigger)
	need.Temporary = false
	n.Add(need)
	c := &collector{needs: &n}
	c.scoped(nil, func() {
		for _, row := range []string{"NEW", "OLD"} {
			c.block.add(aliased{TableName: table, alias: row, base: true, row: true})
		}
		c.walk(s.TriggerSpec.Body)
	})
	return n
}

// setsNew notes an assignment to a column of the row that a trigger is about; false for other assignments.
func (c *collector) setsNew(name *sqlparser.ColName) bool {
	if !strings.EqualFold(name.Qualifier.Name.String(), "NEW") {
		return false
	}
	c.column(privilege.Update, name.Name.String(), name.Qualifier)
	return true
}
