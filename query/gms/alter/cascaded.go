package alter

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// RefuseCascades refuses a definition in which a foreign key may set a column that a CHECK or a STORED column names, or one that is generated: nobody would
// compute these anew. MariaDB refuses both.
func RefuseCascades(def *catalog.TableDef) error {
	set := map[string]bool{}
	for i := range def.ForeignKeys {
		fk := &def.ForeignKeys[i]
		clause := cascadeOf(fk)
		for _, name := range fk.Columns {
			at := slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool { return strings.EqualFold(c.Name, name) })
			if clause != "" && at >= 0 && def.Columns[at].Generated != "" {
				return mysqlerr.New(mysqlerr.WrongFKOptionForGenerated, clause)
			}
			set[strings.ToLower(name)] = set[strings.ToLower(name)] || clause != ""
		}
	}
	refuse := func(expr, clause, of string) error {
		for _, name := range columnsIn(expr) {
			if set[name] {
				at := slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool { return strings.EqualFold(c.Name, name) })
				return mysqlerr.New(mysqlerr.FieldNotDeterministic, def.Columns[at].Name, clause, of)
			}
		}
		return nil
	}
	for i := range def.Columns {
		if c := &def.Columns[i]; c.Generated != "" && !c.Virtual {
			if err := refuse(c.Generated, "GENERATED ALWAYS AS", c.Name); err != nil {
				return err
			}
		}
	}
	for i := range def.Checks {
		if err := refuse(def.Checks[i].Expression, "CHECK", def.Checks[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// cascadeOf is the clause by which a foreign key sets its columns, "" if it does not.
func cascadeOf(fk *catalog.ForeignKeyDef) string {
	update, del := strings.ToUpper(fk.OnUpdate), strings.ToUpper(fk.OnDelete)
	switch {
	case update == "CASCADE" || update == "SET NULL":
		return "ON UPDATE " + update
	case del == "SET NULL":
		return "ON DELETE " + del
	}
	return ""
}
