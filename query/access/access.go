// Package access says what the user of a session may do: it compares what a statement needs (package privilege) with what the
// accounts grant, below views and in routines as their definers, and filters lists of objects by it.
package access

import (
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
)

// Rights is what one statement asks its user's privileges.
type Rights struct {
	s      *session.Session
	defs   Definitions
	held   holder
	global privilege.Set
	DB     string // of unqualified names below a view or in a trigger; "" for the session's current database
	// account is whose privileges these are, and named how errors about tables and routines name it: who
	// the client is by its own account, or the definer.
	account, named accounts.Name
	depth          int // of views
}

// Definitions read the texts of views and triggers.
type Definitions interface {
	// View is what a view reads; ok is false if there is no such view, or its text cannot be read.
	View(db, name string) (v View, ok bool)
	// TriggerTable is the table of a trigger, "" if there is no such trigger.
	TriggerTable(db, trigger string) string
}

// View is what a view reads, and whose privileges count for that.
type View struct {
	Definer string // "" if it is not known
	Invoker bool   // SQL SECURITY INVOKER
	Needs   privilege.Needs
}

// Of is what a session's user may do now.
func Of(s *session.Session, defs Definitions) *Rights {
	sub := s.Authority.Subject()
	a := &Rights{s: s, defs: defs, held: granted{s.Server.Accounts.Set(), sub}, global: s.GlobalPrivileges(), account: sub.Account, named: sub.Account}
	if !s.Authority.Delegated() {
		a.named = accounts.Name{User: s.Info.User, Host: s.Info.Host}
	}
	return a
}

// Everything reports whether there is nothing that the user may not do.
func (a *Rights) Everything() bool { return a.global|privilege.Grant == privilege.All }

// Database are the privileges on a database, those on everything included.
func (a *Rights) Database(db string) privilege.Set { return a.global | a.held.Database(db) }

// Table are the privileges on a table, those on its database included.
func (a *Rights) Table(db, table string) privilege.Set {
	return a.Database(db) | a.held.Table(db, table)
}

// Visible reports whether the user has any privilege on a database or on something in it.
func (a *Rights) Visible(db string) bool {
	return strings.EqualFold(db, "information_schema") || a.Database(db)&privilege.OnDatabase != 0 || a.held.Within(db)
}

// TableVisible reports whether the user has any privilege on a table or a column of it.
func (a *Rights) TableVisible(db, table string) bool {
	return strings.EqualFold(db, "information_schema") || a.Table(db, table)&privilege.OnTable != 0 ||
		a.anyColumn(db, table, privilege.OnColumn)
}

// anyColumn reports whether the user has one of some privileges on a column of a table.
func (a *Rights) anyColumn(db, table string, p privilege.Set) bool {
	return a.onColumns(db, table)&p != 0
}

// onColumns are the privileges that the user has on some column of a table.
func (a *Rights) onColumns(db, table string) (p privilege.Set) {
	for _, col := range session.Columns(a.s, db, table) {
		p |= a.held.Column(db, table, col)
	}
	return p
}

// ColumnVisible reports whether the user may know of a column.
func (a *Rights) ColumnVisible(db, table, column string) bool {
	return strings.EqualFold(db, "information_schema") || a.Table(db, table)&privilege.OnTable != 0 ||
		a.held.Column(db, table, column)&privilege.OnColumn != 0
}

// OnColumn are the privileges that the user has on a column, as SHOW FULL COLUMNS lists them.
func (a *Rights) OnColumn(db, table, column string) string {
	have := a.Table(db, table) | a.held.Column(db, table, column)
	return strings.ToLower(strings.Join((have & privilege.OnColumn).Names(), ","))
}

// CheckOwn is Check for a statement of the server's own.
func (a *Rights) CheckOwn(st dialect.Statement) error {
	if a.Everything() {
		return nil
	}
	needs, ok := privilege.OfStatement(st)
	if !ok {
		return mysqlerr.New(mysqlerr.NotSupportedYet, "this statement for users without all privileges")
	}
	return a.Check(needs)
}

// Check compares what a statement needs with what its user has.
func (a *Rights) Check(n privilege.Needs) error {
	for i := range n.List {
		if err := a.need(&n.List[i]); err != nil {
			return err
		}
	}
	for i := range n.Reads {
		if err := a.readColumn(&n.Reads[i]); err != nil {
			return err
		}
	}
	if n.Definer != "" && !a.self(n.Definer) && a.global&(privilege.Super|privilege.SetUser) == 0 {
		return mysqlerr.New(mysqlerr.SpecificAccessDenied, (privilege.Super | privilege.SetUser).String())
	}
	return nil
}

// OfColumn is the error about a column of a table, which need not be there, on which the user has not each of some privileges.
func (a *Rights) OfColumn(db, table, column string, which privilege.Set) (err error) {
	which &^= a.Table(db, table) | a.held.Column(db, table, column)
	which.Each(func(p privilege.Set) {
		if err == nil {
			err = mysqlerr.New(mysqlerr.ColumnAccessDenied, p.String(), a.named.User, a.named.Host, column, table)
		}
	})
	return err
}

func (a *Rights) dbOf(db string) (string, error) {
	if db == "" {
		db = a.DB
	}
	if db == "" {
		db = a.s.DB()
	}
	if db == "" {
		return "", mysqlerr.New(mysqlerr.NoDB)
	}
	return db, nil
}

func (a *Rights) need(n *privilege.Need) error {
	if n.Account != "" && a.self(n.Account) {
		return nil
	}
	if n.On == privilege.Global {
		return a.needGlobal(n)
	}
	db, err := a.dbOf(n.DB)
	if err != nil {
		return err
	}
	switch n.On {
	case privilege.Database:
		return a.needDatabase(n, db)
	case privilege.Procedure, privilege.Function:
		return a.needRoutine(n, db)
	}
	if trigger, ok := n.TriggerOf(); ok {
		return a.needTrigger(n, db, trigger)
	}
	return a.needTable(n, db)
}

func (a *Rights) needGlobal(n *privilege.Need) error {
	if a.global&n.All == n.All && (n.Any == 0 || a.global&n.Any != 0) {
		return nil
	}
	switch {
	case n.Unsafe:
		if a.s.Server.Globals.On("log_bin_trust_function_creators") {
			return nil
		}
		return mysqlerr.New(mysqlerr.BinlogCreateRoutineNeedSuper)
	case n.File:
		return mysqlerr.New(mysqlerr.AccessDenied, a.named.User, a.named.Host, PasswordWord(a.s))
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, (n.All | n.Any).String())
}

func (a *Rights) needDatabase(n *privilege.Need, db string) error {
	if n.Temporary && a.s.Temp.Has(db, n.Name) {
		return nil
	}
	schema := strings.EqualFold(db, "information_schema")
	have := a.Database(db)
	ok := have&n.All == n.All
	switch {
	case schema:
		ok = n.All&^privilege.LockTables == 0
	case n.Any != 0: // of all privileges: global ones count that say nothing of databases
		ok = have&n.Any != 0 || a.held.Within(db)
	}
	if ok {
		return nil
	}
	return a.DeniedDatabase(db)
}

// DeniedDatabase is the error for a database that the user may not use.
func (a *Rights) DeniedDatabase(db string) error {
	return mysqlerr.New(mysqlerr.DBAccessDenied, a.account.User, a.account.Host, db)
}

func (a *Rights) needTable(n *privilege.Need, db string) error {
	if n.Temporary && a.s.Temp.Has(db, n.Name) {
		return nil
	}
	if strings.EqualFold(db, "information_schema") {
		if n.All&^privilege.Select != 0 {
			return a.DeniedDatabase(db)
		}
		return nil
	}
	have := a.Table(db, n.Name)
	missing := n.All &^ have
	if missing == 0 && (n.Any == 0 || have&n.Any != 0) {
		return a.belowView(db, n.Name, n.All)
	}
	if n.ByColumn {
		some := a.onColumns(db, n.Name)
		if some.Has(missing) && (n.Any == 0 || (have|some)&n.Any != 0) {
			return nil
		}
		missing &^= some
	}
	word := n.Word
	if word == "" {
		word = missing.String()
	}
	return a.deniedTable(word, db, n.Name)
}

func (a *Rights) needRoutine(n *privilege.Need, db string) error {
	function := n.On == privilege.Function
	have := a.Database(db) | a.held.Routine(db, n.Name, function)
	if have&n.All == n.All && (n.Any == 0 || have&n.Any != 0) {
		return nil
	}
	if n.Hidden {
		if a.Table("mysql", "proc")&privilege.Select != 0 {
			return nil
		}
		what := "PROCEDURE"
		if function {
			what = "FUNCTION"
		}
		return mysqlerr.New(mysqlerr.SPDoesNotExist, what, n.Name)
	}
	word := strings.ToLower((n.All &^ have).String())
	return mysqlerr.New(mysqlerr.ProcAccessDenied, word, a.named.User, a.named.Host, db+"."+n.Name)
}

// needTrigger is a need on the table of a trigger that exists already.
func (a *Rights) needTrigger(n *privilege.Need, db, trigger string) error {
	table := a.defs.TriggerTable(db, trigger)
	if table == "" || a.Table(db, table)&n.All == n.All {
		return nil
	}
	if n.Hidden {
		return mysqlerr.New(mysqlerr.SpecificAccessDenied, n.All.String())
	}
	return a.deniedTable(n.All.String(), db, table)
}

// readColumn checks one column of a table on which the user has no privilege as a whole. Which table it
// belongs to, the catalog says.
func (a *Rights) readColumn(r *privilege.Read) error {
	for _, level := range r.Levels {
		found := false
		for _, t := range level {
			db, err := a.dbOf(t.DB)
			if err != nil || strings.EqualFold(db, "information_schema") || a.s.Temp.Has(db, t.Name) {
				continue
			}
			whole := a.Table(db, t.Name)&r.Privilege != 0
			for _, col := range session.Columns(a.s, db, t.Name) {
				if r.Column != "" && !strings.EqualFold(r.Column, col) {
					continue
				}
				found = true
				if !whole && a.held.Column(db, t.Name, col)&r.Privilege == 0 {
					if r.Whole {
						return a.deniedTable(r.Privilege.String(), db, t.Name)
					}
					return mysqlerr.New(mysqlerr.ColumnAccessDenied, r.Privilege.String(), a.named.User, a.named.Host, col, t.Name)
				}
			}
		}
		if found { // * is of the innermost query block
			return nil
		}
	}
	return nil
}

// self reports whether an account, as a statement writes it, is the session's own.
func (a *Rights) self(account string) bool {
	if strings.EqualFold(account, "CURRENT_USER") || strings.EqualFold(account, "CURRENT_USER()") {
		return true
	}
	user, host := accountParts(account)
	return a.account.User == user && strings.EqualFold(a.account.Host, host)
}

// accountParts divides user@host, as a statement or a grant writes it.
func accountParts(account string) (user, host string) {
	at := strings.LastIndexByte(account, '@')
	if at < 0 {
		at = len(account)
	} else {
		host = strings.Trim(account[at+1:], "`'\"")
	}
	if host == "" {
		host = "%"
	}
	return strings.Trim(account[:at], "`'\""), host
}

// PasswordWord is how MariaDB's error 1045 says whether the client gave a password.
func PasswordWord(s *session.Session) string {
	if a := s.Server.Accounts.Set().Find(s.Authority.Account); a != nil && a.Auth == "" {
		return "NO"
	}
	return "YES"
}

// May reports whether the session's user has one of the global privileges, by MariaDB's names.
func (a *Rights) May(any privilege.Set) bool { return a.global&any != 0 }
