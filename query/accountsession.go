package query

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/accounts"
)

// privileges are what a session may do, in go-mysql-server's form. That keeps a set in the session
// and asks for it with every check; it computes one (of the wrong rules) and gives it to
// SetPrivilegeSet when accounts have changed since, whose counter then is another one. In its place
// the session fills in its own: GetPrivilegeSet and SetPrivilegeSet override sql.BaseSession's.
type privileges struct {
	account accounts.Name
	client  accounts.Client
	role    string
	expired bool // the password must be changed first

	// bodies are the running procedures and triggers, the innermost last.
	bodies []body
	// modes are the sql_modes of the running statement's triggers by their text, which is all that
	// go-mysql-server keeps of them.
	modes map[string]string

	// views are those of the views that are being bound, with the set that counted before; pending is that of
	// the view whose definition was read last.
	views   []boundView
	pending *accounts.Subject

	set     sql.PrivilegeSet  // a mysql_db.PrivilegeSet, asked for in every statement
	counter uint64            // go-mysql-server's, of set; 0: set does not count
	names   string            // the databases that set was made for, beside those that exist
	catalog *catalog.Snapshot // in which they exist
}

// boundView is a view whose definition is being bound.
type boundView struct {
	subject accounts.Subject
	before  mysql_db.PrivilegeSet
}

// delegated reports whether the privileges that count are those of a definer.
func (p *privileges) delegated() bool { return len(p.views)+len(p.bodies) > 0 }

// subject is whose privileges count now: the definer's in a body with SQL SECURITY DEFINER, else the
// user's own.
func (s *Session) subject() accounts.Subject {
	p := &s.privs
	if n := len(p.views); n > 0 {
		return p.views[n-1].subject
	}
	if n := len(p.bodies); n > 0 {
		return p.bodies[n-1].subject
	}
	return accounts.Subject{Account: p.account, Client: p.client, Role: p.role}
}

// identify finds the account of a new connection; its default role becomes the active one. The host that
// the session shows is localhost for loopback addresses, as with MariaDB's look-up of names.
func (s *Session) identify(ci ConnInfo) {
	if ci.IP == "" {
		ci.IP = ci.Host
	}
	client := accounts.ClientOf(ci.IP)
	s.info = ci
	if client.Name != "" && !s.engine.globals.On("skip_name_resolve") {
		s.info.Host = client.Name
	}
	s.privs = privileges{client: client, account: accounts.Name{User: ci.User, Host: ci.Host}, set: mysql_db.NewPrivilegeSet()}
	set := s.engine.accountSet()
	a := set.Login(ci.User, s.privs.client)
	if a == nil {
		return
	}
	s.privs.account, s.privs.expired = a.Name, ci.Expired
	if set.HasRole(a.Name, a.DefaultRole) {
		s.privs.role = a.DefaultRole
	}
}

// setPrivilegeSet is told of go-mysql-server's sets. What is given with another counter is a set that
// go-mysql-server computed: it is filled in with the right privileges, in place, because go-mysql-server
// goes on to use it. With the same counter it is a set for the time in which a view's definition is bound,
// or the one from before.
func (s *Session) setPrivilegeSet(given sql.PrivilegeSet, counter uint64) {
	ps, ok := given.(mysql_db.PrivilegeSet)
	if !ok {
		return
	}
	p := &s.privs
	n := len(p.views)
	switch {
	case n > 0 && same(p.views[n-1].before, ps):
		p.views = p.views[:n-1]
	case counter == p.counter && counter != 0 && p.pending != nil:
		p.views = append(p.views, boundView{subject: *p.pending, before: p.set.(mysql_db.PrivilegeSet)})
		p.pending = nil
		s.fill(ps)
		// The definition is bound as the CREATE VIEW that it was.
		for _, db := range s.databaseNames() {
			ps.AddDatabase(db, sql.PrivilegeType_CreateView)
		}
	default:
		s.fill(ps)
	}
	p.set, p.counter = given, counter
}

// same reports whether two sets are one: they share their maps.
func same(a, b mysql_db.PrivilegeSet) bool {
	return reflect.ValueOf(a).Field(0).Pointer() == reflect.ValueOf(b).Field(0).Pointer()
}

// refreshPrivileges makes the set fit the statement that begins: its databases may be new ones, which
// patterns fit.
func (s *Session) refreshPrivileges(c *sql.Context, st *statement) {
	p := &s.privs
	p.views, p.pending = nil, nil
	if len(p.bodies) == 0 {
		clear(p.modes)
	}
	names := strings.Join(namedDatabases(st), "\x00")
	current := s.engine.store.Catalog().Current()
	if p.names != names || p.catalog != current {
		p.names, p.catalog, p.counter = names, current, 0
	}
	s.engine.gms.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(c)
}

// forgetPrivileges makes the session compute its privileges anew.
func (s *Session) forgetPrivileges(c *sql.Context) {
	s.privs.counter = 0
	s.engine.gms.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(c)
}

// fill replaces what a set has by the privileges that count now.
func (s *Session) fill(ps mysql_db.PrivilegeSet) {
	ps.RemoveGlobalStatic(ps.ToSlice()...)
	for _, with := range []bool{false, true} {
		for _, name := range ps.ToSliceDynamic(with) {
			ps.RemoveGlobalDynamic(strings.ToLower(name))
		}
	}
	for _, db := range ps.GetDatabases() {
		ps.ClearDatabase(db.Name())
	}
	set, sub := s.engine.accountSet(), s.subject()
	global := set.Global(sub)
	globalInto(ps, global)
	if global != 0 {
		ps.AddGlobalStatic(sql.PrivilegeType_CreateRole) // one that nobody asks for: databases are visible
	}
	for _, name := range global.Names() {
		ps.AddGlobalDynamic(false, strings.ReplaceAll(strings.ToLower(name), " ", "_"))
	}
	for _, db := range s.databaseNames() {
		if p := set.DB(sub, db); p != 0 {
			ps.AddDatabase(db, staticOf(p)...)
		}
	}
	for _, g := range set.TableGrants(sub) {
		ps.AddTable(g.DB, g.Table, staticOf(g.Privs)...)
	}
	for _, g := range set.RoutineGrants(sub) {
		ps.AddRoutine(g.DB, strings.ToLower(g.Routine), !g.Function, staticOf(g.Privs)...)
	}
}

// databaseNames are the databases that privileges are computed for: those that exist, those that the
// statement names, and the current one.
func (s *Session) databaseNames() []string {
	names := []string{"mysql"}
	for _, d := range s.engine.store.Catalog().Current().Databases() {
		names = append(names, d.Name)
	}
	if s.privs.names != "" {
		names = append(names, strings.Split(s.privs.names, "\x00")...)
	}
	if db := s.DB(); db != "" {
		names = append(names, db)
	}
	return names
}

// namedDatabases are the databases that a statement names.
func namedDatabases(st *statement) []string {
	if st == nil {
		return nil
	}
	var out []string
	for _, t := range st.tables {
		if t.db != "" {
			out = append(out, t.db)
		}
	}
	if d, ok := st.ast.(*sqlparser.DBDDL); ok {
		out = append(out, d.DBName)
	}
	if u, ok := st.ast.(*sqlparser.Use); ok {
		out = append(out, u.DBName.String())
	}
	return out
}
