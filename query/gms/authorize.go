package gms

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/access"
	"github.com/duramendb/duramen/query/gms/needs"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Every statement passes through authorize before anything of it happens: a syntax tree in runStatement,
// runNested and prepare, a statement of the server's own in executeFirst. What it needs stands in package
// privilege.

// authorize checks the privileges that a statement needs.
func (s *Session) authorize(st *syntax.Statement) error {
	a := s.Rights()
	if a.Everything() {
		return a.MayReadViews(&st.Statement)
	}
	if st.Needs == nil {
		needs, ok := needs.Of(st.AST, st.Text)
		if !ok {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "this statement for users without all privileges")
		}
		needs = served(needs)
		st.Needs = &needs
	}
	if replaces := st.Before != nil && !isAlter(st.Before); replaces && len(st.Needs.List) > 0 && st.Needs.List[0].On == privilege.Table {
		// CREATE OR REPLACE TABLE asks for both at once.
		both := privilege.Needs{List: slices.Clone(st.Needs.List), Reads: st.Needs.Reads}
		both.List[0].All |= privilege.Drop
		return a.Check(both)
	}
	if st.Before != nil {
		if err := s.authorize(st.Before); err != nil {
			return err
		}
	}
	return a.Check(*st.Needs)
}

// isAlter reports whether a statement changes a table, as CREATE INDEX and DROP INDEX do.
func isAlter(st *syntax.Statement) bool {
	_, alter := st.AST.(*sqlparser.AlterTable)
	return alter
}

// Rights are what the session's user may do now.
func (s *Session) Rights() *access.Rights { return access.Of(&s.Session, definitions{s}) }

// definitions are those that a session sees.
type definitions struct{ s *Session }

// View implements access.Definitions.
func (d definitions) View(db, name string) (access.View, bool) {
	text, _, ok, err := tables.CreatedView(d.s.EnsureTxn().Catalog(), db, name)
	if err != nil || !ok {
		return access.View{}, false
	}
	ast, _, _, err := d.s.parseText(text)
	if err != nil {
		return access.View{}, false
	}
	ddl, ok := ast.(*sqlparser.DDL)
	if !ok || ddl.ViewSpec == nil {
		return access.View{}, false
	}
	v := access.View{Definer: ddl.ViewSpec.Definer, Invoker: strings.EqualFold(ddl.ViewSpec.Security, "invoker")}
	below, _ := needs.Of(ddl.ViewSpec.ViewExpr, "")
	v.Needs = served(below)
	return v, true
}

// served are needs on the tables that a statement means, where the parser has put others in their place (serveSystemTables).
func served(n privilege.Needs) privilege.Needs {
	for i := range n.List {
		if need := &n.List[i]; need.On == privilege.Table {
			need.DB, need.Name = servedTable(need.DB, need.Name)
		}
	}
	return n
}

// TriggerTable implements access.Definitions.
func (d definitions) TriggerTable(db, trigger string) string {
	list, err := tables.Triggers(d.s.EnsureTxn().Catalog(), db)
	if err != nil {
		return ""
	}
	for _, t := range list {
		if !strings.EqualFold(t.Name, trigger) {
			continue
		}
		if ast, err := d.s.parseUnder(t.Origin.Mode, t.CreateStatement); err == nil {
			if ddl, ok := ast.(*sqlparser.DDL); ok {
				return ddl.Table.Name.String()
			}
		}
	}
	return ""
}

// noAuthorization stands in for go-mysql-server's own checks, which know neither MariaDB's rules nor its
// errors: every statement has been through authorize when a plan is made of it.
type noAuthorization struct{ sql.NoopAuthorizationHandler }

// setUpAuthorization puts this package's checks in the place of go-mysql-server's.
func (e *Engine) setUpAuthorization() {
	cat := e.gms.Analyzer.Catalog
	cat.AuthHandler = noAuthorization{}
	cat.InfoSchema = visibleSchema{cat.InfoSchema}
}
