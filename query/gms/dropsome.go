package gms

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// dropping is a DROP TABLE or DROP VIEW some of whose names are none of such objects, or of tables that foreign keys keep. MariaDB drops the others, and says
// so afterwards; go-mysql-server drops none.
type dropping struct {
	*definition
	ddl   *sqlparser.DDL
	views bool
	// temporary are the names of temporary tables, which replicas do not have, and rest those of what else is there; missing are the others, with their databases; others are those of them that are something else.
	temporary, rest sqlparser.TableNames
	missing, others []string
	// referenced says that foreign keys keep a table.
	referenced bool
}

// dropping is what is to be dropped; nil for other statements, and where all is there.
func (d *definition) dropping() (*dropping, error) {
	ddl, ok := d.st.AST.(*sqlparser.DDL)
	if !ok || ddl.Action != sqlparser.DropStr || ddl.Temporary || d.st.Temporary || ddl.TriggerSpec != nil {
		return nil, nil //nolint:nilnil // see above
	}
	out := &dropping{definition: d, ddl: ddl, views: len(ddl.FromViews) > 0}
	names := ddl.FromTables
	if out.views {
		names = ddl.FromViews
	}
	met, gone := map[string]bool{}, map[string]bool{}
	for _, n := range names {
		db := d.s.DBOf(statement.Use{DB: n.DbQualifier.String(), Name: n.Name.String()})
		whole := db + "." + n.Name.String()
		switch {
		case db == "" || session.VirtualDatabase(db) || isSystemDatabase(db):
			return nil, nil //nolint:nilnil // which has errors of its own
		case met[whole]:
			return nil, mysqlerr.New(mysqlerr.NonUniqTable, n.Name.String())
		}
		met[whole] = true
		table, view := d.thereIs(db, n.Name.String())
		if d.s.Temp.Has(db, n.Name.String()) && !out.views {
			out.temporary = append(out.temporary, n)
			continue
		}
		if table && !out.views || view && out.views {
			if len(names) > 1 && table && d.keeps(db, n.Name.String(), gone) {
				out.referenced = true
				continue
			}
			gone[whole] = true
			out.rest = append(out.rest, n)
			continue
		}
		out.missing = append(out.missing, whole)
		if table || view {
			out.others = append(out.others, whole)
		}
	}
	mixed := len(out.temporary) > 0 && len(out.rest) > 0 && !ddl.IfExists
	some := len(out.missing) > 0 && (!ddl.IfExists || out.views || len(out.others) > 0)
	if !mixed && !some && !out.referenced {
		return nil, nil //nolint:nilnil // see above
	}
	return out, nil
}

// keeps reports whether a foreign key of another table keeps a table, but of those that are gone by then.
func (d *definition) keeps(db, name string, gone map[string]bool) bool {
	if !d.s.Vars.On("foreign_key_checks") {
		return false
	}
	for _, other := range d.catalog().AllTables() {
		if gone[other.Def.DB+"."+other.Def.Name] || other.Def.DB == db && other.Def.Name == name {
			continue
		}
		for _, fk := range other.Def.ForeignKeys {
			if strings.EqualFold(fk.ParentDB, db) && strings.EqualFold(fk.ParentTable, name) {
				return true
			}
		}
	}
	return false
}

// catalog is what there is for the statement.
func (d *definition) catalog() *catalog.Snapshot {
	if d.s.Tx != nil {
		return d.s.Tx.Catalog()
	}
	return d.s.engine.Store.Catalog().Current()
}

// thereIs reports whether there is a table or a view of a name.
func (d *definition) thereIs(db, name string) (table, view bool) {
	if d.s.Temp.Has(db, name) {
		return true, false
	}
	cat := d.catalog()
	return cat.Table(db, name) != nil, cat.Object("view", db, name) != nil
}

// run drops what is there as a statement of its own, which replicas run, and then says what is not.
func (d *dropping) run() error {
	if err := d.drop("TEMPORARY TABLE", d.temporary); err != nil {
		return err
	}
	kind := "TABLE"
	if d.views {
		kind = "VIEW"
	}
	if err := d.drop(kind, d.rest); err != nil {
		return err
	}
	if len(d.rest) == 0 && !d.s.Confined() || d.s.Tx != nil {
		if err := d.s.CommitAll(d.c); err != nil {
			return err
		}
	}
	number := mysqlerr.BadTable
	if d.views {
		number = mysqlerr.UnknownView
	}
	if d.referenced {
		return mysqlerr.Newf(mysqlerr.RowIsReferenced2, "Cannot delete or update a parent row: a foreign key constraint fails")
	}
	switch {
	case len(d.missing) == 0:
		return d.out.finish(d.c)
	case !d.ddl.IfExists && !d.views && len(d.others) > 0:
		return mysqlerr.New(mysqlerr.ItIsAView, d.others[0])
	case !d.ddl.IfExists:
		return mysqlerr.New(number, strings.Join(d.missing, ","))
	}
	d.note(number)
	return d.out.finish(d.c)
}

// drop runs a statement of its own for some of the names.
func (d *dropping) drop(kind string, names sqlparser.TableNames) error {
	if len(names) == 0 {
		return nil
	}
	text := d.s.textOf(d.text(kind, names))
	defer text.Drop()
	st, _, err := d.s.parseOne(text)
	if err != nil {
		return err
	}
	return (&definition{d.s, d.c, st, d.b, &rowBuffer{}}).run()
}

// text is the statement of what is dropped, as MariaDB logs it.
func (d *dropping) text(kind string, names sqlparser.TableNames) string {
	b := "DROP " + kind + " "
	if d.ddl.IfExists {
		b += "IF EXISTS "
	}
	for i, n := range names {
		if i > 0 {
			b += ","
		}
		if !n.DbQualifier.IsEmpty() {
			b += dialect.QuoteName(n.DbQualifier.String()) + "."
		}
		b += dialect.QuoteName(n.Name.String())
	}
	return b + " /* generated by server */"
}

// note says what IF EXISTS has not dropped.
func (d *dropping) note(number uint16) {
	warn := func(level string, e *mysqlerr.Error) {
		d.c.Session.Warn(&sql.Warning{Level: level, Code: int(e.Number), Message: e.Message})
	}
	if d.views {
		for _, name := range d.others {
			db, table, _ := strings.Cut(name, ".")
			warn("Warning", mysqlerr.New(mysqlerr.WrongObject, db, table, "VIEW"))
		}
		warn("Note", mysqlerr.New(number, strings.Join(d.missing, ",")))
		return
	}
	for _, name := range d.others {
		warn("Note", mysqlerr.New(mysqlerr.ItIsAView, name))
	}
	unknown := slices.DeleteFunc(slices.Clone(d.missing), func(name string) bool { return slices.Contains(d.others, name) })
	if len(unknown) > 0 {
		warn("Note", mysqlerr.New(number, strings.Join(unknown, ",")))
	}
}
