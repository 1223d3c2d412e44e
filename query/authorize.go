package query

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/needs"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Every statement passes through authorize before anything of it happens: a syntax tree in runStatement,
// runNested and prepareParsed, a statement of the session's own in runAdmin. What it needs stands in package
// privilege.

// authorize checks the privileges that a statement needs.
func (s *Session) authorize(c *sql.Context, st *syntax.Statement) error {
	a := s.newAccess(c)
	if a.everything() {
		return a.definersOf(st)
	}
	if st.Needs == nil {
		needs, ok := needs.Of(st.AST, st.Text)
		if !ok {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "this statement for users without all privileges")
		}
		st.Needs = &needs
	}
	if st.Before != nil && len(st.Needs.List) > 0 && st.Needs.List[0].On == privilege.Table {
		// CREATE OR REPLACE TABLE asks for both at once.
		both := privilege.Needs{List: slices.Clone(st.Needs.List), Reads: st.Needs.Reads}
		both.List[0].All |= privilege.Drop
		return a.check(both)
	}
	if st.Before != nil {
		if err := s.authorize(c, st.Before); err != nil {
			return err
		}
	}
	return a.check(*st.Needs)
}

// authorizeOwn is authorize for a statement that the session runs itself.
func (s *Session) authorizeOwn(ctx context.Context, st dialect.Statement) error {
	a := s.newAccess(&sql.Context{Context: ctx, Session: s.seenBy(newRunning(nil, nil))})
	if a.everything() {
		return nil
	}
	needs, ok := privilege.OfStatement(st)
	if !ok {
		return mysqlerr.New(mysqlerr.NotSupportedYet, "this statement for users without all privileges")
	}
	return a.check(needs)
}

// access is what one statement asks its user's privileges.
type access struct {
	s      *Session
	c      *sql.Context
	held   holder
	global privilege.Set
	db     string // of unqualified names below a view or in a trigger; "" for the session's current database
	// account is whose privileges these are, and named how errors about tables and routines name it: who
	// the client is by its own account, or the definer.
	account, named accounts.Name
	depth          int // of views
}

func (s *Session) newAccess(c *sql.Context) *access {
	sub := s.Authority.Subject()
	a := &access{s: s, c: c, held: granted{s.engine.Accounts.Set(), sub}, global: s.GlobalPrivileges(), account: sub.Account, named: sub.Account}
	if !s.Authority.Delegated() {
		a.named = accounts.Name{User: s.Info.User, Host: s.Info.Host}
	}
	return a
}

// everything reports whether there is nothing that the user may not do.
func (a *access) everything() bool { return a.global|privilege.Grant == privilege.All }

func (a *access) database(db string) privilege.Set { return a.global | a.held.Database(db) }

func (a *access) table(db, table string) privilege.Set {
	return a.database(db) | a.held.Table(db, table)
}

// visible reports whether the user has any privilege on a database or on something in it.
func (a *access) visible(db string) bool {
	return strings.EqualFold(db, "information_schema") || a.database(db)&privilege.OnDatabase != 0 || a.held.Within(db)
}

// tableVisible reports whether the user has any privilege on a table or a column of it.
func (a *access) tableVisible(db, table string) bool {
	return strings.EqualFold(db, "information_schema") || a.table(db, table)&privilege.OnTable != 0 ||
		a.anyColumn(db, table, privilege.OnColumn)
}

func (a *access) anyColumn(db, table string, p privilege.Set) bool {
	for _, col := range a.columns(db, table) {
		if a.held.Column(db, table, col)&p != 0 {
			return true
		}
	}
	return false
}

// columns are the names of a table's columns; nil if the catalog does not know it as a table.
func (a *access) columns(db, table string) []string {
	tbl := a.s.engine.Store.Catalog().Current().Table(db, table)
	if tbl == nil {
		return nil
	}
	out := make([]string, len(tbl.Def.Columns))
	for i := range tbl.Def.Columns {
		out[i] = tbl.Def.Columns[i].Name
	}
	return out
}

// check compares what a statement needs with what its user has.
func (a *access) check(n privilege.Needs) error {
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

func (a *access) dbOf(db string) (string, error) {
	if db == "" {
		db = a.db
	}
	if db == "" {
		db = a.s.DB()
	}
	if db == "" {
		return "", mysqlerr.New(mysqlerr.NoDB)
	}
	return db, nil
}

func (a *access) need(n *privilege.Need) error {
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

func (a *access) needGlobal(n *privilege.Need) error {
	if a.global&n.All == n.All && (n.Any == 0 || a.global&n.Any != 0) {
		return nil
	}
	switch {
	case n.Unsafe:
		if a.s.engine.Globals.On("log_bin_trust_function_creators") {
			return nil
		}
		return mysqlerr.New(mysqlerr.BinlogCreateRoutineNeedSuper)
	case n.File:
		return mysqlerr.New(mysqlerr.AccessDenied, a.named.User, a.named.Host, a.s.passwordWord())
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, (n.All | n.Any).String())
}

func (a *access) needDatabase(n *privilege.Need, db string) error {
	if n.Temporary && a.s.Temp.Has(db, n.Name) {
		return nil
	}
	schema := strings.EqualFold(db, "information_schema")
	have := a.database(db)
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
	return a.deniedDatabase(db)
}

func (a *access) deniedDatabase(db string) error {
	return mysqlerr.New(mysqlerr.DBAccessDenied, a.account.User, a.account.Host, db)
}

func (a *access) needTable(need *privilege.Need, db string) error {
	if need.Temporary && a.s.Temp.Has(db, need.Name) {
		return nil
	}
	own := *need
	n := &own
	db, n.Name = servedTable(db, n.Name)
	if strings.EqualFold(db, "information_schema") {
		if n.All&^privilege.Select != 0 {
			return a.deniedDatabase(db)
		}
		return nil
	}
	have := a.table(db, n.Name)
	missing := n.All &^ have
	if missing == 0 && (n.Any == 0 || have&n.Any != 0) {
		return a.belowView(db, n.Name, n.All)
	}
	if n.ByColumn && a.anyColumn(db, n.Name, missing|n.Any) {
		return nil
	}
	word := n.Word
	if word == "" {
		word = missing.String()
	}
	return a.deniedTable(word, db, n.Name)
}

func (a *access) needRoutine(n *privilege.Need, db string) error {
	function := n.On == privilege.Function
	have := a.database(db) | a.held.Routine(db, n.Name, function)
	if have&n.All == n.All && (n.Any == 0 || have&n.Any != 0) {
		return nil
	}
	if n.Hidden {
		if a.table("mysql", "proc")&privilege.Select != 0 {
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
func (a *access) needTrigger(n *privilege.Need, db, trigger string) error {
	table := a.s.triggerTable(a.c, db, trigger)
	if table == "" || a.table(db, table)&n.All == n.All {
		return nil
	}
	if n.Hidden {
		return mysqlerr.New(mysqlerr.SpecificAccessDenied, n.All.String())
	}
	return a.deniedTable(n.All.String(), db, table)
}

// triggerTable is the table of a trigger, "" if there is no such trigger.
func (s *Session) triggerTable(c *sql.Context, db, trigger string) string {
	d, err := s.engine.gms.Analyzer.Catalog.DbProvider.Database(c, db)
	if err != nil {
		return ""
	}
	triggers, ok := d.(sql.TriggerDatabase)
	if !ok {
		return ""
	}
	list, err := triggers.GetTriggers(c)
	if err != nil {
		return ""
	}
	for _, t := range list {
		if !strings.EqualFold(t.Name, trigger) {
			continue
		}
		if ast, _, _, err := s.parseText(t.CreateStatement); err == nil {
			if ddl, ok := ast.(*sqlparser.DDL); ok {
				return ddl.Table.Name.String()
			}
		}
	}
	return ""
}

// readColumn checks one column of a table on which the user has no privilege as a whole. Which table it
// belongs to, the catalog says.
func (a *access) readColumn(r *privilege.Read) error {
	for _, level := range r.Levels {
		found := false
		for _, t := range level {
			db, err := a.dbOf(t.DB)
			if err != nil || strings.EqualFold(db, "information_schema") || a.s.Temp.Has(db, t.Name) {
				continue
			}
			whole := a.table(db, t.Name)&r.Privilege != 0
			for _, col := range a.columns(db, t.Name) {
				if r.Column != "" && !strings.EqualFold(r.Column, col) {
					continue
				}
				found = true
				if !whole && a.held.Column(db, t.Name, col)&r.Privilege == 0 {
					return mysqlerr.New(mysqlerr.ColumnAccessDenied, r.Privilege.String(), a.named.User, a.named.Host, col, t.Name)
				}
			}
		}
		if found && r.Column != "" {
			return nil
		}
	}
	return nil
}

// self reports whether an account, as a statement writes it, is the session's own.
func (a *access) self(account string) bool {
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

// passwordWord is how MariaDB's error 1045 says whether the client gave a password.
func (s *Session) passwordWord() string {
	if a := s.engine.Accounts.Set().Find(s.Authority.Account); a != nil && a.Auth == "" {
		return "NO"
	}
	return "YES"
}

// may reports whether the session's user has one of the global privileges, by MariaDB's names.
func (a *access) may(any privilege.Set) bool { return a.global&any != 0 }

// noAuthorization stands in for go-mysql-server's own checks, which know neither MariaDB's rules nor its
// errors: every statement has been through authorize when a plan is made of it.
type noAuthorization struct{ sql.NoopAuthorizationHandler }

// setUpAuthorization puts this package's checks in the place of go-mysql-server's.
func (e *Engine) setUpAuthorization() {
	cat := e.gms.Analyzer.Catalog
	cat.AuthHandler = noAuthorization{}
	cat.InfoSchema = visibleSchema{cat.InfoSchema}
}
