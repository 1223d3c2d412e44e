package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/routine"
	"github.com/duramendb/duramen/query/types/charset"
)

// StoredProcedure is a stored procedure as it was made.
type StoredProcedure struct {
	DB, Name string
	Text     string // CREATE PROCEDURE
	Tree     *tree.CreateRoutine
	// Mode and Connection are the sql_mode and the collation_connection that it was made with.
	Mode, Connection string
	definer          string
}

// Procedures are the stored procedures as a session sees them.
type Procedures struct{ Of *Session }

// Find finds one.
func (p Procedures) Find(db, name string) (*StoredProcedure, error) {
	s := p.Of
	cat := s.engine.Store.Catalog().Current()
	list, err := tables.Procedures(cat, db)
	if err != nil {
		return nil, err
	}
	for _, known := range list {
		if !strings.EqualFold(known.Name, name) {
			continue
		}
		out := &StoredProcedure{DB: db, Name: known.Name, Text: known.CreateStatement, Mode: known.SqlMode, Connection: known.Origin.Connection, definer: known.Origin.Creator}
		n, _, err := source.New(known.CreateStatement, dialect.ModeOf(known.SqlMode), nil).Statement()
		if err != nil {
			return nil, err
		}
		var ok bool
		if out.Tree, ok = n.(*tree.CreateRoutine); !ok {
			return nil, mysqlerr.NotYet("this procedure")
		}
		if out.Tree.Definer != nil {
			out.definer = tree.String(out.Tree.Definer)
		}
		return out, nil
	}
	return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "PROCEDURE", db+"."+name)
}

// Subject is whose privileges count in one.
func (p Procedures) Subject(of *StoredProcedure, invoker bool) (accounts.Subject, error) {
	return subjectOf(p.Of, of.DB, of.Name, of.definer, invoker)
}

// createProcedure stores a procedure; known is false for other statements.
func (p *planned) createProcedure() (known bool, err error) {
	ddl, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || ddl.ProcedureSpec == nil || !strings.EqualFold(ddl.Action, sqlparser.CreateStr) {
		return false, nil
	}
	name := ddl.ProcedureSpec.ProcName
	in := name.Qualifier.String()
	if in == "" {
		if in = p.s.DB(); in == "" {
			return true, mysqlerr.New(mysqlerr.NoDB)
		}
	}
	db, err := p.s.engine.gms.Analyzer.Catalog.Database(p.c, in)
	if err != nil {
		return true, err
	}
	into, ok := db.(sql.StoredProcedureDatabase)
	if !ok {
		return true, mysqlerr.New(mysqlerr.BadDB, in)
	}
	if err := p.checkProcedure(in); err != nil {
		return true, err
	}
	if p.s.EnsureTxn().Catalog().Object("procedure", in, name.Name.String()) != nil {
		return true, mysqlerr.New(mysqlerr.SPAlreadyExists, "PROCEDURE", name.Name.String())
	}
	now := p.c.QueryTime()
	err = into.SaveStoredProcedure(p.c, sql.StoredProcedureDetails{
		Name: name.Name.String(), CreateStatement: p.st.Text, CreatedAt: now, ModifiedAt: now, SqlMode: p.s.Vars.Str("sql_mode"),
	})
	if err != nil {
		return true, err
	}
	p.out.ok(types.OkResult{})
	return true, nil
}

// checkProcedure looks at a procedure that is about to be made in a database.
func (p *planned) checkProcedure(db string) error {
	st, _, err := source.New(p.st.Text, p.s.LexMode, nil).Statement()
	if err != nil {
		return err
	}
	n, ok := st.(*tree.CreateRoutine)
	if !ok {
		return mysqlerr.NotYet("this procedure")
	}
	coll, ok := charset.ByName(p.s.Vars.Str("collation_server"))
	if def := p.s.engine.Store.Catalog().Current().Database(db); def != nil {
		coll, ok = charset.ByName(def.Collation)
	}
	if !ok {
		return mysqlerr.NotYet("a procedure in a database of this collation")
	}
	if err := routine.Check(n, coll); err != nil {
		return err
	}
	for range routine.IntoBehind(n) {
		w := mysqlerr.New(mysqlerr.WarnDeprecatedSyntax, "<select expression> INTO <destination>;", "'SELECT <select list> INTO <destination> FROM...'")
		p.s.Warn("Warning", w.Number, w.Message)
	}
	return nil
}
