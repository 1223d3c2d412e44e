package gms

import (
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
	moved := strings.HasSuffix(before.Partitioning.By, "KEY ()") // of whatever the key is now
	for at := range rule.Columns {
		if moved {
			break
		}
		c := &before.Columns[at]
		i := slices.IndexFunc(now.Columns, func(o catalog.ColumnDef) bool { return o.Name == c.Name })
		if i < 0 {
			if slices.ContainsFunc(ast.Statements, func(d *sqlparser.DDL) bool {
				return d.ColumnAction == sqlparser.DropStr && d.Column.EqualString(c.Name)
			}) {
				return mysqlerr.New(mysqlerr.BadField, c.Name, "PARTITION BY")
			}
			return mysqlerr.NotYet("another name of a column that PARTITION BY is of")
		}
		if n := &now.Columns[i]; n.SQLType != c.SQLType || n.Type != c.Type || n.Meta != c.Meta || n.Collation != c.Collation || n.Generated != c.Generated {
			moved = true
			break
		}
	}
	if err := partition.Check(now, now.Partitioning, tables.Compile); err != nil || !moved {
		return err
	}
	_, err = t.Repartition(p.c, &partition.Alteration{Moves: true}, false)
	return err
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
	case p.s.Temp.Has(db, n.Name.Name.Text) && n.Partitioning != nil:
		return true, mysqlerr.New(mysqlerr.IllegalTableOption, "partition", "TEMPORARY")
	case n.Partitioning == nil && t.Definition().Partitioning == nil:
		return true, mysqlerr.New(mysqlerr.PartitionNone)
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
	if n.Partitioning == nil && !n.Unpartition {
		copied = 0 // where MariaDB copies rows, it counts none
	}
	p.s.Kept().Changed(copied)
	p.out.ok(types.OkResult{RowsAffected: copied, Info: madeInfo(fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: %d", copied, p.s.Warnings.Count()))})
	return true, nil
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
