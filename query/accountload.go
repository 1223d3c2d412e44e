package query

import (
	"context"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/gms/earlier"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// Users, roles and grants are an accounts.Set. Every change of it is a DDL statement
// whose transaction carries the whole set as one catalog object; a start loads that.
const (
	privilegesKind = "privileges"
	privilegesName = "mysql"
)

var errSystemTable = mysqlerr.New(mysqlerr.NotSupportedYet, "changing tables of database mysql (use CREATE USER, ALTER USER, GRANT and REVOKE)")

// loadAccounts reads the accounts from the catalog, or makes root on a first start.
func (e *Engine) loadAccounts() error {
	if e.Store.Catalog().Current().Object(privilegesKind, "", privilegesName) != nil {
		return e.reloadAccounts()
	}
	s, err := e.NewSession(session.ConnInfo{User: "root", Host: "localhost"})
	if err != nil {
		return err
	}
	defer s.Close()
	s.Vars.Store(session.VarSQLLogBin, int8(0)) // every server has its own root; replicas do not get ours
	return accountsOf(s).change(context.Background(), "", account.MakeRoot)
}

// reloadAccounts makes the accounts in memory equal to those in the catalog.
func (e *Engine) reloadAccounts() error {
	o := e.Store.Catalog().Current().Object(privilegesKind, "", privilegesName)
	if o == nil {
		return nil
	}
	if !accounts.IsStored(o.Body) {
		set, err := earlier.Accounts(o.Body)
		if err != nil {
			return err
		}
		e.Accounts.Publish(set)
		return nil
	}
	set, err := accounts.Decode(o.Body)
	if err != nil {
		return err
	}
	e.Accounts.Publish(set)
	return nil
}

// Auth finds the account that a client with this user name and host gets. ok is
// false if there is none.
func (e *Engine) Auth(user, host string) (account.Login, bool) {
	return e.Accounts.Login(user, host, e.Globals)
}

// PasswordTried notes the outcome of an authentication, for max_password_errors.
func (e *Engine) PasswordTried(a account.Login, right bool) { e.Accounts.Use.PasswordTried(a, right) }

// RootHasPassword reports whether every account that may do everything needs a
// password, which listening on a public address asks for.
func (e *Engine) RootHasPassword() bool { return e.Accounts.RootHasPassword() }
