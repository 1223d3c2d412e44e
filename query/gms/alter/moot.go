package alter

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// withoutMoot leaves the clauses out whose IF [NOT] EXISTS says so. notes say why, as MariaDB's do.
func withoutMoot(old *catalog.TableDef, clauses []*sqlparser.DDL) (kept []*sqlparser.DDL, notes []*mysqlerr.Error) {
	for _, d := range clauses {
		if n := moot(old, d); n != nil {
			notes = append(notes, n)
		} else {
			kept = append(kept, d)
		}
	}
	return kept, notes
}

func moot(old *catalog.TableDef, d *sqlparser.DDL) *mysqlerr.Error {
	if !d.IfExists && !d.IfNotExists {
		return nil
	}
	missing := func(name string) *mysqlerr.Error {
		if ColumnAt(old, name) >= 0 {
			return nil
		}
		return mysqlerr.New(mysqlerr.BadField, name, old.Name)
	}
	switch {
	case d.ColumnAction == sqlparser.AddStr:
		if name := d.TableSpec.Columns[0].Name.String(); ColumnAt(old, name) >= 0 {
			return mysqlerr.New(mysqlerr.DupFieldName, name)
		}
	case d.ColumnAction == sqlparser.DropStr:
		if ColumnAt(old, d.Column.String()) < 0 {
			return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "COLUMN", d.Column.String())
		}
	case d.ColumnAction != "":
		return missing(d.Column.String())
	case d.DefaultSpec != nil:
		return missing(d.DefaultSpec.Column.String())
	case d.IndexSpec != nil:
		return mootIndex(old, d.IndexSpec)
	case d.ConstraintAction != "":
		return mootConstraint(old, d)
	}
	return nil
}

func mootIndex(old *catalog.TableDef, spec *sqlparser.IndexSpec) *mysqlerr.Error {
	name := spec.ToName.String()
	switch strings.ToLower(spec.Action) {
	case sqlparser.CreateStr:
		if spec.Type == sqlparser.PrimaryStr && len(old.Primary) > 0 {
			return mysqlerr.New(mysqlerr.MultiplePriKey)
		}
		if name == "" {
			name = spec.Fields[0].Column.String()
		}
		if indexAt(old, name) >= 0 {
			return mysqlerr.New(mysqlerr.DupKeyName, name)
		}
	case sqlparser.DropStr:
		primary := spec.Type == sqlparser.PrimaryStr || strings.EqualFold(name, "PRIMARY")
		if primary && len(old.Primary) == 0 {
			return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "INDEX", "PRIMARY")
		}
		if !primary && indexAt(old, name) < 0 {
			return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "INDEX", name)
		}
	case sqlparser.RenameStr:
		if from := spec.FromName.String(); indexAt(old, from) < 0 {
			return mysqlerr.New(mysqlerr.KeyDoesNotExist, from, old.Name)
		}
	}
	return nil
}

func mootConstraint(old *catalog.TableDef, d *sqlparser.DDL) *mysqlerr.Error {
	con := d.TableSpec.Constraints[0]
	foreign := slices.ContainsFunc(old.ForeignKeys, func(f catalog.ForeignKeyDef) bool { return strings.EqualFold(f.Name, con.Name) })
	check := slices.ContainsFunc(old.Checks, func(f catalog.CheckDef) bool { return strings.EqualFold(f.Name, con.Name) })
	_, isForeign := con.Details.(*sqlparser.ForeignKeyDefinition)
	if d.ConstraintAction == sqlparser.AddStr {
		switch {
		case isForeign && foreign:
			return mysqlerr.New(mysqlerr.DupConstraintName, "FOREIGN KEY", con.Name)
		case !isForeign && check:
			return mysqlerr.New(mysqlerr.DupConstraintName, "CHECK", con.Name)
		}
		return nil
	}
	if isForeign && !foreign {
		return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "FOREIGN KEY", con.Name)
	}
	if !foreign && !check && indexAt(old, con.Name) < 0 && !(strings.EqualFold(con.Name, "PRIMARY") && len(old.Primary) > 0) {
		return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "CONSTRAINT", con.Name)
	}
	return nil
}
