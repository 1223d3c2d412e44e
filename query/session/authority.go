package session

import (
	"slices"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
)

// authority says whose privileges count in a session: the account's, or those of a definer while a view is bound or a body runs.
type authority struct {
	account.Identity

	// bodies are the running procedures and triggers, the innermost last.
	bodies []body
	// views are the definers of the views that are being bound, the innermost last.
	views []accounts.Subject
}

// body is a running procedure or trigger: whose privileges count in it, and in which database its names are.
type body struct {
	subject accounts.Subject
	outside string // the current database of whoever runs it
	trigger bool
}

// Delegated reports whether the privileges that count are those of a definer.
func (a *authority) Delegated() bool { return len(a.views)+len(a.bodies) > 0 }

// Subject is whose privileges count now: the definer's in a body with SQL SECURITY DEFINER, else the
// user's own.
func (a *authority) Subject() accounts.Subject {
	if n := len(a.views); n > 0 {
		return a.views[n-1]
	}
	if n := len(a.bodies); n > 0 {
		return a.bodies[n-1].subject
	}
	return a.Own()
}

// BeginView is called when the text of a view begins to be bound, endView when it is.
func (a *authority) BeginView(definer accounts.Subject) { a.views = append(a.views, definer) }

func (a *authority) EndView() { a.views = a.views[:len(a.views)-1] }

// InView reports whether a view is being bound.
func (a *authority) InView() bool { return len(a.views) > 0 }

// InTrigger reports whether a trigger is firing: what runs then belongs to the statement that fires it.
func (a *authority) InTrigger() bool {
	return slices.ContainsFunc(a.bodies, func(b body) bool { return b.trigger })
}

// InBody reports whether a procedure or a trigger is running.
func (a *authority) InBody() bool { return len(a.bodies) > 0 }

// Begin is called when a statement begins: what an earlier one, which failed, has left is forgotten.
func (a *authority) Begin() { a.views = nil }

// EnterBody begins a body. The function that it returns ends it.
func (s *Session) EnterBody(definer accounts.Subject, db string, trigger bool) (leave func()) {
	s.Authority.bodies = append(s.Authority.bodies, body{subject: definer, outside: s.DB(), trigger: trigger})
	s.moveTo(db)
	n := len(s.Authority.bodies)
	return func() {
		s.moveTo(s.Authority.bodies[n-1].outside)
		s.Authority.bodies = s.Authority.bodies[:n-1]
	}
}

func (s *Session) moveTo(db string) {
	if db != s.DB() {
		s.SetDB(db)
	}
}

// AccountName is whose privileges count, user@host as in mysql.user: the account that the session's
// user matched, or in a body the definer's.
func (s *Session) AccountName() string {
	n := s.Authority.Subject().Account
	return n.User + "@" + n.Host
}

// WorkFor has the server's own session work for an account, which CURRENT_USER and new definitions name.
func (a *authority) WorkFor(n accounts.Name) {
	a.System, a.Account = true, n
	a.views, a.bodies = nil, nil
}
