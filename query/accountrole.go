package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// roleName takes the name of a role. NONE and PUBLIC cannot be one.
func (c *accountCursor) roleName() (string, error) {
	t := c.peek()
	if t.kind != tokString && !t.name() || t.kind == tokWord && (strings.Contains(t.text, "@") || t.is("CURRENT_USER") || t.is("CURRENT_ROLE")) {
		return "", c.syntax()
	}
	c.next()
	if t.text == "" || strings.EqualFold(t.text, "NONE") || strings.EqualFold(t.text, "PUBLIC") {
		return "", mysqlerr.New(mysqlerr.InvalidRole, strings.ToUpper(t.text))
	}
	if len([]rune(t.text)) > 128 {
		return "", mysqlerr.Newf(mysqlerr.WrongStringLength, "String '%s' is too long for user name (should be no longer than 128)", t.text)
	}
	return t.text, nil
}

func (c *accountCursor) roleNames() ([]string, error) {
	var out []string
	for {
		r, err := c.roleName()
		if err != nil {
			return nil, err
		}
		out = append(out, r)
		if !c.accept(",") {
			return out, nil
		}
	}
}

// parseCreateRole is CREATE [OR REPLACE] ROLE [IF NOT EXISTS] role, ... [WITH ADMIN who].
func (s *Session) parseCreateRole(cur *cursor, replace bool) adminRun {
	c := s.accountCursor(cur)
	absent := c.accept("IF", "NOT", "EXISTS")
	if replace && absent {
		return failRun(mysqlerr.New(mysqlerr.WrongUsage, "OR REPLACE", "IF NOT EXISTS"))
	}
	roles, err := c.roleNames()
	if err != nil {
		return failRun(err)
	}
	admin := named{Name: s.privs.account}
	if c.accept("WITH", "ADMIN") {
		if admin, err = c.account(); err != nil {
			return failRun(err)
		}
	}
	if err := c.done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Insert); err != nil {
			return err
		}
		var there []string
		err := s.changeAccounts(ctx, c.sql, func(set *accounts.Set) error {
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
func (s *Session) parseDropRole(cur *cursor) adminRun {
	c := s.accountCursor(cur)
	present := c.accept("IF", "EXISTS")
	roles, err := c.roleNames()
	if err == nil {
		err = c.done()
	}
	if err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Delete); err != nil {
			return err
		}
		var missing []string
		err := s.changeAccounts(ctx, c.sql, func(set *accounts.Set) error {
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
		return mysqlerr.Newf(mysqlerr.InvalidRole, "User %s@%s has not been granted role %s", quoteName(n.User), quoteName(n.Host), quoteName(role))
	}
	return nil
}

// parseSetRole is SET ROLE role | NONE.
func (s *Session) parseSetRole(cur *cursor) adminRun {
	c := s.accountCursor(cur)
	role := ""
	if t := c.peek(); t.kind == tokWord && t.is("NONE") {
		c.next()
	} else {
		var err error
		if role, err = c.roleName(); err != nil {
			return failRun(err)
		}
	}
	if err := c.done(); err != nil {
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
func (s *Session) parseSetDefaultRole(cur *cursor) adminRun {
	c := s.accountCursor(cur)
	role := ""
	if t := c.peek(); t.kind == tokWord && t.is("NONE") {
		c.next()
	} else {
		var err error
		if role, err = c.roleName(); err != nil {
			return failRun(err)
		}
	}
	who := named{Name: s.privs.account}
	if c.accept("FOR") {
		var err error
		if who, err = c.account(); err != nil {
			return failRun(err)
		}
	}
	if err := c.done(); err != nil {
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
			as = quoteName(role)
		}
		text := fmt.Sprintf("SET DEFAULT ROLE %s FOR %s@%s", as, quoteName(n.User), quoteName(n.Host))
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
func (s *Session) grantRole(c *accountCursor, roles []string) adminRun {
	var to []named
	if err := c.accountList(func(n named) error { to = append(to, n); return nil }); err != nil {
		return failRun(err)
	}
	admin := c.accept("WITH", "ADMIN", "OPTION")
	if err := c.done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		return s.changeAccounts(ctx, c.sql, func(set *accounts.Set) error {
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
func (s *Session) revokeRole(c *accountCursor, roles []string, onlyAdmin bool) adminRun {
	var from []named
	if err := c.accountList(func(n named) error { from = append(from, n); return nil }); err != nil {
		return failRun(err)
	}
	if err := c.done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		return s.changeAccounts(ctx, c.sql, func(set *accounts.Set) error {
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
