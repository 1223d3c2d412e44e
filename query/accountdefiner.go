package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Views, procedures, triggers and events have a definer. It is written into the statement that makes them,
// as MariaDB does: into what is stored, and into the log.

// nameDefiner adds the DEFINER clause to a CREATE VIEW, PROCEDURE, TRIGGER or EVENT that has none, and
// writes out DEFINER = CURRENT_USER. Other statements stay as they are.
func (s *Session) nameDefiner(text string) string {
	toks := tokens(text, s.sqlModeLex, 24)
	if len(toks) == 0 || !toks[0].is("CREATE") {
		return text
	}
	own := s.subject().Account
	clause := "DEFINER=" + quoteName(own.User) + "@" + quoteName(own.Host)
	c := &cursor{toks: toks, i: 1, sql: text}
	c.accept("OR", "REPLACE")
	if c.accept("ALGORITHM", "=") {
		c.next()
	}
	at := c.peek()
	if c.accept("DEFINER", "=") {
		if !c.peek().is("CURRENT_USER") {
			return text
		}
		end := c.next().end
		if c.accept("(", ")") {
			end = toks[c.i-1].end
		}
		return text[:at.start] + clause + text[end:]
	}
	if c.accept("SQL", "SECURITY") {
		c.next()
	}
	if !c.acceptAny("VIEW", "PROCEDURE", "TRIGGER", "EVENT") {
		return text
	}
	return text[:at.start] + clause + " " + text[at.start:]
}

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

// accountNamed reads an account as it stands in a DEFINER clause.
func accountNamed(text string) accounts.Name {
	c := &cursor{toks: tokens(text, lexMode{}, 0), sql: text}
	user, host := c.account()
	return accounts.Name{User: user, Host: strings.ToLower(host)}
}

// checkDefiner checks the definer of what a statement is about to make: another than oneself needs
// SET USER, and one that does not exist is noted.
func (s *Session) checkDefiner(st *statement) error {
	definer, ok := definerOf(st.ast)
	if !ok || definer == "" {
		return nil
	}
	set, sub, n := s.engine.accountSet(), s.subject(), accountNamed(definer)
	if n == sub.Account {
		return nil
	}
	if set.Global(sub)&(privilege.SetUser|privilege.Super) == 0 {
		return mysqlerr.New(mysqlerr.SpecificAccessDenied, "SUPER, SET USER")
	}
	if set.Find(n) == nil {
		s.note(int(mysqlerr.NoSuchUser), mysqlerr.New(mysqlerr.NoSuchUser, n.User, n.Host).Message)
	}
	return nil
}

// definerSubject finds the subject of a body that runs with its definer's privileges: error 1449 if there
// is no such account. The host of a definer that earlier servers wrote is that of the client.
func (s *Session) definerSubject(definer string) (accounts.Subject, error) {
	set, n := s.engine.accountSet(), accountNamed(definer)
	if set.Find(n) == nil {
		a := set.Login(n.User, accounts.ClientOf(n.Host))
		if a == nil || a.User != n.User {
			return accounts.Subject{}, mysqlerr.New(mysqlerr.NoSuchUser, n.User, n.Host)
		}
		n = a.Name
	}
	return accounts.Definer(n), nil
}

// enterBody makes the definer of a procedure that is about to run the one whose privileges count. leaveBodies
// ends that.
func (s *Session) enterBody(c *sql.Context, st *statement, call *plan.Call) error {
	p := call.Procedure
	if p == nil || p.ExternalProc != nil || p.SecurityContext == plan.ProcedureSecurityContext_Invoker || p.Definer == "" {
		return nil
	}
	sub, err := s.definerSubject(p.Definer)
	if err != nil {
		return err
	}
	db := s.GetCurrentDatabase()
	if n, ok := st.ast.(*sqlparser.Call); ok && !n.ProcName.Qualifier.IsEmpty() {
		db = n.ProcName.Qualifier.String()
	}
	set := s.engine.accountSet()
	if have := set.Global(sub) | set.DB(sub, db) | set.Routine(sub, db, p.Name, false); !have.Has(privilege.Execute) {
		return mysqlerr.New(mysqlerr.ProcAccessDenied, "execute", sub.Account.User, sub.Account.Host, db+"."+p.Name)
	}
	s.privs.bodies = append(s.privs.bodies, sub)
	s.forgetPrivileges(c)
	return nil
}

// leaveBodies ends the bodies that were entered after there were n.
func (s *Session) leaveBodies(c *sql.Context, n int) {
	if len(s.privs.bodies) > n {
		s.privs.bodies = s.privs.bodies[:n]
		s.forgetPrivileges(c)
	}
}

// ReadsView is called by package tables when the definition of a view has been read, which is going to be
// bound: from then until the end of that, its definer is the subject (see SetPrivilegeSet).
func (s *Session) ReadsView(create string) {
	s.privs.pending = nil
	toks := tokens(create, lexMode{}, 24)
	c := &cursor{toks: toks, i: 1, sql: create}
	c.accept("OR", "REPLACE")
	if c.accept("ALGORITHM", "=") {
		c.next()
	}
	sub := s.subject()
	if c.accept("DEFINER", "=") {
		from := c.peek().start
		c.account()
		definer, err := s.definerSubject(create[from:c.toks[c.i-1].end])
		if err != nil {
			definer = accounts.Subject{} // nobody: 1449 where it is checked, and no privileges
		}
		if !c.accept("SQL", "SECURITY", "INVOKER") {
			sub = definer
		}
	}
	s.privs.pending = &sub
}

// TriggerText is the statement of a trigger as it is bound when it fires: CURRENT_USER is its definer.
func (s *Session) TriggerText(create string) string {
	if s.stmt == nil || s.stmt.kind != kindWrite {
		return create
	}
	toks := tokens(create, lexMode{}, 0)
	if len(toks) < 4 || !toks[1].is("DEFINER") {
		return create
	}
	c := &cursor{toks: toks, i: 3, sql: create}
	user, host := c.account()
	e := editor{sql: create}
	for ; !c.end(); c.i++ {
		if !c.peek().is("CURRENT_USER") || c.toks[c.i-1].is(".") {
			continue
		}
		t := c.peek()
		if c.i+2 < len(toks) && toks[c.i+1].is("(") && toks[c.i+2].is(")") {
			t.end = toks[c.i+2].end
		}
		e.replace(t, quoteString(user+"@"+host))
	}
	return e.done()
}
