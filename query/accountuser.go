package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// userClause is one account of CREATE USER, ALTER USER or GRANT with its password.
type userClause struct {
	named
	password *password
}

// setPassword changes an account's password, "" for none.
func setPassword(a *accounts.Account, p *password) {
	a.Plugin, a.Auth, a.Expired = p.plugin, p.auth, false
	a.Changed = time.Now().UTC().Truncate(time.Second)
}

// newUser is a user as CREATE USER makes it.
func newUser(n accounts.Name) *accounts.Account {
	return &accounts.Account{
		Name: n, Plugin: accounts.NativePassword, Lifetime: accounts.LifetimeDefault, Changed: time.Now().UTC().Truncate(time.Second),
	}
}

// userClauses takes accounts with their passwords.
func (c *accountParser) userClauses() ([]userClause, error) {
	var out []userClause
	err := c.accountList(func(n named) error {
		p, err := c.identified()
		out = append(out, userClause{named: n, password: p})
		return err
	})
	return out, err
}

// requireOn checks a global privilege that the same privilege on database mysql may stand for.
func (s *Session) requireOn(global privilege.Set, name string, onMySQL privilege.Set) error {
	set, sub := s.engine.accountSet(), s.subject()
	if set.Global(sub).Has(global) || set.May(sub, "mysql", "", onMySQL) {
		return nil
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, name)
}

// requireMySQL checks a privilege on database mysql, with the error that MariaDB has for it.
func (s *Session) requireMySQL(p privilege.Set) error {
	if s.engine.accountSet().May(s.subject(), "mysql", "", p) {
		return nil
	}
	return s.databaseDenied("mysql")
}

// databaseDenied is error 1044, which names the account.
func (s *Session) databaseDenied(db string) error {
	return mysqlerr.New(mysqlerr.DBAccessDenied, s.privs.account.User, s.privs.account.Host, db)
}

func cannot(what string, failed []string) error {
	return mysqlerr.New(mysqlerr.CannotUser, what, strings.Join(failed, ","))
}

// parseCreateUser is CREATE [OR REPLACE] USER [IF NOT EXISTS] user [IDENTIFIED ...], ... [options].
func (s *Session) parseCreateUser(cur *dialect.Parser, replace bool) adminRun {
	c := s.accountParser(cur)
	absent := c.Accept("IF", "NOT", "EXISTS")
	if replace && absent {
		return failRun(mysqlerr.New(mysqlerr.WrongUsage, "OR REPLACE", "IF NOT EXISTS"))
	}
	users, err := c.userClauses()
	if err != nil {
		return failRun(err)
	}
	opts, err := c.options()
	if err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Insert); err != nil {
			return err
		}
		var there []string
		err := s.changeAccounts(ctx, c.logged(), func(set *accounts.Set) error {
			var failed []string
			for _, u := range users {
				n := u.user()
				if old := set.Find(n); old != nil {
					if !replace {
						there = append(there, n.String())
						if !absent {
							failed = append(failed, n.String())
						}
						continue
					}
					set.Drop(old.Name)
				}
				a := newUser(n)
				if u.password != nil {
					setPassword(a, u.password)
				}
				for _, o := range opts {
					o(a)
				}
				set.Add(a)
			}
			if failed != nil {
				return cannot("CREATE USER", failed)
			}
			return nil
		})
		if err == nil && absent {
			for _, n := range there {
				s.note(1973, fmt.Sprintf("Can't create user %s; it already exists", n))
			}
		}
		return err
	})
}

// note adds a warning of level Note.
func (s *Session) note(number int, text string) {
	s.warn(noteWarning(number, text))
}

// parseAlterUser is ALTER USER [IF EXISTS] user [IDENTIFIED ...], ... [options].
func (s *Session) parseAlterUser(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	present := c.Accept("IF", "EXISTS")
	users, err := c.userClauses()
	if err != nil {
		return failRun(err)
	}
	opts, err := c.options()
	if err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Update); err != nil {
			return err
		}
		var missing []string
		err := s.changeAccounts(ctx, c.logged(), func(set *accounts.Set) error {
			for _, u := range users {
				a := set.Find(u.user())
				if a == nil {
					missing = append(missing, "'"+u.User+"'")
					continue
				}
				if u.password != nil {
					setPassword(a, u.password)
				}
				for _, o := range opts {
					o(a)
				}
			}
			if missing != nil && !present {
				return cannot("ALTER USER", missing)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, u := range users {
			n := u.user()
			s.engine.users.used.forgive(&n)
		}
		if missing != nil {
			for range missing {
				s.warn(&sql.Warning{Level: "Error", Code: int(mysqlerr.PasswordNoMatch), Message: mysqlerr.New(mysqlerr.PasswordNoMatch).Message})
			}
			s.note(int(mysqlerr.CannotUser), "Operation ALTER USER failed for "+strings.Join(missing, ","))
		}
		return nil
	})
}

// parseDropUser is DROP USER [IF EXISTS] user, ...
func (s *Session) parseDropUser(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	present := c.Accept("IF", "EXISTS")
	var users []accounts.Name
	err := c.accountList(func(n named) error {
		users = append(users, n.user())
		return nil
	})
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
			for _, n := range users {
				a := set.Find(n)
				if a == nil {
					missing = append(missing, n.String())
					continue
				}
				set.Drop(a.Name)
			}
			if missing != nil && !present {
				return cannot("DROP USER", missing)
			}
			return nil
		})
		if err == nil {
			for _, n := range missing {
				s.note(int(mysqlerr.CannotDropUser), fmt.Sprintf("Can't drop user %s; it doesn't exist", n))
			}
		}
		return err
	})
}

// parseRename is RENAME USER old TO new, ...; every other RENAME is go-mysql-server's.
func (s *Session) parseRename(cur *dialect.Parser) adminRun {
	if !cur.Accept("USER") {
		return nil
	}
	c := s.accountParser(cur)
	var pairs [][2]accounts.Name
	for {
		from, err := c.account()
		if err != nil {
			return failRun(err)
		}
		if !c.Accept("TO") {
			return failRun(c.Syntax())
		}
		to, err := c.account()
		if err != nil {
			return failRun(err)
		}
		pairs = append(pairs, [2]accounts.Name{from.user(), to.user()})
		if !c.Accept(",") {
			break
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if err := s.requireOn(privilege.CreateUser, "CREATE USER", privilege.Update); err != nil {
			return err
		}
		return s.changeAccounts(ctx, c.SQL, func(set *accounts.Set) error {
			var failed []string
			for _, p := range pairs {
				a := set.Find(p[0])
				if a == nil || set.Find(p[1]) != nil {
					failed = append(failed, p[0].String())
					continue
				}
				set.Rename(a.Name, p[1])
			}
			if failed != nil {
				return cannot("RENAME USER", failed)
			}
			return nil
		})
	})
}

// parseSetPassword is SET PASSWORD [FOR user] = PASSWORD('text') | 'hash'.
func (s *Session) parseSetPassword(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	n := named{Name: s.privs.account}
	if c.Accept("FOR") {
		var err error
		if n, err = c.account(); err != nil {
			return failRun(err)
		}
	}
	if !c.Accept("=") {
		return failRun(c.Syntax())
	}
	p := &password{plugin: accounts.NativePassword}
	if c.AcceptAny("PASSWORD", "OLD_PASSWORD") {
		if !c.Accept("(") {
			return failRun(c.Syntax())
		}
		text, ok := c.StringLiteral()
		if !ok || !c.Accept(")") {
			return failRun(c.Syntax())
		}
		p.auth = nativeHash(text)
	} else {
		hash, ok := c.StringLiteral()
		if !ok {
			return failRun(c.Syntax())
		}
		var err error
		if p, err = checkedHash(p.plugin, hash); err != nil {
			return failRun(err)
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		name := n.user()
		own := name.User == s.privs.account.User && strings.EqualFold(name.Host, s.privs.account.Host)
		if !own {
			if err := s.requireMySQL(privilege.Update); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("SET PASSWORD FOR '%s'@'%s'='%s'", escapeQuotes(name.User), escapeQuotes(name.Host), p.auth)
		err := s.changeAccounts(ctx, text, func(set *accounts.Set) error {
			a := set.Find(name)
			if a == nil || a.User == "" && own {
				return mysqlerr.New(mysqlerr.PasswordNoMatch)
			}
			setPassword(a, p)
			return nil
		})
		if err == nil {
			s.engine.users.used.forgive(&name)
			if own {
				s.privs.expired = false
			}
		}
		return err
	})
}

func escapeQuotes(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''")
}
