package own

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// accounts is the value of a statement that makes, changes or drops accounts, or what they may do.
func (t text) accounts(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.Users:
		return users(n)
	case *tree.CreateRole:
		return createRole(n)
	case *tree.DropAccounts:
		return dropAccounts(n)
	case *tree.RenameUsers:
		all, err := each(n.Pairs, func(p *tree.RenameUserPair) (r dialect.Rename, err error) {
			if r.From, err = account(p.Old); err != nil {
				return r, err
			}
			r.To, err = account(p.New)
			return r, err
		})
		return dialect.RenameUser{Renames: all}, err
	case *tree.Grant:
		return t.grant(n)
	case *tree.RevokeAll:
		from, err := each(n.From, account)
		return dialect.RevokeEverything{From: from}, err
	case *tree.GrantProxy:
		return nil, notYet("PROXY")
	case *tree.GrantRole:
		return grantRole(n)
	}
	return nil, nil
}

// checkConditions refuses a CREATE with both of its conditions.
func checkConditions(orReplace, ifNotExists bool) error {
	if orReplace && ifNotExists {
		return mysqlerr.New(mysqlerr.WrongUsage, "OR REPLACE", "IF NOT EXISTS")
	}
	return nil
}

func users(n *tree.Users) (dialect.Statement, error) {
	if err := checkConditions(n.OrReplace, n.IfNotExists); err != nil {
		return nil, err
	}
	all, err := each(n.Users, user)
	if err != nil {
		return nil, err
	}
	o, err := userOptions(&n.AccountOptions)
	if n.Alter {
		return dialect.AlterUser{IfExists: n.IfNotExists, Users: all, Options: o}, err
	}
	return dialect.CreateUser{OrReplace: n.OrReplace, IfNotExists: n.IfNotExists, Users: all, Options: o}, err
}

func createRole(n *tree.CreateRole) (dialect.Statement, error) {
	st := dialect.CreateRole{OrReplace: n.OrReplace, IfNotExists: n.IfNotExists}
	if err := checkConditions(n.OrReplace, n.IfNotExists); err != nil {
		return nil, err
	}
	var err error
	if st.Roles, err = each(n.Roles, roleOf); err != nil {
		return nil, err
	}
	st.Admin, err = account(n.Admin)
	return st, err
}

func dropAccounts(n *tree.DropAccounts) (dialect.Statement, error) {
	if n.Roles {
		roles, err := each(n.Accounts, roleOf)
		return dialect.DropRole{IfExists: n.IfExists, Roles: roles}, err
	}
	all, err := each(n.Accounts, account)
	return dialect.DropUser{IfExists: n.IfExists, Users: all}, err
}

func (t text) grant(n *tree.Grant) (dialect.Statement, error) {
	list := dialect.PrivilegeList{All: n.All}
	for _, p := range n.Privileges {
		if p.Columns != nil {
			on := dialect.ColumnPrivilege{Name: t.privilege(p)}
			for _, c := range p.Columns {
				on.Columns = append(on.Columns, c.Text)
			}
			list.OnColumns = append(list.OnColumns, on)
			continue
		}
		list.Names = append(list.Names, t.privilege(p))
	}
	if n.Revoke {
		from, err := each(n.To, bareUser)
		return dialect.Revoke{Privileges: list, On: target(n.On), From: from}, err
	}
	st := dialect.Grant{Privileges: list, On: target(n.On), Require: required(&n.AccountOptions), Option: n.GrantOption}
	var err error
	if st.To, err = each(n.To, user); err != nil {
		return nil, err
	}
	st.Limits, err = limits(n.Limits)
	return st, err
}

// privilege is the name of a privilege as the statement has it, of those that have several: replicas of other releases may know only that one.
func (t text) privilege(p *tree.Privilege) string {
	written := strings.ToUpper(strings.Join(strings.Fields(t.at(p.Span)), " "))
	if slices.Contains(dialect.Privileges, written) {
		return written
	}
	return p.Name
}

func target(n *tree.GrantLevel) dialect.Target {
	t := dialect.Target{Kind: dialect.OnTable, DB: n.DB.Text, Name: n.Name.Text}
	switch {
	case n.AllDBs:
		return dialect.Target{Kind: dialect.OnEverything}
	case n.AllTables:
		return dialect.Target{Kind: dialect.OnDatabase, DB: n.DB.Text}
	case n.What == "FUNCTION":
		t.Kind = dialect.OnFunction
	case n.What == "PROCEDURE":
		t.Kind = dialect.OnProcedure
	}
	return t
}

func grantRole(n *tree.GrantRole) (dialect.Statement, error) {
	name, err := roleOf(n.Role)
	if err != nil {
		return nil, err
	}
	to, err := each(n.To, bareUser)
	if n.Revoke {
		return dialect.RevokeRole{OnlyAdmin: n.Admin, Role: name, From: to}, err
	}
	return dialect.GrantRole{Role: name, To: to, Admin: n.Admin}, err
}

// setAccount is the value of a SET about an account, nil for any other.
func setAccount(item tree.SetItem) (dialect.Statement, error) {
	switch n := item.(type) {
	case *tree.SetRole:
		if n.Role == nil {
			return dialect.SetRole{}, nil
		}
		name, err := role(n.Role.Text)
		return dialect.SetRole{Role: name}, err
	case *tree.SetDefaultRole:
		var st dialect.SetDefaultRole
		var err error
		if n.Role != nil {
			if st.Role, err = roleOf(n.Role); err != nil {
				return nil, err
			}
		}
		st.For, err = account(n.User)
		return st, err
	case *tree.SetPassword:
		st := dialect.SetPassword{Password: dialect.Password{Form: dialect.HashedPassword, Plugin: dialect.NativePlugin, Text: n.Text}}
		if n.Function != "" {
			st.Password.Form = dialect.ClearPassword
		}
		var err error
		st.For, err = account(n.User)
		return st, err
	}
	return nil, nil
}

func showAccount(n *tree.Show) (dialect.Statement, error) {
	a, err := account(n.User)
	if n.What == "GRANTS" {
		return dialect.ShowGrants{For: a}, err
	}
	return dialect.ShowCreateUser{User: a}, err
}
