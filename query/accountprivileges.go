package query

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
)

// privileges say whose privileges count in a session.
type privileges struct {
	account.Identity
	engine *Engine

	// bodies are the running procedures and triggers, the innermost last.
	bodies []body
	// modes are the sql_modes of the running statement's triggers by their text, which is all that
	// go-mysql-server keeps of them.
	modes map[string]string

	// views are those of the views that are being bound, the innermost last; pending is that of the view whose
	// definition was read last.
	views   []boundView
	pending *accounts.Subject

	set sql.PrivilegeSet // what go-mysql-server sees: allPrivileges, or a view's
}

// boundView is a view whose definition is being bound.
type boundView struct {
	subject accounts.Subject
	before  sql.PrivilegeSet // that go-mysql-server saw before
}

// allPrivileges are those that go-mysql-server sees: nothing is left to it to refuse or to leave out.
var allPrivileges = func() sql.PrivilegeSet {
	set := mysql_db.NewPrivilegeSet()
	set.AddGlobalStatic(sql.PrivilegeType_Super)
	return set
}()

// delegated reports whether the privileges that count are those of a definer.
func (p *privileges) delegated() bool { return len(p.views)+len(p.bodies) > 0 }

// privilegesOf are those of a new connection.
func (e *Engine) privilegesOf(ci ConnInfo) privileges {
	id := account.Identify(e.accountSet(), account.Connection{
		User: ci.User, Host: ci.Host, IP: ci.IP, Expired: ci.Expired, Named: !e.globals.On("skip_name_resolve"),
	})
	return privileges{Identity: id, engine: e, set: allPrivileges}
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

// give is told of the sets of privileges that go-mysql-server wants to have: a new one for the time in which
// a view's definition is bound, and then the one from before.
func (p *privileges) give(given sql.PrivilegeSet) {
	n := len(p.views)
	switch {
	case n > 0 && same(p.views[n-1].before, given):
		p.views = p.views[:n-1]
	case p.pending != nil:
		p.views = append(p.views, boundView{subject: *p.pending, before: p.set})
		p.pending = nil
	}
	p.set = given
}

// same reports whether two sets are one: they share their maps.
func same(a, b sql.PrivilegeSet) bool {
	one, ok := a.(mysql_db.PrivilegeSet)
	other, also := b.(mysql_db.PrivilegeSet)
	return ok && also && reflect.ValueOf(one).Field(0).Pointer() == reflect.ValueOf(other).Field(0).Pointer()
}

// begin is called when a statement begins: what an earlier one, which failed, has left is forgotten.
func (p *privileges) begin() {
	p.views, p.pending, p.set = nil, nil, allPrivileges
	if len(p.bodies) == 0 {
		clear(p.modes)
	}
}
