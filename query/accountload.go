package query

import (
	"context"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/gms/earlier"
	"github.com/duramendb/duramen/query/session"
)

// loadAccounts reads the accounts from the catalog, or makes root on a first start. Whoever makes a directory of another server's files is root, too,
// whatever accounts these have: they stay as they are.
func (e *Engine) loadAccounts() error {
	if body := session.StoredAccounts(e.Store); body != nil {
		if e.cfg.Unfinished {
			set := &accounts.Set{}
			if err := account.MakeRoot(set); err != nil {
				return err
			}
			e.Accounts.Publish(set)
			return nil
		}
		return e.readAccounts(body)
	}
	s, err := e.NewSession(session.ConnInfo{User: "root", Host: "localhost"})
	if err != nil {
		return err
	}
	defer s.Close()
	return session.MakeRoot(context.Background(), s.Session)
}

// readAccounts makes the accounts in memory equal to those that are stored.
func (e *Engine) readAccounts(body []byte) error {
	read := accounts.Decode
	if !accounts.IsStored(body) {
		read = earlier.Accounts
	}
	set, err := read(body)
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
