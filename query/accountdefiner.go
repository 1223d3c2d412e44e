package query

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Views, procedures, triggers and events have a definer. It is written into the statement that makes them,
// as MariaDB does: into what is stored, and into the log.

// nameDefiner adds the DEFINER clause to a CREATE VIEW, PROCEDURE, TRIGGER or EVENT that has none, and
// writes out DEFINER = CURRENT_USER. Other statements stay as they are.
func (s *Session) nameDefiner(text string) string {
	toks := dialect.Tokens(text, s.sqlModeLex, 24)
	if len(toks) == 0 || !toks[0].Is("CREATE") {
		return text
	}
	own := s.subject().Account
	clause := "DEFINER=" + dialect.QuoteName(own.User) + "@" + dialect.QuoteName(own.Host)
	c := &dialect.Parser{Tokens: toks, Pos: 1, SQL: text}
	c.Accept("OR", "REPLACE")
	if c.Accept("ALGORITHM", "=") {
		c.Next()
	}
	at := c.Peek()
	if c.Accept("DEFINER", "=") {
		if !c.Peek().Is("CURRENT_USER") {
			return text
		}
		end := c.Next().End
		if c.Accept("(", ")") {
			end = toks[c.Pos-1].End
		}
		return text[:at.Start] + clause + text[end:]
	}
	if c.Accept("SQL", "SECURITY") {
		c.Next()
	}
	if !c.AcceptAny("VIEW", "PROCEDURE", "TRIGGER", "EVENT") {
		return text
	}
	return text[:at.Start] + clause + " " + text[at.Start:]
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
	c := dialect.NewParser(text, dialect.Mode{})
	user, host := c.Account()
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

// readsView is called when the definition of a view has been read, which is going to be
// bound: from then until the end of that, its definer is the subject (see setPrivilegeSet).
func (s *Session) readsView(create string) {
	s.privs.pending = nil
	toks := dialect.Tokens(create, dialect.Mode{}, 24)
	c := &dialect.Parser{Tokens: toks, Pos: 1, SQL: create}
	c.Accept("OR", "REPLACE")
	if c.Accept("ALGORITHM", "=") {
		c.Next()
	}
	sub := s.subject()
	if c.Accept("DEFINER", "=") {
		from := c.Peek().Start
		c.Account()
		definer, err := s.definerSubject(create[from:c.Tokens[c.Pos-1].End])
		if err != nil {
			definer = accounts.Subject{} // nobody: 1449 where it is checked, and no privileges
		}
		if !c.Accept("SQL", "SECURITY", "INVOKER") {
			sub = definer
		}
	}
	s.privs.pending = &sub
}
