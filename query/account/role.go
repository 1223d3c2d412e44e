package account

import (
	"context"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

func (r *run) createRole(ctx context.Context, st dialect.CreateRole) error {
	admin, err := r.named(st.Admin)
	if err != nil {
		return err
	}
	if err := r.requireOn(privilege.Insert); err != nil {
		return err
	}
	var there []string
	err = r.Change(ctx, st, func(set *accounts.Set) error {
		to := admin.resolve(set)
		if set.Find(to) == nil {
			return mysqlerr.New(mysqlerr.PasswordNoMatch)
		}
		for _, role := range st.Roles {
			n := accounts.Name{User: role}
			if set.Find(n) != nil {
				if !st.OrReplace {
					there = append(there, "'"+role+"'")
					continue
				}
				set.Drop(n)
			}
			set.Add(&accounts.Account{Name: n, Role: true, Lifetime: accounts.LifetimeDefault})
			set.GrantRole(to, role, true)
		}
		if there != nil && !st.IfNotExists {
			return cannot("CREATE ROLE", there)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range there {
		r.note(mysqlerr.CannotCreateRole, "Can't create role %s; it already exists", n)
	}
	return nil
}

func (r *run) dropRole(ctx context.Context, st dialect.DropRole) error {
	if err := r.requireOn(privilege.Delete); err != nil {
		return err
	}
	var missing []string
	err := r.Change(ctx, st, func(set *accounts.Set) error {
		for _, role := range st.Roles {
			n := accounts.Name{User: role}
			if set.Find(n) == nil {
				missing = append(missing, "'"+role+"'")
				continue
			}
			set.Drop(n)
		}
		if missing != nil && !st.IfExists {
			return cannot("DROP ROLE", missing)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range missing {
		r.note(roleMissing, "Can't drop role %s; it doesn't exist", n)
	}
	return nil
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

func (r *run) setRole(st dialect.SetRole) error {
	id := r.Identity()
	if st.Role != "" {
		if err := mayUseRole(r.store.Set(), id.Account, st.Role); err != nil {
			return err
		}
	}
	id.Role = st.Role
	return nil
}

// setDefaultRole logs the account by its name, as MariaDB does.
func (r *run) setDefaultRole(ctx context.Context, st dialect.SetDefaultRole) error {
	who, err := r.named(st.For)
	if err != nil {
		return err
	}
	n := who.user()
	if n != r.Identity().Account {
		if err := r.requireMySQL(privilege.Update); err != nil {
			return err
		}
	}
	st.For = asAccount(n)
	return r.Change(ctx, st, func(set *accounts.Set) error {
		a := set.Find(n)
		if a == nil {
			return mysqlerr.New(mysqlerr.InvalidRole, st.Role)
		}
		if st.Role != "" {
			if err := mayUseRole(set, a.Name, st.Role); err != nil {
				return err
			}
		}
		a.DefaultRole = st.Role
		return nil
	})
}

func (r *run) grantRole(ctx context.Context, st dialect.GrantRole) error {
	to, err := r.allNamed(st.To)
	if err != nil {
		return err
	}
	return r.Change(ctx, st, func(set *accounts.Set) error {
		if err := r.checkRoleAdmin(set, st.Role); err != nil {
			return err
		}
		for _, who := range to {
			n := who.resolve(set)
			a := set.Find(n)
			if a == nil {
				return mysqlerr.New(mysqlerr.PasswordNoMatch)
			}
			if a.Role && set.RoleCycle(a.User, st.Role) {
				return mysqlerr.Newf(mysqlerr.CannotGrantRole, "Cannot grant role '%s' to: %s", st.Role, n)
			}
			set.GrantRole(a.Name, st.Role, st.Admin)
		}
		return nil
	})
}

// checkRoleAdmin checks that a role exists and that the client may give it.
func (r *run) checkRoleAdmin(set *accounts.Set, role string) error {
	if set.Find(accounts.Name{User: role}) == nil {
		return mysqlerr.New(mysqlerr.InvalidRole, role)
	}
	if id := r.Identity(); !set.RoleAdmin(r.Subject(), role) {
		return mysqlerr.Newf(mysqlerr.AccessDeniedNoPassword, "Access denied for user '%s'@'%s'", id.User, id.Host)
	}
	return nil
}

func (r *run) revokeRole(ctx context.Context, st dialect.RevokeRole) error {
	from, err := r.allNamed(st.From)
	if err != nil {
		return err
	}
	return r.Change(ctx, st, func(set *accounts.Set) error {
		if err := r.checkRoleAdmin(set, st.Role); err != nil {
			return err
		}
		for _, who := range from {
			n := who.resolve(set)
			if !set.RevokeRole(n, st.Role, st.OnlyAdmin) {
				return mysqlerr.Newf(mysqlerr.CannotRevokeRole, "Cannot revoke role '%s' from: %s", st.Role, n)
			}
		}
		return nil
	})
}
