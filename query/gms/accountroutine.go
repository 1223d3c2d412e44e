package gms

import (
	"context"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/session"
)

// routinePrivileges tells the accounts of a procedure that a statement has made or dropped.
func (s *Session) routinePrivileges(ctx context.Context, st *syntax.Statement) error {
	d, ok := st.AST.(*sqlparser.DDL)
	if !ok || d.ProcedureSpec == nil || !s.Server.Globals.On("automatic_sp_privileges") {
		return nil
	}
	db, name := d.ProcedureSpec.ProcName.Qualifier.String(), d.ProcedureSpec.ProcName.Name.String()
	if db == "" {
		db = s.DB()
	}
	switch {
	case strings.EqualFold(d.Action, sqlparser.CreateStr):
		return session.AccountsOf(&s.Session).RoutineMade(ctx, db, name)
	case strings.EqualFold(d.Action, sqlparser.DropStr):
		return session.AccountsOf(&s.Session).RoutineDropped(ctx, db, name)
	}
	return nil
}

// checkDefiner checks the definer of what a statement is about to make.
func (s *Session) checkDefiner(st *syntax.Statement) error {
	definer, _ := syntax.DefinerOf(st.AST)
	return session.AccountsOf(&s.Session).CheckDefiner(definer)
}
