package access

import (
	"strings"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
)

// viewDepthMax is how deep views of views are followed.
const viewDepthMax = 32

// belowView checks what a view reads and changes: with its definer's privileges, or with those of the one
// who uses it where it was made with SQL SECURITY INVOKER. What is missing is error 1356, which names the view only.
func (a *Rights) belowView(db, view string, use privilege.Set) error {
	use &= privilege.Select | privilege.Insert | privilege.Update | privilege.Delete
	if use == 0 || strings.EqualFold(db, "information_schema") || a.s.Server.Store.Catalog().Current().Object("view", db, view) == nil {
		return nil
	}
	def, ok := a.defs.View(db, view)
	if !ok {
		return nil
	}
	if def.Definer == "" && !def.Invoker {
		return nil // not known: whoever made it could read what it reads
	}
	below := *a
	below.depth++
	below.DB = db
	if !def.Invoker && !a.self(def.Definer) {
		below.Become(def.Definer)
	}
	invalid := mysqlerr.New(mysqlerr.ViewInvalid, db, view)
	if below.depth > viewDepthMax {
		return invalid
	}
	if below.Everything() {
		return nil
	}
	for i := range def.Needs.List {
		n := def.Needs.List[i]
		if n.On == privilege.Table && n.All&privilege.Select != 0 {
			n.All = use
			n.ByColumn = n.ByColumn && use == privilege.Select
		}
		if err := below.need(&n); err != nil {
			return invalid.WithCause(err)
		}
	}
	for i := range def.Needs.Reads {
		if err := below.readColumn(&def.Needs.Reads[i]); err != nil {
			return invalid.WithCause(err)
		}
	}
	return nil
}

// BelowView asks whether the definer of a view, or who uses it, may do something to the rows of its table.
func (a *Rights) BelowView(db, view string, use privilege.Set) error {
	return a.belowView(db, view, use)
}

// MayReadColumn asks for SELECT on a column of a view.
func (a *Rights) MayReadColumn(db, view, column string) error {
	if (a.Table(db, view)|a.held.Column(db, view, column))&privilege.Select != 0 {
		return nil
	}
	return mysqlerr.New(mysqlerr.ColumnAccessDenied, privilege.Select.String(), a.named.User, a.named.Host, column, view)
}

// MayReadViews checks the views that a statement names for somebody who may do everything: their definers may not.
func (a *Rights) MayReadViews(st *statement.Statement) error {
	cat := a.s.Server.Store.Catalog().Current()
	for _, t := range st.Tables {
		if db := a.s.DBOf(t); st.Kind == statement.Read && cat.Object("view", db, t.Name) != nil {
			if err := a.belowView(db, t.Name, privilege.Select); err != nil {
				return err
			}
		}
	}
	return nil
}

// Become makes the access that of another account.
func (a *Rights) Become(definer string) {
	sub, err := account.DefinerSubject(a.s.Server.Accounts.Set(), definer)
	if err != nil {
		a.held, a.global, a.account = nobody{}, 0, account.Named(definer)
		a.named = a.account
		return
	}
	a.account, a.named = sub.Account, sub.Account
	h := granted{a.s.Server.Accounts.Set(), sub}
	a.held, a.global = h, h.Global()
}

// nobody has no privileges.
type nobody struct{}

func (nobody) Global() privilege.Set                       { return 0 }
func (nobody) Database(string) privilege.Set               { return 0 }
func (nobody) Table(string, string) privilege.Set          { return 0 }
func (nobody) Column(string, string, string) privilege.Set { return 0 }
func (nobody) Routine(string, string, bool) privilege.Set  { return 0 }
func (nobody) Within(string) bool                          { return false }
