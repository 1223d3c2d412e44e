package tables

import (
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
		for _, c := range columns {
			if strings.EqualFold(c, old.Name) {
				return true
			}
		}
		return false
	}
	// Where nothing is copied, InnoDB's own names are said.
	varying := was.Type() == is.Type() && strings.HasPrefix(was.String(), "varchar")
	named := func(db, sep, name string) string { return db + sep + name }
	declared, err := t.GetDeclaredForeignKeys(ctx)
	if err != nil {
		return err
	}
	for i := range declared {
		fk := &declared[i]
		switch {
		case !among(fk.Columns):
		case varying:
			return mysqlerr.New(mysqlerr.FKColumnCannotChange, old.Name, named(fk.Database, "/", fk.Name))
		default:
			return mysqlerr.New(mysqlerr.FKColumnCannotChange, old.Name, fk.Name)
		}
	}
	referenced, err := t.GetReferencedForeignKeys(ctx)
	if err != nil {
		return err
	}
	for i := range referenced {
		fk := &referenced[i]
		switch {
		case !among(fk.ParentColumns):
		case varying:
			return mysqlerr.New(mysqlerr.FKColumnCannotChangeChild, old.Name, named(fk.Database, "/", fk.Name), named(fk.Database, "/", fk.Table))
		default:
			return mysqlerr.New(mysqlerr.FKColumnCannotChangeChild, old.Name, fk.Name, named(fk.Database, ".", fk.Table))
		}
	}
	return nil
}
