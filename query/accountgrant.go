package query

import (
	"context"
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// grantTarget is what stands after ON.
type grantTarget struct {
	db, name string // "": everything
	routine  bool
	function bool
	level    privilege.Set // what can be granted there
}

// grant is the part that GRANT and REVOKE have in common.
type grant struct {
	all    bool // ALL [PRIVILEGES]
	privs  privilege.Set
	option bool // REVOKE: GRANT OPTION is in the list
	target grantTarget
}

// wanted are the privileges meant, at the target's level.
func (g *grant) wanted() (privilege.Set, error) {
	if g.all {
		return g.target.level &^ privilege.Grant, nil
	}
	p := g.privs
	if p&^g.target.level != 0 {
		if g.target.level == privilege.OnDatabase {
			return 0, mysqlerr.New(mysqlerr.WrongUsage, "DB GRANT", "GLOBAL PRIVILEGES")
		}
		return 0, mysqlerr.New(mysqlerr.IllegalGrantForTable)
	}
	return p, nil
}

// privilegeWords are how many words the name of a privilege can have.
const privilegeWords = 4

// privilege takes the name of a privilege.
func (c *accountParser) privilege() (privilege.Set, bool) {
	for n := privilegeWords; n > 0; n-- {
		if c.Pos+n > len(c.Tokens) {
			continue
		}
		words := make([]string, n)
		fits := true
		for i := range words {
			t := c.Tokens[c.Pos+i]
			fits = fits && t.Kind == dialect.Word
			words[i] = strings.ToUpper(t.Text)
		}
		if p, ok := privilege.Named(strings.Join(words, " ")); fits && ok {
			c.Pos += n
			return p, true
		}
	}
	return 0, false
}

// privileges takes a list of privileges, up to ON. ok is false if the list is one of roles.
func (c *accountParser) privileges(g *grant) (ok bool, err error) {
	start := c.Pos
	for {
		switch {
		case c.Accept("ALL"):
			c.Accept("PRIVILEGES")
			g.all = true
		case c.Accept("PROXY"):
			return false, mysqlerr.New(mysqlerr.NotSupportedYet, "PROXY")
		default:
			p, known := c.privilege()
			if !known {
				c.Pos = start
				return false, nil
			}
			g.privs |= p
		}
		if c.Peek().Is("(") {
			return false, mysqlerr.New(mysqlerr.NotSupportedYet, "privileges on columns (grant them on a view of these columns)")
		}
		if c.Accept(",") {
			continue
		}
		if !c.Peek().Is("ON") && g.privs != privilege.Grant && !(g.all && c.Peek().Is("FROM")) {
			c.Pos = start // a role may have the name of a privilege
			return false, nil
		}
		return true, nil
	}
}

// on takes ON [TABLE | FUNCTION | PROCEDURE] target.
func (c *accountParser) on() (t grantTarget, err error) {
	if !c.Accept("ON") {
		return t, c.Syntax()
	}
	table := c.Pos+1 < len(c.Tokens) && !c.Tokens[c.Pos+1].Is(".") && !c.Tokens[c.Pos+1].Is("TO") && !c.Tokens[c.Pos+1].Is("FROM")
	if table {
		switch {
		case c.Accept("TABLE"):
		case c.Accept("FUNCTION"):
			t.routine, t.function = true, true
		case c.Accept("PROCEDURE"):
			t.routine = true
		case c.Peek().Is("PACKAGE"):
			return t, mysqlerr.New(mysqlerr.NotSupportedYet, "PACKAGE")
		}
	}
	switch {
	case c.Accept("*", ".", "*"):
		t.level = privilege.All
	case c.Accept("*"):
		if t.db = c.s.DB(); t.db == "" {
			return t, mysqlerr.New(mysqlerr.NoDB)
		}
		t.level = privilege.OnDatabase
	default:
		first := c.Next()
		if !first.IsName() {
			c.Pos--
			return t, c.Syntax()
		}
		t.db, t.level = c.s.DB(), privilege.OnTable
		t.name = first.Text
		if c.Accept(".") {
			t.db, t.name = first.Text, ""
			if c.Accept("*") {
				t.level = privilege.OnDatabase
			} else if second := c.Next(); second.IsName() {
				t.name = second.Text
			} else {
				c.Pos--
				return t, c.Syntax()
			}
		}
		if t.db == "" {
			return t, mysqlerr.New(mysqlerr.NoDB)
		}
	}
	if t.routine {
		if t.name == "" {
			return t, c.Syntax()
		}
		t.level = privilege.OnRoutine
	}
	if strings.EqualFold(t.db, "information_schema") {
		return t, c.s.databaseDenied(t.db)
	}
	return t, nil
}

// check checks that the session's user has what it wants to grant or revoke, and may grant it.
func (s *Session) checkGrant(set *accounts.Set, t grantTarget, p privilege.Set) error {
	sub := s.subject()
	need := p | privilege.Grant
	have := set.Global(sub)
	if have.Has(need) {
		return nil
	}
	if t.db == "" {
		using := "YES"
		if a := set.Find(sub.Account); a == nil || a.Auth == "" {
			using = "NO"
		}
		return mysqlerr.New(mysqlerr.AccessDenied, s.info.User, s.info.Host, using)
	}
	if t.name == "" {
		// A pattern may be granted by those who have the same one, or all.
		have |= patternPrivs(set, sub, t.db)
		if have.Has(need) {
			return nil
		}
		return s.databaseDenied(t.db)
	}
	have |= set.DB(sub, t.db)
	if t.routine {
		if have |= set.Routine(sub, t.db, t.name, t.function); have.Has(need) {
			return nil
		}
		return mysqlerr.New(mysqlerr.ProcAccessDenied, "execute", s.info.User, s.info.Host, t.db+"."+t.name)
	}
	if have |= set.Table(sub, t.db, t.name); have.Has(need) {
		return nil
	}
	return mysqlerr.New(mysqlerr.TableAccessDenied, (need &^ have).String(), s.info.User, s.info.Host, t.db, t.name)
}

// patternPrivs are the privileges that a user has on all databases that a pattern fits.
func patternPrivs(set *accounts.Set, sub accounts.Subject, pattern string) privilege.Set {
	if !accounts.IsPattern(pattern) {
		return set.DB(sub, accounts.Unescape(pattern))
	}
	return set.PatternDB(sub, pattern)
}

// apply makes or takes the grants of one statement for one account.
func (g *grant) apply(set *accounts.Set, a *accounts.Account, p privilege.Set, revoke bool) (found bool) {
	t := g.target
	switch {
	case t.db == "" && revoke:
		a.Global &^= p
	case t.db == "":
		a.Global |= p
	case t.routine && revoke:
		return set.RevokeRoutine(a.Name, t.db, t.name, t.function, p)
	case t.routine:
		set.GrantRoutine(a.Name, t.db, t.name, t.function, p)
	case t.name != "" && revoke:
		return set.RevokeTable(a.Name, t.db, t.name, p)
	case t.name != "":
		set.GrantTable(a.Name, t.db, t.name, p)
	case revoke:
		return set.RevokeDB(a.Name, t.db, p)
	default:
		set.GrantDB(a.Name, t.db, p)
	}
	return true
}

// targetExists checks that there is a table or routine to grant on. CREATE may be granted on a table
// that is still to come.
func (s *Session) targetExists(t grantTarget, p privilege.Set) error {
	if t.name == "" {
		return nil
	}
	cat := s.engine.store.Catalog().Current()
	if t.routine {
		if t.function || cat.Object("procedure", t.db, t.name) == nil {
			return mysqlerr.Newf(mysqlerr.SPDoesNotExist, "FUNCTION or PROCEDURE %s does not exist", t.name)
		}
		return nil
	}
	if p.Has(privilege.Create) || cat.Table(t.db, t.name) != nil || cat.Object("view", t.db, t.name) != nil {
		return nil
	}
	if systemTable(t.db, t.name) != nil {
		return nil
	}
	return mysqlerr.New(mysqlerr.NoSuchTable, t.db, t.name)
}

// parseGrant is GRANT privileges ON target TO user [IDENTIFIED ...], ... [REQUIRE ...] [WITH ...],
// or GRANT role TO who.
func (s *Session) parseGrant(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	var g grant
	ok, err := c.privileges(&g)
	if err != nil {
		return failRun(err)
	}
	if !ok {
		roles, err := c.roleNames()
		if err != nil {
			return failRun(err)
		}
		if !c.Accept("TO") {
			return failRun(c.Syntax())
		}
		return s.grantRole(c, roles)
	}
	if g.target, err = c.on(); err != nil {
		return failRun(err)
	}
	if !c.Accept("TO") {
		return failRun(c.Syntax())
	}
	users, err := c.userClauses()
	if err != nil {
		return failRun(err)
	}
	var opts []option
	if req, err := c.require(); err != nil {
		return failRun(err)
	} else if req != nil {
		opts = append(opts, req)
	}
	if c.Accept("WITH") {
		more, grantOption, err := c.limits()
		if err != nil {
			return failRun(err)
		}
		opts = append(opts, more...)
		if grantOption {
			g.privs |= privilege.Grant
			g.option = true
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		p, err := g.wanted()
		if err != nil {
			return err
		}
		if g.option {
			p |= privilege.Grant
		}
		return s.changeAccounts(ctx, c.logged(), func(set *accounts.Set) error {
			if err := s.checkGrant(set, g.target, p); err != nil {
				return err
			}
			if err := s.targetExists(g.target, p); err != nil {
				return err
			}
			for _, u := range users {
				a, err := s.grantee(set, u, len(opts) > 0)
				if err != nil {
					return err
				}
				for _, o := range opts {
					o(a)
				}
				if p != 0 {
					g.apply(set, a, p, false)
				}
			}
			return nil
		})
	})
}

// grantee finds the account of a GRANT, or makes it where that is allowed. changes says that the
// statement changes more of it than privileges.
func (s *Session) grantee(set *accounts.Set, u userClause, changes bool) (*accounts.Account, error) {
	n := u.resolve(set)
	a := set.Find(n)
	sub := s.subject()
	admin := set.Global(sub).Has(privilege.CreateUser) || set.May(sub, "mysql", "", privilege.Update)
	switch {
	case a == nil && u.password == nil && strings.Contains(s.vars.Str("sql_mode"), "NO_AUTO_CREATE_USER"):
		return nil, mysqlerr.New(mysqlerr.PasswordNoMatch)
	case a == nil && !admin:
		return nil, mysqlerr.New(mysqlerr.CantCreateUserWithGrant)
	case a == nil:
		a = newUser(n)
		set.Add(a)
	case a.Role && (u.password != nil || changes):
		return nil, cannot("GRANT", []string{n.String()})
	case (u.password != nil && n != s.privs.account || changes) && !admin:
		return nil, s.databaseDenied("mysql")
	}
	if u.password != nil {
		setPassword(a, u.password)
	}
	return a, nil
}

// parseRevoke is REVOKE privileges ON target FROM user, ..., REVOKE ALL PRIVILEGES, GRANT OPTION FROM
// user, ..., or REVOKE [ADMIN OPTION FOR] role FROM who.
func (s *Session) parseRevoke(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	if c.Accept("ADMIN", "OPTION", "FOR") {
		return s.parseRevokeRole(c, true)
	}
	if c.Accept("ALL", "PRIVILEGES", ",", "GRANT", "OPTION", "FROM") || c.Accept("ALL", ",", "GRANT", "OPTION", "FROM") {
		return s.revokeEverything(c)
	}
	var g grant
	ok, err := c.privileges(&g)
	if err != nil {
		return failRun(err)
	}
	if !ok {
		return s.parseRevokeRole(c, false)
	}
	if g.target, err = c.on(); err != nil {
		return failRun(err)
	}
	if !c.Accept("FROM") {
		return failRun(c.Syntax())
	}
	var from []named
	if err := c.accountList(func(n named) error { from = append(from, n); return nil }); err != nil {
		return failRun(err)
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		p, err := g.wanted()
		if err != nil {
			return err
		}
		return s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			if err := s.checkGrant(set, g.target, p); err != nil {
				return err
			}
			for _, who := range from {
				n := who.resolve(set)
				a := set.Find(n)
				if a == nil {
					return mysqlerr.New(mysqlerr.NonexistingGrant, n.User, n.Host)
				}
				if !g.apply(set, a, p, true) {
					return noSuchGrant(n, g.target)
				}
			}
			return nil
		})
	})
}

func noSuchGrant(n accounts.Name, t grantTarget) error {
	switch {
	case t.routine:
		return mysqlerr.New(mysqlerr.NonexistingProcGrant, n.User, n.Host, t.name)
	case t.name != "":
		return mysqlerr.New(mysqlerr.NonexistingTableGrant, n.User, n.Host, t.name)
	}
	return mysqlerr.New(mysqlerr.NonexistingGrant, n.User, n.Host)
}

func (s *Session) parseRevokeRole(c *accountParser, onlyAdmin bool) adminRun {
	roles, err := c.roleNames()
	if err != nil {
		return failRun(err)
	}
	if !c.Accept("FROM") {
		return failRun(c.Syntax())
	}
	return s.revokeRole(c, roles, onlyAdmin)
}

// revokeEverything is REVOKE ALL PRIVILEGES, GRANT OPTION FROM user, ...: the roles go too.
func (s *Session) revokeEverything(c *accountParser) adminRun {
	var from []named
	if err := c.accountList(func(n named) error { from = append(from, n); return nil }); err != nil {
		return failRun(err)
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Update); err != nil {
			return err
		}
		return s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			for _, who := range from {
				a := set.Find(who.resolve(set))
				if a == nil {
					return mysqlerr.New(mysqlerr.CannotRevokeAll)
				}
				set.RevokeAll(a)
			}
			return nil
		})
	})
}
