package gms

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms/alter"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// execute is plan, except for ALTER TABLE, whose clauses are planned one by one.
func (p *planned) execute() error {
	if r := p.s.Replicated; r != nil && r.Rows != nil {
		return p.changeRows(r)
	}
	engine, err := p.chooseEngine()
	if err != nil {
		return err
	}
	if known, err := p.alterPartitions(); known {
		return err
	}
	if known, err := p.alter(engine); known {
		return err
	}
	if known, err := p.dropUnknown(); known {
		return err
	}
	if known, err := p.createProcedure(); known {
		return err
	}
	if name, ok := p.madeAlready(); ok {
		return p.leave(name)
	}
	restore, err := p.inViewDatabase()
	if err != nil {
		return err
	}
	defer restore()
	if err := p.refuseOverUnknown(); err != nil {
		return err
	}
	if err := p.refusePartitions(); err != nil {
		return err
	}
	if known, err := p.makeNatively(); known {
		return err
	}
	if err := p.refusePartitionedQuery(); err != nil {
		return err
	}
	run := *p
	if run.st, err = p.withSelectTypes(); err != nil {
		return err
	}
	generated := generatedValues{p.s, p.c}
	if err := generated.refuseNames(run.st); err != nil {
		return err
	}
	run.st = generated.without(run.st)
	if now := runningOf(p.c); now.attempt.AST == p.st.AST { // the declarations of columns are looked up in it
		now.attempt.AST = run.st.AST
		defer func() { now.attempt.AST = p.st.AST }()
	}
	if err := run.plan(); err != nil {
		return err
	}
	if err := run.completeLike(); err != nil {
		return err
	}
	if err := run.definePartitions(); err != nil {
		return err
	}
	return run.refuseLimits()
}

// alter runs ALTER TABLE, CREATE INDEX and DROP INDEX. known is false for what is not about
// the definition of a table here, and is left to go-mysql-server. The table goes to an engine unless that is nil.
func (p *planned) alter(engine *engines.Engine) (known bool, err error) {
	ast, ok := p.st.AST.(*sqlparser.AlterTable)
	if !ok || len(ast.Statements) == 0 || len(ast.PartitionSpecs) > 0 || ast.Table.Name.IsEmpty() {
		return false, nil
	}
	db := p.s.DBOf(statement.Use{DB: ast.Table.DbQualifier.String()})
	t := p.s.tableNow(p.c, db, ast.Table.Name.String())
	if t == nil {
		if parse.IfTable(ast) {
			p.c.Session.Warn(&sql.Warning{Level: "Error", Code: int(mysqlerr.NoSuchTable), Message: mysqlerr.New(mysqlerr.NoSuchTable, db, ast.Table.Name.String()).Message})
			return true, nil
		}
		if p.s.EnsureTxn().Catalog().Object("view", db, ast.Table.Name.String()) != nil {
			return true, mysqlerr.New(mysqlerr.WrongObject, db, ast.Table.Name.String(), "BASE TABLE")
		}
		return false, nil
	}
	restore := p.s.tables.Keep(db, t.Name())
	defer func() {
		if err != nil {
			restore()
		}
	}()
	before := t.Definition()
	if err = alter.Table(&altering{p.s, p.st}, p.c, ast, p.st.Text, t, engine); err != nil {
		return true, err
	}
	if err = p.keptPartitions(before); err != nil {
		return true, err
	}
	return true, p.countCopied(t, before, ast, engine != nil)
}

// countCopied counts the rows that MariaDB would have copied; see alter.Copies.
func (p *planned) countCopied(t *tables.Table, before *catalog.TableDef, ast *sqlparser.AlterTable, engineSaid bool) (err error) {
	name := before.Name
	for _, d := range ast.Statements {
		if d.Action == sqlparser.RenameStr && len(d.ToTables) > 0 {
			name = d.ToTables[0].Name.String()
		}
	}
	now := p.s.tableNow(p.c, before.DB, name)
	if now == nil || alter.OnlyRenames(ast) && !t.Temporary() { // MariaDB tells no numbers of that
		return nil
	}
	if alter.Ordered(p.st.Text, p.s.LexMode) && !now.Engine().Memory && alter.Clustered(now.Definition()) {
		p.c.Session.Warn(&sql.Warning{Level: "Warning", Code: int(mysqlerr.UnknownError),
			Message: "ORDER BY ignored as there is a user-defined clustered index in the table '" + before.Name + "'"})
	}
	rows := 0
	how := alter.Copying{ForeignChecks: p.s.Vars.On("foreign_key_checks"), EngineSaid: engineSaid, Temporary: t.Temporary()}
	if alter.Copies(before, now.Definition(), p.st.Text, p.s.LexMode, ast, how) {
		if rows, err = now.CountRows(p.c); err != nil {
			return err
		}
	}
	p.out.ok(types.OkResult{RowsAffected: uint64(rows), Info: madeInfo(fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: %d", rows, p.s.Warnings.Count()))})
	return nil
}

// tableNow is a table in the session's transaction; nil if there is none.
func (s *Session) tableNow(c *sql.Context, db, name string) *tables.Table {
	if db == "" {
		return nil
	}
	t, _, err := s.engine.gms.Analyzer.Catalog.Table(c, db, name)
	if err != nil {
		return nil
	}
	stored, ok := tables.Stored(t)
	if !ok {
		return nil
	}
	return stored
}

// altering runs the steps of an ALTER TABLE as parts of its statement.
type altering struct {
	s  *Session
	st *syntax.Statement
}

// Table implements alter.Statement.
func (a *altering) Table(c *sql.Context, db, name string) *tables.Table {
	return a.s.tableNow(c, db, name)
}

// Mode implements alter.Statement.
func (a *altering) Mode() dialect.Mode { return a.s.LexMode }

// ForeignChecks implements alter.Statement.
func (a *altering) ForeignChecks() bool { return a.s.Vars.On("foreign_key_checks") }

// Run implements alter.Statement.
func (a *altering) Run(c *sql.Context, ast *sqlparser.AlterTable) error {
	for _, d := range ast.Statements {
		if d.Action != sqlparser.RenameStr {
			continue
		}
		restore, err := inRenamedDatabase(a.s, d)
		if err != nil {
			return err
		}
		defer restore()
	}
	st := &syntax.Statement{Statement: statement.Statement{Text: a.st.Text, Kind: statement.Definition}, AST: ast, Globals: a.st.Globals}
	now := runningOf(c)
	now.attempt.AST = ast
	defer func() { now.attempt.AST = a.st.AST }()
	return (&planned{a.s, c, st, nil, &rowBuffer{}}).plan()
}

// checkCreated compares a new table with the column list of its CREATE TABLE.
func (d *definition) checkCreated() error {
	ddl, ok := d.st.AST.(*sqlparser.DDL)
	if !ok || ddl.Action != sqlparser.CreateStr || ddl.TableSpec == nil || ddl.OptSelect != nil || ddl.OptLike != nil || ddl.Temporary || d.s.Tx == nil {
		return nil
	}
	tbl := d.s.Tx.Catalog().Table(d.s.DBOf(statement.Use{DB: ddl.Table.DbQualifier.String()}), ddl.Table.Name.String())
	if tbl == nil || !d.s.Tx.Changed() {
		return nil
	}
	return alter.CheckCreated(ddl.TableSpec, tbl.Def)
}
