package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// checkForeignLength is MariaDB's error about a column of a foreign key, on either side, whose texts get another length. go-mysql-server, which refuses other
// types, lets it grow.
func (t *alterable) checkForeignLength(ctx *sql.Context, old, changed *sql.Column) error {
	was, isText := old.Type.(sql.StringType)
	is, staysText := changed.Type.(sql.StringType)
	if !isText || !staysText || was.MaxCharacterLength() == is.MaxCharacterLength() {
		return nil
	}
	among := func(columns []string) bool {
		return slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, old.Name) })
	}
	key, table := func(_, name string) string { return name }, func(db, name string) string { return db + "." + name }
	if was.Type() == is.Type() && strings.HasPrefix(was.String(), "var") { // nothing is copied: InnoDB's own names are said
		table = func(db, name string) string { return db + "/" + name }
		key = table
	}
	declared, err := t.GetDeclaredForeignKeys(ctx)
	if err != nil {
		return err
	}
	for i := range declared {
		if fk := &declared[i]; among(fk.Columns) {
			return mysqlerr.New(mysqlerr.FKColumnCannotChange, old.Name, key(fk.Database, fk.Name))
		}
	}
	referenced, err := t.GetReferencedForeignKeys(ctx)
	if err != nil {
		return err
	}
	for i := range referenced {
		if fk := &referenced[i]; among(fk.ParentColumns) {
			return mysqlerr.New(mysqlerr.FKColumnCannotChangeChild, old.Name, key(fk.Database, fk.Name), table(fk.Database, fk.Table))
		}
	}
	return nil
}
