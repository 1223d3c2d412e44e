package account

import (
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// mayShow checks that the client may see what an account has: its own and its active role, or any
// with SELECT on database mysql.
func (r *run) mayShow(n accounts.Name) error {
	id := r.Identity()
	if n == id.Account || n.IsRole() && n.User == id.Role {
		return nil
	}
	return r.requireMySQL(privilege.Select)
}

func (r *run) showGrants(st dialect.ShowGrants) (*Listing, error) {
	id := r.Identity()
	if st.For.Form == dialect.CurrentRole && id.Role == "" {
		return nil, mysqlerr.New(mysqlerr.NonexistingGrant, id.Account.User, id.Account.Host)
	}
	who, err := r.named(st.For)
	if err != nil {
		return nil, err
	}
	set := r.store.Set()
	n := who.resolve(set)
	if err := r.mayShow(n); err != nil {
		return nil, err
	}
	if set.Find(n) == nil {
		return nil, mysqlerr.New(mysqlerr.NonexistingGrant, n.User, n.Host)
	}
	active := "" // roles show with those who do not ask for an account
	if st.For.Form == dialect.NoAccount {
		active = id.Role
	}
	title := "Grants for " + n.User
	if !n.IsRole() {
		title += "@" + n.Host
	}
	return &Listing{Title: title, Lines: set.ShowGrants(n, active)}, nil
}

func (r *run) showCreateUser(st dialect.ShowCreateUser) (*Listing, error) {
	who, err := r.named(st.User)
	if err != nil {
		return nil, err
	}
	n := who.user()
	if err := r.mayShow(n); err != nil {
		return nil, err
	}
	a := r.store.Set().Find(n)
	if a == nil {
		return nil, mysqlerr.New(mysqlerr.PasswordNoMatch)
	}
	return &Listing{Title: "CREATE USER for " + a.User + "@" + a.Host, Lines: []string{a.ShowCreate()}}, nil
}
