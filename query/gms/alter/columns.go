package alter

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
)

// changeColumns drops, changes, renames and adds columns, each where it stands; added ones at the
// end. A column that is dropped makes room for its name first.
func (r *run) changeColumns() error {
	var dropped []string
	for _, at := range r.a.dropped {
		dropped = append(dropped, r.a.old.Columns[at].Name)
	}
	if all := len(dropped) == len(r.names); !all {
		if err := r.dropColumns(dropped); err != nil {
			return err
		}
		dropped = nil
	}
	for i, name := range dropped { // a table cannot be without columns meanwhile
		temp := r.tempName()
		if err := r.renameColumn(name, temp); err != nil {
			return err
		}
		dropped[i] = temp
	}
	if err := r.changeOld(); err != nil {
		return err
	}
	for _, c := range r.a.columns {
		if c.from >= 0 {
			continue
		}
		if err := r.addColumn(c); err != nil {
			return err
		}
	}
	return r.dropColumns(dropped)
}

// dropColumns drops columns; whether expressions and foreign keys need them has been looked at before.
func (r *run) dropColumns(names []string) error {
	for _, name := range names {
		if err := r.table().DropColumn(r.c, name); err != nil {
			return err
		}
		r.names = slices.DeleteFunc(r.names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	return nil
}

func (r *run) renameColumn(from, to string) error {
	if from == to {
		return nil
	}
	if err := r.table().RenameColumn(r.c, from, to); err != nil {
		return err
	}
	return r.renamed(from, to)
}

func (r *run) renamed(from, to string) error {
	if at := slices.IndexFunc(r.names, func(n string) bool { return strings.EqualFold(n, from) }); at >= 0 {
		r.names[at] = to
	}
	return r.renameInExpressions(from, to)
}

// changeOld renames and changes the columns that stay. A name that is taken by a column that will
// have another one is freed first: the names of two columns may be exchanged.
func (r *run) changeOld() error {
	type pending struct {
		c   *alteredColumn
		now string
	}
	var todo []*pending
	for _, c := range r.a.columns {
		if c.from >= 0 && (c.clause != nil || c.renamed != nil) {
			todo = append(todo, &pending{c, r.a.old.Columns[c.from].Name})
		}
	}
	for len(todo) > 0 {
		at := slices.IndexFunc(todo, func(p *pending) bool {
			return strings.EqualFold(p.now, p.c.name) || !slices.ContainsFunc(r.names, func(n string) bool { return strings.EqualFold(n, p.c.name) })
		})
		if at < 0 {
			temp := r.tempName()
			if err := r.renameColumn(todo[0].now, temp); err != nil {
				return err
			}
			todo[0].now = temp
			continue
		}
		p := todo[at]
		todo = slices.Delete(todo, at, at+1)
		if p.c.renamed != nil {
			if err := r.renameColumn(p.now, p.c.name); err != nil {
				return err
			}
			continue
		}
		if err := r.changeColumn(p.c, p.now); err != nil {
			return err
		}
	}
	return nil
}

// changeColumn runs MODIFY or CHANGE. A column that becomes NOT NULL is converted first: where
// go-mysql-server looks for NULLs, it converts values in its own way.
func (r *run) changeColumn(c *alteredColumn, now string) error {
	if now != c.name { // first, so that expressions follow
		if err := r.renameColumn(now, c.name); err != nil {
			return err
		}
	}
	later := r.countsLater(c)
	if r.a.old.Columns[c.from].Nullable && (bool(c.spec().Type.NotNull) || later) {
		d := r.columnClause(c, c.name, true)
		col := d.TableSpec.Columns[0]
		col.Type.NotNull, col.Type.Null = false, true
		if err := r.exec(d); err != nil {
			return err
		}
		if c.spec().Type.NotNull && !col.Type.Autoincrement && c.spec().Type.GeneratedExpr == nil {
			if err := r.table().FillNulls(r.c, c.name); err != nil {
				return err
			}
		}
	}
	return r.foreignType(c, r.exec(r.columnClause(c, c.name, later)))
}

// columnClause is a clause that defines a column, without its place, key and constraints.
func (r *run) columnClause(c *alteredColumn, now string, dontCount bool) *sqlparser.DDL {
	d := *c.clause
	col := *c.spec()
	col.Type.KeyOpt, col.Type.Constraint, col.Type.ForeignKeyDef = 0, nil, nil
	if dontCount {
		col.Type.Autoincrement = false
	}
	d.TableSpec = &sqlparser.TableSpec{Columns: []*sqlparser.ColumnDefinition{&col}}
	d.ConstraintAction, d.ColumnOrder = "", nil
	if d.ColumnAction != sqlparser.AddStr {
		d.ColumnAction, d.Column = sqlparser.ChangeStr, sqlparser.NewColIdent(now)
	}
	return &d
}

// countsLater reports whether a changed column gets its AUTO_INCREMENT after its key has been made.
func (r *run) countsLater(c *alteredColumn) bool {
	spec := c.spec()
	return spec != nil && bool(spec.Type.Autoincrement) && !r.a.old.Columns[c.from].AutoIncrement
}

// countAgain makes columns AUTO_INCREMENT whose keys had to be made before.
func (r *run) countAgain() error {
	for _, c := range r.a.columns {
		if c.from < 0 || !r.countsLater(c) || isAuto(r.table().Definition(), c.name) {
			continue
		}
		if err := r.exec(r.columnClause(c, c.name, false)); err != nil {
			return err
		}
	}
	return nil
}

// addColumn adds a column at the end. One that counts comes with its key.
func (r *run) addColumn(c *alteredColumn) error {
	d := r.columnClause(c, "", false)
	col := d.TableSpec.Columns[0]
	if col.Type.Autoincrement {
		if len(r.a.primary) == 1 && r.a.addPrimary && strings.EqualFold(r.a.primary[0].Name, c.name) {
			if r.a.losesPrimary() && len(r.table().Definition().Primary) > 0 {
				if err := r.table().Rearrange(r.c, r.names, &noKey); err != nil {
					return err
				}
			}
			col.Type.KeyOpt, r.primaryDone = columnKeys.primary, true
		} else if at := slices.IndexFunc(r.a.indexes, func(x *alteredIndex) bool {
			return x.from == "" && x.unique && len(x.parts) == 1 && strings.EqualFold(x.parts[0].Name, c.name)
		}); at >= 0 {
			col.Type.KeyOpt = columnKeys.unique
			r.a.indexes[at].from = r.a.indexes[at].name // made with the column
			r.indexNames = append(r.indexNames, pendingName{c.name, r.a.indexes[at].name})
		} else if r.autoIndexed() {
			return r.addCounting(c, d) // another index follows
		}
	}
	if err := r.exec(d); err != nil {
		return err
	}
	r.names = append(r.names, c.name)
	return nil
}

// addCounting adds an AUTO_INCREMENT column whose key is made later: with a unique index meanwhile.
func (r *run) addCounting(c *alteredColumn, d *sqlparser.DDL) error {
	if indexAt(r.table().Definition(), c.name) >= 0 {
		return notAsMeant("an AUTO_INCREMENT column with the name of an index")
	}
	d.TableSpec.Columns[0].Type.KeyOpt = columnKeys.unique
	if err := r.exec(d); err != nil {
		return err
	}
	r.names = append(r.names, c.name)
	temp := r.tempName()
	r.dropLater = append(r.dropLater, temp)
	return r.renameIndex(c.name, temp)
}

// movesCounter reports whether AUTO_INCREMENT goes from one column to another one: MariaDB numbers the rows of that
// one from the counter on, go-mysql-server from 1 on.
func (a *alteration) movesCounter() bool {
	from := slices.IndexFunc(a.old.Columns, func(c catalog.ColumnDef) bool { return c.AutoIncrement })
	stays, moves := false, false
	for _, c := range a.columns {
		counts := c.clause != nil && bool(c.spec().Type.Autoincrement)
		if c.from == from {
			stays = counts || c.clause == nil
		} else {
			moves = moves || counts
		}
	}
	return from >= 0 && moves && !stays
}

// nameMaxRunes is the longest name of a column.
const nameMaxRunes = 64

// columnName reports whether a column may have a name.
func columnName(name string) bool {
	return name != "" && !strings.HasSuffix(name, " ") && utf8.RuneCountInString(name) <= nameMaxRunes
}
