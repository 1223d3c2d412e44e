package gms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/partition"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Partitions are ours alone: go-mysql-server makes and alters the table without them.

// parsed is the statement as MariaDB's grammar has it; nil in routines, whose statements have none of what is asked for here.
func (p *planned) parsed() tree.Statement {
	if runningOf(p.c).depth > 0 {
		return nil
	}
	n, _, err := source.New(p.st.Text, p.s.LexMode, nil).Statement()
	if err != nil {
		return nil
	}
	return n
}

// partitioning is the PARTITION BY of a CREATE TABLE; nil for all other statements.
func (p *planned) partitioning() *tree.Partitioning {
	d, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || d.Action != sqlparser.CreateStr {
		return nil
	}
	n, ok := p.parsed().(*tree.CreateTable)
	if !ok {
		return nil
	}
	return n.Partitioning
}

// refusePartitions refuses a temporary table with partitions.
func (p *planned) refusePartitions() error {
	d, ok := p.st.AST.(*sqlparser.DDL)
	if ok && d.Temporary && p.partitioning() != nil {
		return mysqlerr.New(mysqlerr.PartitionFeature, "CREATE TEMPORARY TABLE")
	}
	if ok && d.Temporary && d.OptLike != nil && len(d.OptLike.LikeTables) == 1 {
		like := d.OptLike.LikeTables[0]
		from := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: like.DbQualifier.String()}), like.Name.String())
		if from != nil && from.Definition().Partitioning != nil {
			return mysqlerr.New(mysqlerr.IllegalTableOption, "partition", "TEMPORARY")
		}
	}
	return nil
}

// refusePartitionedQuery refuses a CREATE TABLE ... SELECT with partitions that SQL of our own does not run: the rows would come before the partitions.
func (p *planned) refusePartitionedQuery() error {
	if d, ok := p.st.AST.(*sqlparser.DDL); ok && d.OptSelect != nil && p.partitioning() != nil {
		return mysqlerr.NotYet("PARTITION BY in CREATE TABLE ... SELECT with this query")
	}
	return nil
}

// definePartitions gives the table that a CREATE TABLE has made its partitions. It is empty.
func (p *planned) definePartitions() error {
	n := p.partitioning()
	if n == nil {
		return nil
	}
	d := p.st.AST.(*sqlparser.DDL)
	to := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: d.Table.DbQualifier.String()}), d.Table.Name.String())
	if to == nil || d.IfNotExists && p.existedBefore(to.Definition()) {
		return nil
	}
	made, err := partition.Define(to.Definition(), n, tables.Compile, zoneOf(p.s))
	if err != nil {
		return err
	}
	return to.Redefine(p.c, func(def *catalog.TableDef) { def.Partitioning = made })
}

// keptPartitions looks whether an ALTER TABLE leaves a partition for every row of a table. Where a column has another type, rows may come to others, as
// they do in MariaDB, which copies the table.
func (p *planned) keptPartitions(before *catalog.TableDef) error {
	if before.Partitioning == nil {
		return nil
	}
	ast, ok := p.st.AST.(*sqlparser.AlterTable)
	if !ok {
		return nil
	}
	name := ast.Table.Name.String()
	for _, d := range ast.Statements {
		if d.Action == sqlparser.RenameStr && len(d.ToTables) > 0 {
			name = d.ToTables[0].Name.String()
		}
	}
	t := p.s.tableNow(p.c, before.DB, name)
	if t == nil {
		return mysqlerr.NotYet("ALTER TABLE of a table with partitions that moves it")
	}
	now := t.Definition()
	was, err := tables.Compile(before)
	if err != nil {
		return err
	}
	rule, err := partition.Of(relation.Of(was))
	if err != nil {
		return err
	}
	var names []string                                           // old ones of the columns of PARTITION BY, each followed by its new one
	moved := strings.HasSuffix(before.Partitioning.By, "KEY ()") // of whatever the key is now
	changed := false
	for at := range rule.Columns {
		if moved {
			break
		}
		c := &before.Columns[at]
		if slices.ContainsFunc(ast.Statements, func(d *sqlparser.DDL) bool {
			return d.ColumnAction == sqlparser.DropStr && d.Column.EqualString(c.Name)
		}) {
			if slices.ContainsFunc(now.Columns, func(o catalog.ColumnDef) bool { return strings.EqualFold(o.Name, c.Name) }) {
				return mysqlerr.NotYet("another column in the place of one that PARTITION BY is of")
			}
			return mysqlerr.New(mysqlerr.BadField, c.Name, "PARTITION BY")
		}
		i := renamedTo(now, ast, c.Name)
		if i >= 0 && now.Columns[i].Name != c.Name {
			names = append(names, quoted(c.Name), quoted(now.Columns[i].Name))
		} else if i < 0 {
			i = slices.IndexFunc(now.Columns, func(o catalog.ColumnDef) bool { return o.Name == c.Name })
		}
		if i < 0 {
			return mysqlerr.NotYet("another name of a column that PARTITION BY is of")
		}
		if n := &now.Columns[i]; n.SQLType != c.SQLType || n.Type != c.Type || n.Meta != c.Meta || n.Collation != c.Collation || n.Generated != c.Generated {
			changed = true
		}
	}
	a := partition.Alteration{Moves: moved || changed}
	if names != nil {
		as := *now.Partitioning
		rename := strings.NewReplacer(names...)
		as.By, as.Sub = rename.Replace(as.By), rename.Replace(as.Sub)
		a.Def = &as
	}
	if err := partition.Check(now, cmp.Or(a.Def, now.Partitioning), tables.Compile); err != nil || !moved && a.Def == nil {
		return err
	}
	_, err = t.Repartition(p.c, &a, false)
	return err
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// renamedTo is the column that one of an old name is after an ALTER TABLE, -1 if it has no other name.
func renamedTo(now *catalog.TableDef, ast *sqlparser.AlterTable, old string) int {
	for _, d := range ast.Statements {
		to := ""
		switch {
		case d.ColumnAction == sqlparser.RenameStr:
			to = d.ToColumn.String()
		case d.ColumnAction == sqlparser.ChangeStr && d.TableSpec != nil:
			to = d.TableSpec.Columns[0].Name.String()
		}
		if to != "" && d.Column.EqualString(old) {
			return slices.IndexFunc(now.Columns, func(c catalog.ColumnDef) bool { return strings.EqualFold(c.Name, to) })
		}
	}
	return -1
}

// alterPartitions runs an ALTER TABLE that is about partitions. known is false for all other statements.
func (p *planned) alterPartitions() (known bool, err error) {
	if _, ok := p.st.AST.(*sqlparser.AlterTable); !ok {
		return false, nil
	}
	n, ok := p.parsed().(*tree.AlterTable)
	if !ok || !parse.AltersPartitions(n) {
		return false, nil
	}
	db := p.s.DBOf(statement.Use{DB: n.Name.DB.Text})
	t := p.s.tableNow(p.c, db, n.Name.Name.Text)
	switch {
	case t == nil:
		return false, nil // the error is that of any ALTER TABLE
	case p.withItself(db, n):
		return true, mysqlerr.New(mysqlerr.NonUniqTable, n.Name.Name.Text)
	case p.s.Temp.Has(db, n.Name.Name.Text) && n.Partitioning != nil:
		return true, mysqlerr.New(mysqlerr.IllegalTableOption, "partition", "TEMPORARY")
	case n.Partitioning == nil && t.Definition().Partitioning == nil:
		return true, mysqlerr.New(mysqlerr.PartitionNone)
	}
	if len(n.Actions) == 1 {
		if x, ok := n.Actions[0].(*tree.ExchangePartition); ok {
			return true, p.exchange(db, n.Name.Name.Text, x)
		}
	}
	if err := t.LockToAlter(p.c); err != nil {
		return true, err
	}
	if t = p.s.tableNow(p.c, db, n.Name.Name.Text); t == nil || n.Partitioning == nil && t.Definition().Partitioning == nil {
		return true, mysqlerr.New(mysqlerr.PartitionNone)
	}
	a, err := p.partitionsOf(t.Definition(), n)
	if err != nil {
		return true, err
	}
	if a.Note != nil {
		p.c.Session.Warn(&sql.Warning{Level: "Note", Code: int(a.Note.Number), Message: a.Note.Message})
	}
	copied, err := t.Repartition(p.c, a, n.Unpartition)
	if err != nil {
		return true, err
	}
	p.s.Kept().Changed(copied)
	if len(n.Actions) == 1 && n.Actions[0].(*tree.AlterPartitions).Verb == "TRUNCATE" { // which tells no numbers
		p.out.ok(types.OkResult{Info: madeInfo("")})
		return true, nil
	}
	p.out.ok(types.OkResult{RowsAffected: copied, Info: madeInfo(fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: %d", copied, p.s.Warnings.Count()))})
	return true, nil
}

// withItself reports whether a table is asked to exchange a partition with itself.
func (p *planned) withItself(db string, n *tree.AlterTable) bool {
	if len(n.Actions) != 1 {
		return false
	}
	x, ok := n.Actions[0].(*tree.ExchangePartition)
	return ok && strings.EqualFold(db, p.s.DBOf(statement.Use{DB: x.Table.DB.Text})) && strings.EqualFold(n.Name.Name.Text, x.Table.Name.Text)
}

// exchange runs EXCHANGE PARTITION ... WITH TABLE.
func (p *planned) exchange(db, name string, n *tree.ExchangePartition) error {
	otherDB, other := p.s.DBOf(statement.Use{DB: n.Table.DB.Text}), n.Table.Name.Text
	if rights := p.s.Rights(); !rights.Everything() {
		var needs privilege.Needs
		for _, of := range []privilege.TableName{{DB: db, Name: name}, {DB: otherDB, Name: other}} {
			for _, kind := range []privilege.Set{privilege.Alter, privilege.Drop, privilege.Insert, privilege.Create} {
				needs.List = append(needs.List, privilege.NeedTable(of, kind))
			}
		}
		if err := rights.Check(needs); err != nil {
			return err
		}
	}
	find := func(db, name string) (*tables.Table, error) {
		t := p.s.tableNow(p.c, db, name)
		switch {
		case t != nil:
			return t, nil
		case p.s.EnsureTxn().Catalog().Object("view", db, name) != nil:
			return nil, mysqlerr.New(mysqlerr.WrongObject, db, name, "BASE TABLE")
		}
		return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, name)
	}
	with, err := find(otherDB, other)
	if err != nil {
		return err
	}
	if with.Temporary() {
		return mysqlerr.New(mysqlerr.ExchangeTemporary, other)
	}
	t, err := find(db, name)
	if err != nil {
		return err
	}
	if err := errors.Join(t.LockToAlter(p.c), with.LockToAlter(p.c)); err != nil {
		return err
	}
	if t, err = find(db, name); err != nil { // as it is now that nobody else changes it
		return err
	}
	if with, err = find(otherDB, other); err != nil {
		return err
	}
	def := t.Definition()
	if def.Partitioning == nil {
		return mysqlerr.New(mysqlerr.PartitionNone)
	}
	place, err := partition.Place(def, n.Name.Text)
	if err == nil {
		err = partition.Exchangeable(def, with.Definition())
	}
	if err == nil && p.s.referred(with.Definition()) {
		err = mysqlerr.New(mysqlerr.ExchangeForeignKey, other)
	}
	if err != nil {
		return err
	}
	if err := t.Exchange(p.c, place, with); err != nil {
		return err
	}
	p.out.ok(types.OkResult{Info: madeInfo("")})
	return nil
}

// partitionsOf finds out what becomes of the partitions of a table.
func (p *planned) partitionsOf(def *catalog.TableDef, n *tree.AlterTable) (*partition.Alteration, error) {
	if len(n.Actions) > 0 {
		clause := n.Actions[0].(*tree.AlterPartitions)
		if clause.Verb == "DROP" || clause.Verb == "TRUNCATE" {
			need := privilege.NeedTable(privilege.TableName{DB: def.DB, Name: def.Name}, privilege.Drop)
			if rights := p.s.Rights(); !rights.Everything() {
				if err := rights.Check(privilege.Needs{List: []privilege.Need{need}}); err != nil {
					return nil, err
				}
			}
		}
		return partition.Alter(def, clause, tables.Compile, zoneOf(p.s))
	}
	if n.Unpartition {
		return &partition.Alteration{}, nil
	}
	if len(def.ForeignKeys) > 0 || p.s.referred(def) {
		return nil, mysqlerr.New(mysqlerr.RowIsReferenced)
	}
	made, err := partition.Define(def, n.Partitioning, tables.Compile, zoneOf(p.s))
	return &partition.Alteration{Def: made, Moves: true}, err
}

// zoneOf is a session's time zone.
func zoneOf(s *Session) *temporal.Zone {
	zone, err := temporal.ParseZone(s.Vars.Str("time_zone"))
	if err != nil { // such a value is refused
		return temporal.UTC
	}
	return zone
}

// referred reports whether a foreign key of another table is about a table.
func (s *Session) referred(def *catalog.TableDef) bool {
	for _, t := range s.EnsureTxn().Catalog().AllTables() {
		for i := range t.Def.ForeignKeys {
			if fk := &t.Def.ForeignKeys[i]; strings.EqualFold(fk.ParentDB, def.DB) && strings.EqualFold(fk.ParentTable, def.Name) {
				return true
			}
		}
	}
	return false
}
