package gms

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
)

// definers are those of the views and triggers that go-mysql-server is about to bind.
type definers struct {
	// modes are the sql_modes of the running statement's triggers by their text, which is all that
	// go-mysql-server keeps of them.
	modes map[string]string
	// pending is the definer of the view whose text was read last.
	pending *accounts.Subject
	set     sql.PrivilegeSet   // what go-mysql-server sees: allPrivileges, or a view's
	before  []sql.PrivilegeSet // what it saw before each of the views that are being bound
}

// allPrivileges are those that go-mysql-server sees: nothing is left to it to refuse or to leave out.
var allPrivileges = func() sql.PrivilegeSet {
	set := mysql_db.NewPrivilegeSet()
	set.AddGlobalStatic(sql.PrivilegeType_Super)
	return set
}()

// readsView is called when the definition of a view has been read, which is going to be
// bound: from then until the end of that, its definer is the subject (see gives).
func (s *Session) readsView(create string) {
	sub := account.ViewSubject(s.Server.Accounts.Set(), create, s.Authority.Subject())
	s.definers.pending = &sub
}

// gives is told of the sets of privileges that go-mysql-server wants to have: a new one for the time in which
// a view's definition is bound, and then the one from before.
func (s *Session) gives(set sql.PrivilegeSet) {
	d := &s.definers
	n := len(d.before)
	switch {
	case n > 0 && same(d.before[n-1], set):
		d.before = d.before[:n-1]
		s.Authority.EndView()
	case d.pending != nil:
		d.before = append(d.before, d.set)
		s.Authority.BeginView(*d.pending)
		d.pending = nil
	}
	d.set = set
}

// same reports whether two sets are one: they share their maps.
func same(a, b sql.PrivilegeSet) bool {
	one, ok := a.(mysql_db.PrivilegeSet)
	other, also := b.(mysql_db.PrivilegeSet)
	return ok && also && reflect.ValueOf(one).Field(0).Pointer() == reflect.ValueOf(other).Field(0).Pointer()
}

// BeginPlanning is called when a statement begins: what an earlier one, which failed, has left is forgotten.
func (s *Session) BeginPlanning() {
	s.Authority.Begin()
	s.definers.pending, s.definers.before, s.definers.set = nil, nil, allPrivileges
	if !s.Authority.InBody() {
		clear(s.definers.modes)
	}
}
