package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/alter"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// planStatement is plan, except for ALTER TABLE, whose clauses are planned one by one.
func (s *Session) planStatement(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	if known, err := s.runAlter(c, st); known {
		return err
	}
	restore, err := s.inViewDatabase(c, st)
	if err != nil {
		return err
	}
	defer restore()
	if err := s.refuseOverUnknown(c, st); err != nil {
		return err
	}
	if st, err = s.withSelectTypes(c, st, b); err != nil {
		return err
	}
	if err := s.refuseGeneratedNames(st); err != nil {
		return err
	}
	st = s.withoutGenerated(c, st)
	if err := s.plan(c, st, b, out); err != nil {
		return err
	}
	return s.completeLike(c, st)
}

// runAlter runs ALTER TABLE, CREATE INDEX and DROP INDEX. known is false for what is not about
// the definition of a table here, and is left to go-mysql-server.
func (s *Session) runAlter(c *sql.Context, st *syntax.Statement) (known bool, err error) {
	ast, ok := st.AST.(*sqlparser.AlterTable)
	if !ok || len(ast.Statements) == 0 || len(ast.PartitionSpecs) > 0 || ast.Table.Name.IsEmpty() {
		return false, nil
	}
	db := s.DBOf(statement.Use{DB: ast.Table.DbQualifier.String()})
	t := s.tableNow(c, db, ast.Table.Name.String())
	if t == nil {
		if parse.IfTable(ast) {
			c.Session.Warn(&sql.Warning{Level: "Error", Code: int(mysqlerr.NoSuchTable), Message: mysqlerr.New(mysqlerr.NoSuchTable, db, ast.Table.Name.String()).Message})
			return true, nil
		}
		return false, nil
	}
	restore := s.tables.Keep(db, t.Name())
	defer func() {
		if err != nil {
			restore()
		}
	}()
	return true, alter.Table(&altering{s, st}, c, ast, st.Text, t)
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
	return a.s.plan(c, st, nil, &rowBuffer{})
}

// checkCreated compares a new table with the column list of its CREATE TABLE.
func (s *Session) checkCreated(st *syntax.Statement) error {
	d, ok := st.AST.(*sqlparser.DDL)
	if !ok || d.Action != sqlparser.CreateStr || d.TableSpec == nil || d.OptSelect != nil || d.OptLike != nil || d.Temporary || s.Tx == nil {
		return nil
	}
	tbl := s.Tx.Catalog().Table(s.DBOf(statement.Use{DB: d.Table.DbQualifier.String()}), d.Table.Name.String())
	if tbl == nil || !s.Tx.Changed() {
		return nil
	}
	return alter.CheckCreated(d.TableSpec, tbl.Def)
}
