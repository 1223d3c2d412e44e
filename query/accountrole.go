package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// roleName takes the name of a role. NONE and PUBLIC cannot be one.
func (c *accountParser) roleName() (string, error) {
	t := c.Peek()
	if t.Kind != dialect.String && !t.IsName() || t.Kind == dialect.Word && (strings.Contains(t.Text, "@") || t.Is("CURRENT_USER") || t.Is("CURRENT_ROLE")) {
		return "", c.Syntax()
	}
	c.Next()
	if t.Text == "" || strings.EqualFold(t.Text, "NONE") || strings.EqualFold(t.Text, "PUBLIC") {
		return "", mysqlerr.New(mysqlerr.InvalidRole, strings.ToUpper(t.Text))
	}
	if len([]rune(t.Text)) > 128 {
		return "", mysqlerr.Newf(mysqlerr.WrongStringLength, "String '%s' is too long for user name (should be no longer than 128)", t.Text)
	}
	return t.Text, nil
}

func (c *accountParser) roleNames() ([]string, error) {
	var out []string
	for {
		r, err := c.roleName()
		if err != nil {
			return nil, err
		}
		out = append(out, r)
		if !c.Accept(",") {
			return out, nil
		}
	}
}

// parseCreateRole is CREATE [OR REPLACE] ROLE [IF NOT EXISTS] role, ... [WITH ADMIN who].
func (s *Session) parseCreateRole(cur *dialect.Parser, replace bool) adminRun {
	c := s.accountParser(cur)
	absent := c.Accept("IF", "NOT", "EXISTS")
	if replace && absent {
		return failRun(mysqlerr.New(mysqlerr.WrongUsage, "OR REPLACE", "IF NOT EXISTS"))
	}
	roles, err := c.roleNames()
	if err != nil {
		return failRun(err)
	}
	admin := named{Name: s.privs.account}
	if c.Accept("WITH", "ADMIN") {
		if admin, err = c.account(); err != nil {
			return failRun(err)
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Insert); err != nil {
			return err
		}
		var there []string
		err := s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			to := admin.resolve(set)
			if set.Find(to) == nil {
				return mysqlerr.New(mysqlerr.PasswordNoMatch)
			}
			for _, r := range roles {
				n := accounts.Name{User: r}
				if set.Find(n) != nil {
					if !replace {
						there = append(there, "'"+r+"'")
						continue
					}
					set.Drop(n)
				}
				set.Add(&accounts.Account{Name: n, Role: true, Lifetime: accounts.LifetimeDefault})
				set.GrantRole(to, r, true)
			}
			if there != nil && !absent {
				return cannot("CREATE ROLE", there)
			}
			return nil
		})
		if err == nil {
			for _, n := range there {
				s.note(int(mysqlerr.CannotCreateRole), fmt.Sprintf("Can't create role %s; it already exists", n))
			}
		}
		return err
	})
}

// parseDropRole is DROP ROLE [IF EXISTS] role, ...
func (s *Session) parseDropRole(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	present := c.Accept("IF", "EXISTS")
	roles, err := c.roleNames()
	if err == nil {
		err = c.Done()
	}
	if err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Delete); err != nil {
			return err
		}
		var missing []string
		err := s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			for _, r := range roles {
				n := accounts.Name{User: r}
				if set.Find(n) == nil {
					missing = append(missing, "'"+r+"'")
					continue
				}
				set.Drop(n)
			}
			if missing != nil && !present {
				return cannot("DROP ROLE", missing)
			}
			return nil
		})
		if err == nil {
			for _, n := range missing {
				s.note(1976, fmt.Sprintf("Can't drop role %s; it doesn't exist", n))
			}
		}
		return err
	})
}

// mayUseRole checks that a user was given a role: error 1959 otherwise.
func mayUseRole(set *accounts.Set, n accounts.Name, role string) error {
	if set.Find(accounts.Name{User: role}) == nil {
		return mysqlerr.New(mysqlerr.InvalidRole, role)
	}
	if !set.HasRole(n, role) {
		return mysqlerr.Newf(mysqlerr.InvalidRole, "User %s@%s has not been granted role %s", dialect.QuoteName(n.User), dialect.QuoteName(n.Host), dialect.QuoteName(role))
	}
	return nil
}

// parseSetRole is SET ROLE role | NONE.
func (s *Session) parseSetRole(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	role := ""
	if t := c.Peek(); t.Kind == dialect.Word && t.Is("NONE") {
		c.Next()
	} else {
		var err error
		if role, err = c.roleName(); err != nil {
			return failRun(err)
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if role != "" {
			if err := mayUseRole(s.engine.accountSet(), s.privs.account, role); err != nil {
				return err
			}
		}
		s.privs.role = role
		s.forgetPrivileges(s.newContext(ctx, ""))
		return nil
	})
}

// parseSetDefaultRole is SET DEFAULT ROLE role | NONE [FOR user].
func (s *Session) parseSetDefaultRole(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	role := ""
	if t := c.Peek(); t.Kind == dialect.Word && t.Is("NONE") {
		c.Next()
	} else {
		var err error
		if role, err = c.roleName(); err != nil {
			return failRun(err)
		}
	}
	who := named{Name: s.privs.account}
	if c.Accept("FOR") {
		var err error
		if who, err = c.account(); err != nil {
			return failRun(err)
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		n := who.user()
		if n != s.privs.account {
			if err := s.requireMySQL(privilege.Update); err != nil {
				return err
			}
		}
		as := "NONE"
		if role != "" {
			as = dialect.QuoteName(role)
		}
		text := fmt.Sprintf("SET DEFAULT ROLE %s FOR %s@%s", as, dialect.QuoteName(n.User), dialect.QuoteName(n.Host))
		return s.changeAccounts(ctx, text, func(set *accounts.Set) error {
			a := set.Find(n)
			if a == nil {
				return mysqlerr.New(mysqlerr.InvalidRole, role)
			}
			if role != "" {
				if err := mayUseRole(set, a.Name, role); err != nil {
					return err
				}
			}
			a.DefaultRole = role
			return nil
		})
	})
}

// grantRole is GRANT role, ... TO who, ... [WITH ADMIN OPTION].
func (s *Session) grantRole(c *accountParser, roles []string) adminRun {
	var to []named
	if err := c.accountList(func(n named) error { to = append(to, n); return nil }); err != nil {
		return failRun(err)
	}
	admin := c.Accept("WITH", "ADMIN", "OPTION")
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		return s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			if err := s.checkRoleAdmin(set, roles); err != nil {
				return err
			}
			for _, who := range to {
				n := who.resolve(set)
				a := set.Find(n)
				if a == nil {
					return mysqlerr.New(mysqlerr.PasswordNoMatch)
				}
				for _, r := range roles {
					if a.Role && set.RoleCycle(a.User, r) {
						return mysqlerr.Newf(mysqlerr.CannotGrantRole, "Cannot grant role '%s' to: %s", r, n)
					}
					set.GrantRole(a.Name, r, admin)
				}
			}
			return nil
		})
	})
}

// checkRoleAdmin checks that the roles exist and that the session's user may give them.
func (s *Session) checkRoleAdmin(set *accounts.Set, roles []string) error {
	for _, r := range roles {
		if set.Find(accounts.Name{User: r}) == nil {
			return mysqlerr.New(mysqlerr.InvalidRole, r)
		}
		sub := s.subject()
		if !set.RoleAdmin(sub, r) {
			return mysqlerr.Newf(mysqlerr.AccessDeniedNoPassword, "Access denied for user '%s'@'%s'", s.info.User, s.info.Host)
		}
	}
	return nil
}

// revokeRole is REVOKE [ADMIN OPTION FOR] role, ... FROM who, ...
func (s *Session) revokeRole(c *accountParser, roles []string, onlyAdmin bool) adminRun {
	var from []named
	if err := c.accountList(func(n named) error { from = append(from, n); return nil }); err != nil {
		return failRun(err)
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		return s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			if err := s.checkRoleAdmin(set, roles); err != nil {
				return err
			}
			for _, who := range from {
				n := who.resolve(set)
				for _, r := range roles {
					if !set.RevokeRole(n, r, onlyAdmin) {
						return mysqlerr.Newf(mysqlerr.CannotRevokeRole, "Cannot revoke role '%s' from: %s", r, n)
					}
				}
			}
			return nil
		})
	})
}
