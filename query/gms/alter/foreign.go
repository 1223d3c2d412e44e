package alter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// needed is a foreign key that needs columns of the altered table, and a key that begins with them.
type needed struct {
	name, child string // child is the referencing table, in quotes; "" if the table is that itself
	columns     []string
}

// checkForeign is MariaDB's error about a column or a key that goes while a foreign key, on either side, needs it. Of go-mysql-server's own look, parents
// lose columns that are called otherwise in the child, and primary keys. checks is foreign_key_checks: without it keys may go.
func (a *alteration) checkForeign(c *sql.Context, t *tables.Table, checks bool) error {
	if len(a.dropped) == 0 && len(a.droppedIndexes) == 0 && !a.dropPrimary {
		return nil
	}
	all, err := a.needs(c, t)
	if err != nil {
		return err
	}
	for i := range all {
		if err := cmp.Or(a.checkNeededColumns(&all[i], checks), a.checkNeededKey(&all[i], checks)); err != nil {
			return err
		}
	}
	return nil
}

// needs are the foreign keys of the table that stay, and those that reference it.
func (a *alteration) needs(c *sql.Context, t *tables.Table) (out []needed, err error) {
	declared, err := t.GetDeclaredForeignKeys(c)
	if err != nil {
		return nil, err
	}
	for i := range declared {
		if fk := &declared[i]; slices.Contains(a.foreign, fk.Name) {
			out = append(out, needed{name: fk.Name, columns: fk.Columns})
		}
	}
	referenced, err := t.GetReferencedForeignKeys(c)
	if err != nil {
		return nil, err
	}
	for i := range referenced {
		fk := &referenced[i]
		if own := fk.Database == a.old.DB && fk.Table == a.old.Name; own && !slices.Contains(a.foreign, fk.Name) {
			continue
		}
		out = append(out, needed{name: fk.Name, child: "`" + fk.Database + "`.`" + fk.Table + "`", columns: fk.ParentColumns})
	}
	return out, nil
}

// checkNeededColumns is about columns that are dropped.
func (a *alteration) checkNeededColumns(fk *needed, checks bool) error {
	for _, at := range a.dropped {
		c := a.old.Columns[at].Name
		if !slices.ContainsFunc(fk.columns, func(name string) bool { return strings.EqualFold(name, c) }) {
			continue
		}
		name := fk.name
		if !a.copies(at) {
			if x := a.keyOf(fk); x != nil && checks {
				return mysqlerr.New(mysqlerr.DropIndexFK, x.Name)
			}
			name = a.old.DB + "/" + name // as InnoDB calls it
		}
		if fk.child == "" {
			return mysqlerr.New(mysqlerr.FKColumnCannotDrop, c, name)
		}
		return mysqlerr.New(mysqlerr.FKColumnCannotDropChild, c, name, fk.child)
	}
	return nil
}

// copies reports whether MariaDB makes a copy of the table when it drops a column, so that it does not come to look at the indexes.
func (a *alteration) copies(dropped int) bool {
	if !a.addPrimary && slices.ContainsFunc(a.old.Primary, func(p catalog.IndexPart) bool { return p.Column == dropped }) {
		return true
	}
	return slices.ContainsFunc(a.addedConstraints, func(d *sqlparser.DDL) bool {
		_, foreign := d.TableSpec.Constraints[0].Details.(*sqlparser.ForeignKeyDefinition)
		return foreign
	})
}

// checkNeededKey is about keys that are dropped.
func (a *alteration) checkNeededKey(fk *needed, checks bool) error {
	if !checks || len(a.droppedIndexes) == 0 && !a.dropPrimary {
		return nil
	}
	x, primary := a.keyOf(fk), begins(tables.KeyParts(a.old, a.old.Primary), fk.columns)
	if x == nil && !primary || begins(a.primary, fk.columns) {
		return nil
	}
	if slices.ContainsFunc(a.indexes, func(n *alteredIndex) bool { return n.kind == "" && begins(n.parts, fk.columns) }) {
		return nil
	}
	if x != nil {
		return mysqlerr.New(mysqlerr.DropIndexFK, x.Name)
	}
	return mysqlerr.New(mysqlerr.ErrorOnRename, a.old.DB, a.old.DB, a.old.Name)
}

// foreignType is MariaDB's error about a column of a foreign key that gets another type, where err is go-mysql-server's.
func (r *run) foreignType(c *alteredColumn, err error) error {
	if !sql.ErrForeignKeyTypeChange.Is(err) {
		return err
	}
	all, nerr := r.a.needs(r.c, r.table())
	if nerr != nil {
		return nerr
	}
	was := r.a.old.Columns[c.from].Name
	for _, fk := range all {
		switch {
		case !slices.ContainsFunc(fk.columns, func(name string) bool { return strings.EqualFold(name, was) }):
		case fk.child == "":
			return mysqlerr.New(mysqlerr.FKColumnCannotChange, was, fk.name)
		default:
			return mysqlerr.New(mysqlerr.FKColumnCannotChangeChild, was, fk.name, strings.ReplaceAll(fk.child, "`", ""))
		}
	}
	return err
}

// keyOf is an index of the table as it was that begins with the columns of a foreign key; nil if there is none.
func (a *alteration) keyOf(fk *needed) *catalog.IndexDef {
	for i := range a.old.Indexes {
		if x := &a.old.Indexes[i]; x.Kind == "" && begins(tables.KeyParts(a.old, x.Parts), fk.columns) {
			return x
		}
	}
	return nil
}

// begins reports whether a key begins with columns.
func begins(parts []sql.IndexColumn, columns []string) bool {
	return len(parts) >= len(columns) && slices.EqualFunc(parts[:len(columns)], columns, func(p sql.IndexColumn, c string) bool {
		return p.Length == 0 && strings.EqualFold(p.Name, c)
	})
}
