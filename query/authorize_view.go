package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/gms/needs"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
)

// viewDepthMax is how deep views of views are followed.
const viewDepthMax = 32

// belowView checks what a view reads and changes: with its definer's privileges, or with those of the one
// who uses it where it was made with SQL SECURITY INVOKER. What is missing is error 1356, which names the view only.
func (a *access) belowView(db, view string, use privilege.Set) error {
	use &= privilege.Select | privilege.Insert | privilege.Update | privilege.Delete
	if use == 0 || strings.EqualFold(db, "information_schema") || a.s.engine.Store.Catalog().Current().Object("view", db, view) == nil {
		return nil
	}
	spec := a.viewSpec(db, view)
	if spec == nil {
		return nil
	}
	if spec.Definer == "" && !strings.EqualFold(spec.Security, "invoker") {
		return nil // not known: whoever made it could read what it reads
	}
	below := *a
	below.depth++
	below.db = db
	if !strings.EqualFold(spec.Security, "invoker") && spec.Definer != "" && !a.self(spec.Definer) {
		below.become(spec.Definer)
	}
	invalid := mysqlerr.New(mysqlerr.ViewInvalid, db, view)
	if below.depth > viewDepthMax {
		return invalid
	}
	if below.everything() {
		return nil
	}
	needs, _ := needs.Of(spec.ViewExpr, "")
	for i := range needs.List {
		n := needs.List[i]
		if n.On == privilege.Table && n.All&privilege.Select != 0 {
			n.All = use
			n.ByColumn = n.ByColumn && use == privilege.Select
		}
		if err := below.need(&n); err != nil {
			return invalid.WithCause(err)
		}
	}
	for i := range needs.Reads {
		if err := below.readColumn(&needs.Reads[i]); err != nil {
			return invalid.WithCause(err)
		}
	}
	return nil
}

// definersOf checks the views that a statement names for somebody who may do everything: their definers may not.
func (a *access) definersOf(st *syntax.Statement) error {
	cat := a.s.engine.Store.Catalog().Current()
	for _, t := range st.Tables {
		if db := a.s.DBOf(t); st.Kind == statement.Read && cat.Object("view", db, t.Name) != nil {
			if err := a.belowView(db, t.Name, privilege.Select); err != nil {
				return err
			}
		}
	}
	return nil
}

// viewSpec is the definition of a view, nil if there is none that can be read.
func (a *access) viewSpec(db, view string) *sqlparser.ViewSpec {
	d, err := a.s.engine.gms.Analyzer.Catalog.DbProvider.Database(a.c, db)
	if err != nil {
		return nil
	}
	views, ok := d.(sql.ViewDatabase)
	if !ok {
		return nil
	}
	def, ok, err := views.GetViewDefinition(a.c, view)
	if err != nil || !ok {
		return nil
	}
	ast, _, _, err := a.s.parseText(def.CreateViewStatement)
	if err != nil {
		return nil
	}
	ddl, ok := ast.(*sqlparser.DDL)
	if !ok {
		return nil
	}
	return ddl.ViewSpec
}

// become makes the access that of another account.
func (a *access) become(definer string) {
	sub, err := account.DefinerSubject(a.s.engine.Accounts.Set(), definer)
	if err != nil {
		a.held, a.global, a.account = nobody{}, 0, account.Named(definer)
		a.named = a.account
		return
	}
	a.account, a.named = sub.Account, sub.Account
	h := granted{a.s.engine.Accounts.Set(), sub}
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
