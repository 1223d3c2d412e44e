package account

import (
	"context"
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// newUser is a user as CREATE USER makes it.
func newUser(n accounts.Name) *accounts.Account {
	return &accounts.Account{Name: n, Plugin: accounts.NativePassword, Lifetime: accounts.LifetimeDefault, Changed: now()}
}

// requireForms are the forms of REQUIRE as accounts keep them.
var requireForms = map[dialect.RequireForm]string{
	dialect.RequireNone: "", dialect.RequireSSL: accounts.RequireSSL, dialect.RequireX509: accounts.RequireX509,
	dialect.RequireSpecified: accounts.RequireSpecified,
}

func setRequire(a *accounts.Account, r dialect.Require) {
	if r.Form != dialect.NoRequire {
		a.Require, a.Cipher, a.Issuer, a.Subject = requireForms[r.Form], r.Cipher, r.Issuer, r.Subject
	}
}

// setLimit sets a limit that a statement has.
func setLimit[T any](to *T, l dialect.UserLimit[T]) {
	if l.Said {
		*to = l.Value
	}
}

func setLimits(a *accounts.Account, l dialect.Limits) {
	setLimit(&a.Limits.Queries, l.Queries)
	setLimit(&a.Limits.Updates, l.Updates)
	setLimit(&a.Limits.Connections, l.Connections)
	setLimit(&a.Limits.UserConnections, l.UserConnections)
	setLimit(&a.Limits.StatementTime, l.StatementTime)
}

// setOptions changes what the options of CREATE USER and ALTER USER name.
func setOptions(a *accounts.Account, o dialect.UserOptions) {
	setRequire(a, o.Require)
	setLimits(a, o.Limits)
	if o.Lock != dialect.LockUnsaid {
		a.Locked = o.Lock == dialect.LockAccount
	}
	switch o.Expiry {
	case dialect.ExpireNow:
		a.Expired = true
	case dialect.ExpireNever:
		a.Lifetime, a.Expired = accounts.LifetimeNever, false
	case dialect.ExpireDefault:
		a.Lifetime, a.Expired = accounts.LifetimeDefault, false
	case dialect.ExpireInterval:
		a.Lifetime, a.Expired = int64(o.Interval), false
	}
}

func (r *run) createUser(ctx context.Context, st dialect.CreateUser) error {
	users, err := r.users(accountsOf(st.Users))
	if err != nil {
		return err
	}
	if err := checkPasswords(st.Users); err != nil {
		return err
	}
	if err := r.requireOn(privilege.Insert); err != nil {
		return err
	}
	if st, err = st.Hashed(r.hash); err != nil {
		return err
	}
	var there []string
	err = r.Change(ctx, st, func(set *accounts.Set) error {
		for i, n := range users {
			if old := set.Find(n); old != nil {
				if !st.OrReplace {
					there = append(there, n.String())
					continue
				}
				set.Drop(old.Name)
			}
			a := newUser(n)
			setPassword(a, st.Users[i].Password)
			setOptions(a, st.Options)
			set.Add(a)
		}
		if there != nil && !st.IfNotExists {
			return cannot("CREATE USER", there)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range there {
		r.note(userExists, "Can't create user %s; it already exists", n)
	}
	return nil
}

func (r *run) alterUser(ctx context.Context, st dialect.AlterUser) error {
	users, err := r.users(accountsOf(st.Users))
	if err != nil {
		return err
	}
	if err := checkPasswords(st.Users); err != nil {
		return err
	}
	if err := r.requireOn(privilege.Update); err != nil {
		return err
	}
	if st, err = st.Hashed(r.hash); err != nil {
		return err
	}
	var missing []string
	err = r.Change(ctx, st, func(set *accounts.Set) error {
		for i, n := range users {
			a := set.Find(n)
			if a == nil {
				missing = append(missing, "'"+n.User+"'")
				continue
			}
			setPassword(a, st.Users[i].Password)
			setOptions(a, st.Options)
		}
		if missing != nil && !st.IfExists {
			return cannot("ALTER USER", missing)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range users {
		r.store.Use.Forgive(n)
	}
	if missing != nil {
		for range missing {
			r.Warn("Error", mysqlerr.PasswordNoMatch, mysqlerr.New(mysqlerr.PasswordNoMatch).Message)
		}
		r.note(mysqlerr.CannotUser, "Operation ALTER USER failed for %s", strings.Join(missing, ","))
	}
	return nil
}

func (r *run) dropUser(ctx context.Context, st dialect.DropUser) error {
	users, err := r.users(st.Users)
	if err != nil {
		return err
	}
	if err := r.requireOn(privilege.Delete); err != nil {
		return err
	}
	var missing []string
	err = r.Change(ctx, st, func(set *accounts.Set) error {
		for _, n := range users {
			a := set.Find(n)
			if a == nil {
				missing = append(missing, n.String())
				continue
			}
			set.Drop(a.Name)
		}
		if missing != nil && !st.IfExists {
			return cannot("DROP USER", missing)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range missing {
		r.note(mysqlerr.CannotDropUser, "Can't drop user %s; it doesn't exist", n)
	}
	return nil
}

func (r *run) renameUser(ctx context.Context, st dialect.RenameUser) error {
	var pairs [][]accounts.Name
	for _, one := range st.Renames {
		pair, err := r.users([]dialect.Account{one.From, one.To})
		if err != nil {
			return err
		}
		pairs = append(pairs, pair)
	}
	if err := r.requireOn(privilege.Update); err != nil {
		return err
	}
	return r.Change(ctx, st, func(set *accounts.Set) error {
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
}

// setPassword logs the account by its name, as MariaDB does.
func (r *run) setPassword(ctx context.Context, st dialect.SetPassword) error {
	who, err := r.named(st.For)
	if err != nil {
		return err
	}
	if err := checkPassword(st.Password); err != nil {
		return err
	}
	n, id := who.user(), r.Identity()
	own := n.User == id.Account.User && strings.EqualFold(n.Host, id.Account.Host)
	if !own {
		if err := r.requireMySQL(privilege.Update); err != nil {
			return err
		}
	}
	if st, err = st.Hashed(r.hash); err != nil {
		return err
	}
	st.For = asAccount(n)
	err = r.Change(ctx, st, func(set *accounts.Set) error {
		a := set.Find(n)
		if a == nil || a.User == "" && own {
			return mysqlerr.New(mysqlerr.PasswordNoMatch)
		}
		setPassword(a, st.Password)
		return nil
	})
	if err != nil {
		return err
	}
	r.store.Use.Forgive(n)
	if own {
		id.Expired = false
	}
	return nil
}
