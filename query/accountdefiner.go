package query

import (
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/gms/syntax"
)

// checkDefiner checks the definer of what a statement is about to make.
func (a accountSession) checkDefiner(st *syntax.Statement) error {
	definer, ok := syntax.DefinerOf(st.AST)
	if !ok || definer == "" {
		return nil
	}
	note, err := account.CheckDefiner(a.s.engine.Accounts.Set(), a.Subject(), definer)
	if note != nil {
		a.Warn("Note", note.Number, note.Message)
	}
	return err
}
