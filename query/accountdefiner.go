package query

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/account"
)

// definerOf is the DEFINER clause of a statement; ok is false if it makes nothing that has a definer.
func definerOf(ast sqlparser.Statement) (definer string, ok bool) {
	d, isDDL := ast.(*sqlparser.DDL)
	if !isDDL || d.Action != sqlparser.CreateStr {
		return "", false
	}
	switch {
	case d.ViewSpec != nil:
		return d.ViewSpec.Definer, true
	case d.ProcedureSpec != nil:
		return d.ProcedureSpec.Definer, true
	case d.TriggerSpec != nil:
		return d.TriggerSpec.Definer, true
	case d.EventSpec != nil:
		return d.EventSpec.Definer, true
	}
	return "", false
}

// checkDefiner checks the definer of what a statement is about to make.
func (a accountSession) checkDefiner(st *statement) error {
	definer, ok := definerOf(st.ast)
	if !ok || definer == "" {
		return nil
	}
	note, err := account.CheckDefiner(a.s.engine.accountSet(), a.Subject(), definer)
	if note != nil {
		a.Warn("Note", note.Number, note.Message)
	}
	return err
}
