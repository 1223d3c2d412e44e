package query

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
)

// privileges are what a session may do, in go-mysql-server's form. That keeps a set in the session
// and asks for it with every check; it computes one (of the wrong rules) and gives it to
// SetPrivilegeSet when accounts have changed since, whose counter then is another one. In its place
// the session fills in its own: GetPrivilegeSet and SetPrivilegeSet override sql.BaseSession's.
type privileges struct {
	account.Identity
	engine *Engine
	db     func() string // the current database

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

// privilegesOf are those of a new connection.
func (e *Engine) privilegesOf(ci ConnInfo, db func() string) privileges {
	id := account.Identify(e.accountSet(), account.Connection{
		User: ci.User, Host: ci.Host, IP: ci.IP, Expired: ci.Expired, Named: !e.globals.On("skip_name_resolve"),
	})
	return privileges{Identity: id, engine: e, db: db, set: mysql_db.NewPrivilegeSet()}
}

// subject is whose privileges count now: the definer's in a body with SQL SECURITY DEFINER, else the
// user's own.
func (p *privileges) subject() accounts.Subject {
	if n := len(p.views); n > 0 {
		return p.views[n-1].subject
	}
	if n := len(p.bodies); n > 0 {
		return p.bodies[n-1].subject
	}
	return p.Own()
}

// readsView is called when the definition of a view has been read, which is going to be
// bound: from then until the end of that, its definer is the subject (see give).
func (p *privileges) readsView(create string) {
	sub := account.ViewSubject(p.engine.accountSet(), create, p.subject())
	p.pending = &sub
}

// give is told of go-mysql-server's sets. What is given with another counter is a set that
// go-mysql-server computed: it is filled in with the right privileges, in place, because go-mysql-server
// goes on to use it. With the same counter it is a set for the time in which a view's definition is bound,
// or the one from before.
func (p *privileges) give(given sql.PrivilegeSet, counter uint64) {
	ps, ok := given.(mysql_db.PrivilegeSet)
	if !ok {
		return
	}
	n := len(p.views)
	switch {
	case n > 0 && same(p.views[n-1].before, ps):
		p.views = p.views[:n-1]
	case counter == p.counter && counter != 0 && p.pending != nil:
		p.views = append(p.views, boundView{subject: *p.pending, before: p.set.(mysql_db.PrivilegeSet)})
		p.pending = nil
		p.fill(ps)
		// The definition is bound as the CREATE VIEW that it was.
		for _, db := range p.databaseNames() {
			ps.AddDatabase(db, sql.PrivilegeType_CreateView)
		}
	default:
		p.fill(ps)
	}
	p.set, p.counter = given, counter
}

// same reports whether two sets are one: they share their maps.
func same(a, b mysql_db.PrivilegeSet) bool {
	return reflect.ValueOf(a).Field(0).Pointer() == reflect.ValueOf(b).Field(0).Pointer()
}

// refresh makes the set fit the statement that begins: its databases may be new ones, which
// patterns fit.
func (p *privileges) refresh(c *sql.Context, st *statement) {
	p.views, p.pending = nil, nil
	if len(p.bodies) == 0 {
		clear(p.modes)
	}
	names := strings.Join(namedDatabases(st), "\x00")
	current := p.engine.store.Catalog().Current()
	if p.names != names || p.catalog != current {
		p.names, p.catalog, p.counter = names, current, 0
	}
	p.engine.gms.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(c)
}

// refreshPrivileges is refresh of the session's privileges.
func (s *Session) refreshPrivileges(c *sql.Context, st *statement) { s.privs.refresh(c, st) }

// fill replaces what a set has by the privileges that count now.
func (p *privileges) fill(ps mysql_db.PrivilegeSet) {
	ps.RemoveGlobalStatic(ps.ToSlice()...)
	for _, with := range []bool{false, true} {
		for _, name := range ps.ToSliceDynamic(with) {
			ps.RemoveGlobalDynamic(strings.ToLower(name))
		}
	}
	for _, db := range ps.GetDatabases() {
		ps.ClearDatabase(db.Name())
	}
	set, sub := p.engine.accountSet(), p.subject()
	global := set.Global(sub)
	globalInto(ps, global)
	if global != 0 {
		ps.AddGlobalStatic(sql.PrivilegeType_CreateRole) // one that nobody asks for: databases are visible
	}
	for _, name := range global.Names() {
		ps.AddGlobalDynamic(false, strings.ReplaceAll(strings.ToLower(name), " ", "_"))
	}
	for _, db := range p.databaseNames() {
		if on := set.DB(sub, db); on != 0 {
			ps.AddDatabase(db, staticOf(on)...)
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
func (p *privileges) databaseNames() []string {
	names := []string{"mysql"}
	for _, d := range p.engine.store.Catalog().Current().Databases() {
		names = append(names, d.Name)
	}
	if p.names != "" {
		names = append(names, strings.Split(p.names, "\x00")...)
	}
	if db := p.db(); db != "" {
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
