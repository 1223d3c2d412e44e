package alter

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// An ALTER TABLE describes one new definition: every clause is about the table as it was,
// whatever the order of the clauses. An alteration is that definition, computed from the text
// alone in the way of MariaDB's mysql_prepare_alter_table. go-mysql-server runs the clauses one
// after the other; what comes out is compared with the alteration (see alterCheck).
type alteration struct {
	old     *catalog.TableDef
	columns []*alteredColumn // of the new definition
	dropped []int            // ordinals of old columns
	indexes []*alteredIndex  // of the new definition, without the primary key
	primary []sql.IndexColumn
	// dropPrimary says that DROP PRIMARY KEY is there, addPrimary that the key is a new one.
	dropPrimary, addPrimary bool
	droppedIndexes          []string
	checks                  []string // names of the old checks that stay
	foreign                 []string // names of the old foreign keys that stay
	droppedChecks           []*sqlparser.DDL
	lostChecks              []string // names of the old checks that go with their columns
	droppedForeign          []*sqlparser.DDL
	addedConstraints        []*sqlparser.DDL
	defaults                []*sqlparser.DDL // SET DEFAULT, DROP DEFAULT
	charset                 *sqlparser.DDL
	options                 []*sqlparser.DDL // all that is left
	rename                  *sqlparser.DDL
}

// alteredColumn is a column of the new definition.
type alteredColumn struct {
	name string
	from int // ordinal of the old column, -1 for a new one
	// clause is the ADD, MODIFY or CHANGE that defines the column; nil if it is as it was.
	clause *sqlparser.DDL
	// def is the SET or DROP DEFAULT about it.
	def *sqlparser.DDL
	// renamed is the RENAME COLUMN about it.
	renamed *sqlparser.DDL
}

func (c *alteredColumn) spec() *sqlparser.ColumnDefinition {
	if c.clause == nil || c.clause.TableSpec == nil {
		return nil
	}
	return c.clause.TableSpec.Columns[0]
}

// alteredIndex is an index of the new definition.
type alteredIndex struct {
	name   string
	from   string // its name before, "" for a new one
	parts  []sql.IndexColumn
	unique bool
	kind   string
	clause *sqlparser.DDL // ADD INDEX, or RENAME INDEX
}

// newAlteration applies the clauses to a definition. The errors are MariaDB's.
func newAlteration(old *catalog.TableDef, clauses []*sqlparser.DDL) (*alteration, error) {
	a := &alteration{old: old}
	var changes, adds, renames, dropNames, newIndexes, dropIndexes, renameIndexes []*sqlparser.DDL
	for _, d := range clauses {
		switch {
		case d.Action == sqlparser.RenameStr:
			a.rename = d
		case d.ColumnAction == sqlparser.AddStr:
			adds = append(adds, d)
		case d.ColumnAction == sqlparser.DropStr:
			dropNames = append(dropNames, d)
		case d.ColumnAction == sqlparser.RenameStr:
			renames = append(renames, d)
		case d.ColumnAction != "":
			changes = append(changes, d)
		case d.ConstraintAction == sqlparser.DropStr:
			if idx, err := a.dropConstraint(d); err != nil {
				return nil, err
			} else if idx != nil {
				dropIndexes = append(dropIndexes, idx)
			}
		case d.ConstraintAction == sqlparser.AddStr:
			a.addedConstraints = append(a.addedConstraints, d)
		case d.ConstraintAction != "":
			return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "RENAME CONSTRAINT")
		case d.IndexSpec != nil && strings.EqualFold(d.IndexSpec.Action, sqlparser.CreateStr):
			newIndexes = append(newIndexes, d)
		case d.IndexSpec != nil && strings.EqualFold(d.IndexSpec.Action, sqlparser.DropStr):
			dropIndexes = append(dropIndexes, d)
		case d.IndexSpec != nil && strings.EqualFold(d.IndexSpec.Action, sqlparser.RenameStr):
			renameIndexes = append(renameIndexes, d)
		case d.DefaultSpec != nil:
			a.defaults = append(a.defaults, d)
		case d.AlterCollationSpec != nil:
			a.charset = d
		default:
			a.options = append(a.options, d)
		}
	}
	inline, err := a.alterColumns(dropNames, append(changes, adds...), renames, clauses)
	if err != nil {
		return nil, err
	}
	if err := a.alterIndexes(dropIndexes, renameIndexes, append(inline, newIndexes...)); err != nil {
		return nil, err
	}
	if err := a.checkLongKeys(); err != nil {
		return nil, err
	}
	for i := range old.Checks {
		if !slices.ContainsFunc(a.droppedChecks, dropOf(old.Checks[i].Name)) && !a.redefined(old.Checks[i].Column) {
			a.checks = append(a.checks, old.Checks[i].Name)
		}
	}
	for i := range old.ForeignKeys {
		if !slices.ContainsFunc(a.droppedForeign, dropOf(old.ForeignKeys[i].Name)) {
			a.foreign = append(a.foreign, old.ForeignKeys[i].Name)
		}
	}
	return a, cmp.Or(a.checkGenerated(), a.checkAddresses(), a.checkDropped())
}

// dropOf tells whether a DROP clause is about the constraint of that name.
func dropOf(name string) func(*sqlparser.DDL) bool {
	return func(d *sqlparser.DDL) bool { return strings.EqualFold(d.TableSpec.Constraints[0].Name, name) }
}

func cantDrop(what, name string) error { return mysqlerr.New(mysqlerr.CantDropFieldOrKey, what, name) }

// dropConstraint finds out what DROP CONSTRAINT means: a check, an index, or a foreign key.
func (a *alteration) dropConstraint(d *sqlparser.DDL) (*sqlparser.DDL, error) {
	con := d.TableSpec.Constraints[0]
	isCheck := slices.ContainsFunc(a.old.Checks, func(c catalog.CheckDef) bool { return strings.EqualFold(c.Name, con.Name) })
	isForeign := slices.ContainsFunc(a.old.ForeignKeys, func(f catalog.ForeignKeyDef) bool { return strings.EqualFold(f.Name, con.Name) })
	as := func(details sqlparser.ConstraintInfo) *sqlparser.DDL {
		n := *d
		n.TableSpec = &sqlparser.TableSpec{Constraints: []*sqlparser.ConstraintDefinition{{Name: con.Name, Details: details}}}
		return &n
	}
	switch con.Details.(type) {
	case *sqlparser.ForeignKeyDefinition:
		if !isForeign {
			return nil, cantDrop("FOREIGN KEY", con.Name)
		}
		a.droppedForeign = append(a.droppedForeign, d)
		return nil, nil
	case *sqlparser.CheckConstraintDefinition:
		if !isCheck {
			return nil, cantDrop("CONSTRAINT", con.Name)
		}
		a.droppedChecks = append(a.droppedChecks, d)
		return nil, nil
	}
	for i := range a.old.Indexes {
		if strings.EqualFold(a.old.Indexes[i].Name, con.Name) && a.old.Indexes[i].Unique && !isCheck {
			return dropIndexClause(d, con.Name), nil
		}
	}
	switch {
	case isCheck:
		a.droppedChecks = append(a.droppedChecks, as(&sqlparser.CheckConstraintDefinition{}))
	case strings.EqualFold(con.Name, "PRIMARY") && len(a.old.Primary) > 0:
		return dropIndexClause(d, "PRIMARY"), nil
	case isForeign:
		a.droppedForeign = append(a.droppedForeign, as(&sqlparser.ForeignKeyDefinition{}))
	default:
		return nil, cantDrop("CONSTRAINT", con.Name)
	}
	return nil, nil
}

// alterColumns makes the list of columns: changed ones stay where they are, and then the
// columns that are added or moved are put into their places one by one.
// It returns the indexes that column definitions ask for (UNIQUE, PRIMARY KEY).
func (a *alteration) alterColumns(drops, defs, renames, clauses []*sqlparser.DDL) (indexes []*sqlparser.DDL, err error) {
	old := a.old
	unknown := func(name string) error { return mysqlerr.New(mysqlerr.BadField, name, old.Name) }
	for _, d := range drops {
		at := ColumnAt(old, d.Column.String())
		if at < 0 || slices.Contains(a.dropped, at) {
			return nil, cantDrop("COLUMN", d.Column.String())
		}
		a.dropped = append(a.dropped, at)
	}
	// In MariaDB's order: as they stand in the statement, whether ADD, MODIFY or CHANGE.
	slices.SortStableFunc(defs, func(x, y *sqlparser.DDL) int { return slices.Index(clauses, x) - slices.Index(clauses, y) })
	defaults := slices.Clone(a.defaults)
	used := map[*sqlparser.DDL]*alteredColumn{}
	for i := range old.Columns {
		if slices.Contains(a.dropped, i) {
			continue
		}
		c := &alteredColumn{name: old.Columns[i].Name, from: i}
		a.columns = append(a.columns, c)
		if at := slices.IndexFunc(defs, func(d *sqlparser.DDL) bool {
			return d.ColumnAction != sqlparser.AddStr && used[d] == nil && strings.EqualFold(d.Column.String(), c.name)
		}); at >= 0 {
			d := defs[at]
			used[d] = c
			c.name, c.clause = d.TableSpec.Columns[0].Name.String(), d
			continue // one that moves stays until its turn comes
		}
		if at := slices.IndexFunc(renames, func(d *sqlparser.DDL) bool { return strings.EqualFold(d.Column.String(), c.name) }); at >= 0 {
			c.name, c.renamed = renames[at].ToColumn.String(), renames[at]
			if !columnName(c.name) {
				return nil, mysqlerr.New(mysqlerr.WrongColumnName, c.name)
			}
			renames = slices.Delete(slices.Clone(renames), at, at+1)
		} else if at := slices.IndexFunc(defaults, func(d *sqlparser.DDL) bool { return strings.EqualFold(d.DefaultSpec.Column.String(), c.name) }); at >= 0 {
			c.def = defaults[at]
			defaults = slices.Delete(defaults, at, at+1)
		}
	}
	for _, d := range defs {
		c := &alteredColumn{name: d.TableSpec.Columns[0].Name.String(), from: -1, clause: d}
		if d.ColumnAction != sqlparser.AddStr {
			was := used[d]
			switch {
			case was == nil:
				return nil, unknown(d.Column.String())
			case d.ColumnOrder == nil:
				continue
			}
			c = was
			a.columns = slices.DeleteFunc(a.columns, func(o *alteredColumn) bool { return o == was })
		}
		at := len(a.columns)
		switch order := d.ColumnOrder; {
		case order == nil:
		case order.First:
			at = 0
		default:
			after := order.AfterColumn.String()
			at = 1 + slices.IndexFunc(a.columns, func(o *alteredColumn) bool { return strings.EqualFold(o.name, after) })
			if at == 0 {
				return nil, unknown(after)
			}
		}
		a.columns = slices.Insert(a.columns, at, c)
	}
	switch {
	case len(renames) > 0:
		return nil, unknown(renames[0].Column.String())
	case len(defaults) > 0 && slices.ContainsFunc(defs, func(d *sqlparser.DDL) bool {
		return d.ColumnOrder != nil && d.TableSpec.Columns[0].Name.EqualString(defaults[0].DefaultSpec.Column.String())
	}):
		return nil, notAsMeant("a default for a column that moves; say it in MODIFY")
	case len(defaults) > 0:
		return nil, unknown(defaults[0].DefaultSpec.Column.String())
	case len(a.columns) == 0:
		return nil, mysqlerr.New(mysqlerr.CantRemoveAllFields)
	}
	for i, c := range a.columns {
		for _, before := range a.columns[:i] {
			if strings.EqualFold(before.name, c.name) {
				return nil, mysqlerr.New(mysqlerr.DupFieldName, c.name)
			}
		}
	}
	if a.movesCounter() {
		return nil, notAsMeant("another AUTO_INCREMENT column, which goes on with the numbers of the old one")
	}
	for _, d := range defs {
		indexes = append(indexes, a.inlineParts(d)...)
	}
	return indexes, nil
}

// inlineParts takes the key and the constraints out of a column definition, as clauses of their own.
func (a *alteration) inlineParts(d *sqlparser.DDL) (indexes []*sqlparser.DDL) {
	col := d.TableSpec.Columns[0]
	field := []*sqlparser.IndexField{{Column: col.Name}}
	add := func(kind string) {
		n := sqlparser.DDL{Action: sqlparser.AlterStr, Table: d.Table, Auth: d.Auth,
			IndexSpec: &sqlparser.IndexSpec{Action: sqlparser.CreateStr, Type: kind, Fields: field}}
		indexes = append(indexes, &n)
	}
	switch col.Type.KeyOpt {
	case columnKeys.primary, columnKeys.key:
		add(sqlparser.PrimaryStr)
	case columnKeys.unique, columnKeys.uniqueKey:
		add(sqlparser.UniqueStr)
	}
	constraint := func(c *sqlparser.ConstraintDefinition) {
		a.addedConstraints = append(a.addedConstraints, &sqlparser.DDL{Action: sqlparser.AlterStr, Table: d.Table, Auth: d.Auth,
			ConstraintAction: sqlparser.AddStr, TableSpec: &sqlparser.TableSpec{Constraints: []*sqlparser.ConstraintDefinition{c}}})
	}
	if c := col.Type.Constraint; c != nil {
		constraint(c)
	}
	if fk := col.Type.ForeignKeyDef; fk != nil {
		whole := *fk
		whole.Source = sqlparser.Columns{col.Name}
		constraint(&sqlparser.ConstraintDefinition{Details: &whole})
	}
	return indexes
}

// columnKeys are the parser's marks of keys in column definitions, which it does not export.
var columnKeys = struct{ primary, unique, uniqueKey, key sqlparser.ColumnKeyOption }{
	keyOption("primary key"), keyOption("unique"), keyOption("unique key"), keyOption("key"),
}

func keyOption(words string) sqlparser.ColumnKeyOption {
	ast, err := sqlparser.Parse("create table t (a int " + words + ")")
	if err != nil {
		panic(err)
	}
	return ast.(*sqlparser.DDL).TableSpec.Columns[0].Type.KeyOpt
}

func ColumnAt(def *catalog.TableDef, name string) int {
	return slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool { return strings.EqualFold(c.Name, name) })
}

// nameNow is what an old column is called after the statement; false if it is gone.
func (a *alteration) nameNow(old int) (string, bool) {
	for _, c := range a.columns {
		if c.from == old {
			return c.name, true
		}
	}
	return "", false
}

// keptParts are the columns of an old key that are left, by their new names. A unique key that
// loses some of its columns is an error.
func (a *alteration) keptParts(parts []catalog.IndexPart, unique bool) ([]sql.IndexColumn, error) {
	var out []sql.IndexColumn
	lost := ""
	for _, p := range parts {
		old := a.old.Columns[p.Column].Name
		taken := slices.ContainsFunc(a.columns, func(c *alteredColumn) bool { return c.from < 0 && strings.EqualFold(c.name, old) })
		if taken { // MariaDB takes the new column of that name into the key
			return nil, notAsMeant("a new column " + old + " in the place of one that is in a key")
		}
		if name, ok := a.nameNow(p.Column); ok {
			out = append(out, sql.IndexColumn{Name: name, Length: int64(p.Prefix)})
			continue
		}
		lost = old
	}
	if unique && lost != "" && len(out) > 0 {
		return nil, mysqlerr.New(mysqlerr.KeyColumnDoesNotExist, lost)
	}
	return out, nil
}

// named reports whether there is a column of that name afterwards.
func (a *alteration) named(name string) bool {
	return slices.ContainsFunc(a.columns, func(c *alteredColumn) bool { return strings.EqualFold(c.name, name) })
}

func (a *alteration) alterIndexes(drops, renames, adds []*sqlparser.DDL) (err error) {
	for _, d := range drops {
		name := d.IndexSpec.ToName.String()
		if d.IndexSpec.Type == sqlparser.PrimaryStr {
			name = "PRIMARY"
		}
		if strings.EqualFold(name, "PRIMARY") {
			if len(a.old.Primary) == 0 || a.dropPrimary {
				return cantDrop("INDEX", "PRIMARY")
			}
			a.dropPrimary = true
			continue
		}
		if indexAt(a.old, name) < 0 || slices.ContainsFunc(a.droppedIndexes, func(n string) bool { return strings.EqualFold(n, name) }) {
			return cantDrop("INDEX", name)
		}
		a.droppedIndexes = append(a.droppedIndexes, name)
	}
	if !a.dropPrimary {
		if a.primary, err = a.keptParts(a.old.Primary, true); err != nil {
			return err
		}
	}
	for i := range a.old.Indexes {
		x := &a.old.Indexes[i]
		if slices.ContainsFunc(a.droppedIndexes, func(n string) bool { return strings.EqualFold(n, x.Name) }) {
			continue
		}
		n := &alteredIndex{name: x.Name, from: x.Name, unique: x.Unique, kind: x.Kind}
		if at := slices.IndexFunc(renames, func(d *sqlparser.DDL) bool { return strings.EqualFold(d.IndexSpec.FromName.String(), x.Name) }); at >= 0 {
			n.name, n.clause = renames[at].IndexSpec.ToName.String(), renames[at]
			renames = slices.Delete(slices.Clone(renames), at, at+1)
		}
		if n.parts, err = a.keptParts(x.Parts, x.Unique); err != nil {
			return err
		}
		if len(n.parts) == 0 {
			continue // it goes with its last column
		}
		a.indexes = append(a.indexes, n)
	}
	if len(renames) > 0 {
		return mysqlerr.New(mysqlerr.KeyDoesNotExist, renames[0].IndexSpec.FromName.String(), a.old.Name)
	}
	return a.addIndexes(adds)
}

func (a *alteration) addIndexes(adds []*sqlparser.DDL) error {
	var fresh []*alteredIndex
	for _, d := range adds {
		var parts []sql.IndexColumn
		for _, f := range d.IndexSpec.Fields {
			if f.Expression != nil {
				return mysqlerr.New(mysqlerr.NotSupportedYet, "indexes on expressions; index a generated column instead")
			}
			name, length := f.Column.String(), int64(0)
			if f.Length != nil {
				if length, _ = strconv.ParseInt(string(f.Length.Val), 10, 64); length == 0 {
					return mysqlerr.New(mysqlerr.KeyPartZero, name)
				}
			}
			if !a.named(name) {
				return mysqlerr.New(mysqlerr.KeyColumnDoesNotExist, name)
			}
			if slices.ContainsFunc(parts, func(p sql.IndexColumn) bool { return strings.EqualFold(p.Name, name) }) {
				return mysqlerr.New(mysqlerr.DupFieldName, name)
			}
			parts = append(parts, sql.IndexColumn{Name: name, Length: length})
		}
		n := &alteredIndex{name: d.IndexSpec.ToName.String(), parts: parts, clause: d, unique: d.IndexSpec.Type == sqlparser.UniqueStr}
		switch d.IndexSpec.Type {
		case sqlparser.FulltextStr:
			n.kind = "FULLTEXT"
		case sqlparser.SpatialStr:
			n.kind = "SPATIAL"
		}
		fresh = append(fresh, n)
	}
	if err := a.checkIndexNames(); err != nil {
		return err
	}
	for _, n := range fresh {
		if n.clause.IndexSpec.Type == sqlparser.PrimaryStr {
			if err := a.checkPrimary(n.parts); err != nil {
				return err
			}
			if len(a.primary) > 0 {
				return mysqlerr.New(mysqlerr.MultiplePriKey)
			}
			a.primary, a.addPrimary = n.parts, true
			continue
		}
		if n.name == "" {
			n.name = a.freeIndexName(n.parts[0].Name)
		}
		a.indexes = append(a.indexes, n)
		if err := a.checkIndexNames(); err != nil {
			return err
		}
	}
	return nil
}

// checkIndexNames refuses two indexes of one name.
func (a *alteration) checkIndexNames() error {
	for i, x := range a.indexes {
		if slices.ContainsFunc(a.indexes[:i], func(o *alteredIndex) bool { return strings.EqualFold(o.name, x.name) }) {
			return mysqlerr.New(mysqlerr.DupKeyName, x.name)
		}
	}
	return nil
}

// freeIndexName names an index without a name by its first column: c, c_2, c_3 ...
func (a *alteration) freeIndexName(column string) string {
	taken := func(name string) bool {
		return strings.EqualFold(name, "PRIMARY") ||
			slices.ContainsFunc(a.indexes, func(o *alteredIndex) bool { return strings.EqualFold(o.name, name) })
	}
	name := column
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s_%d", column, n)
	}
	return name
}

func indexAt(def *catalog.TableDef, name string) int {
	return slices.IndexFunc(def.Indexes, func(x catalog.IndexDef) bool { return strings.EqualFold(x.Name, name) })
}

// dropIndexClause is DROP INDEX with the privileges that another clause needs.
func dropIndexClause(like *sqlparser.DDL, name string) *sqlparser.DDL {
	return &sqlparser.DDL{Action: sqlparser.AlterStr, Table: like.Table, Auth: like.Auth,
		IndexSpec: &sqlparser.IndexSpec{Action: sqlparser.DropStr, ToName: sqlparser.NewColIdent(name)}}
}
