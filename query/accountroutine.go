package query

import (
	"context"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
)

// routinePrivileges is what automatic_sp_privileges means: who makes a procedure may run and change it, and
// what was granted on one goes when it is dropped. Replicas do the same by themselves, so nothing of it is logged.
func (a accountSession) routinePrivileges(ctx context.Context, st *syntax.Statement) error {
	s := a.s
	d, ok := st.AST.(*sqlparser.DDL)
	if !ok || d.ProcedureSpec == nil || !s.engine.Globals.On("automatic_sp_privileges") {
		return nil
	}
	db, name := d.ProcedureSpec.ProcName.Qualifier.String(), d.ProcedureSpec.ProcName.Name.String()
	if db == "" {
		db = s.DB()
	}
	const own = privilege.Execute | privilege.AlterRoutine
	set, sub := s.engine.Accounts.Set(), a.Subject()
	made := strings.EqualFold(d.Action, sqlparser.CreateStr)
	if made && (set.Global(sub) | set.DB(sub, db) | set.Routine(sub, db, name, false)).Has(own) {
		return nil
	}
	if !made && (!strings.EqualFold(d.Action, sqlparser.DropStr) || !set.Clone().DropRoutine(db, name, false)) {
		return nil
	}
	logged := s.Vars.Value(session.VarSQLLogBin)
	s.Vars.Store(session.VarSQLLogBin, int8(0))
	defer s.Vars.Store(session.VarSQLLogBin, logged)
	return a.change(ctx, "", func(set *accounts.Set) error {
		if !made {
			set.DropRoutine(db, name, false)
		} else if to := set.Find(sub.Account); to != nil {
			set.GrantRoutine(to.Name, db, name, false, own)
		}
		return nil
	})
}
