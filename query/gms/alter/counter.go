package alter

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// RefuseCounter refuses a definition with an AUTO_INCREMENT column that no key begins with, or that a CHECK names: MariaDB refuses
// both, and so would every replica.
func RefuseCounter(def *catalog.TableDef) error {
	at := slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool { return c.AutoIncrement })
	if at < 0 {
		return nil
	}
	begins := func(parts []catalog.IndexPart) bool { return len(parts) > 0 && parts[0].Column == at }
	if !begins(def.Primary) && !slices.ContainsFunc(def.Indexes, func(x catalog.IndexDef) bool { return x.Kind == "" && begins(x.Parts) }) {
		return mysqlerr.New(mysqlerr.WrongAutoKey)
	}
	name := def.Columns[at].Name
	for i := range def.Checks {
		if slices.Contains(columnsIn(def.Checks[i].Expression), strings.ToLower(name)) {
			return mysqlerr.New(mysqlerr.FieldNotDeterministic, "AUTO_INCREMENT", "CHECK", name)
		}
	}
	return nil
}
