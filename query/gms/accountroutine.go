package gms

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/session"
)

// routinePrivileges tells the accounts of a procedure that a statement has made or dropped.
func (d *definition) routinePrivileges() error {
	ddl, ok := d.st.AST.(*sqlparser.DDL)
	if !ok || ddl.ProcedureSpec == nil || !d.s.Server.Globals.On("automatic_sp_privileges") {
		return nil
	}
	db, name := ddl.ProcedureSpec.ProcName.Qualifier.String(), ddl.ProcedureSpec.ProcName.Name.String()
	if db == "" {
		db = d.s.DB()
	}
	switch {
	case strings.EqualFold(ddl.Action, sqlparser.CreateStr):
		return session.AccountsOf(&d.s.Session).RoutineMade(d.c, db, name)
	case strings.EqualFold(ddl.Action, sqlparser.DropStr):
		return session.AccountsOf(&d.s.Session).RoutineDropped(d.c, db, name)
	}
	return nil
}

// checkDefiner checks the definer of what a statement is about to make.
func (d *definition) checkDefiner() error {
	definer, _ := syntax.DefinerOf(d.st.AST)
	return session.AccountsOf(&d.s.Session).CheckDefiner(definer)
}
