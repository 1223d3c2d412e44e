package account

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
)

// Store holds the accounts of a server. Readers take the set that counts; a change works on a copy of it.
type Store struct {
	Use Use

	set      atomic.Pointer[accounts.Set]
	changing chan struct{} // has the one token of whoever changes the set
}

// NewStore makes a store without accounts.
func NewStore() *Store {
	s := &Store{changing: make(chan struct{}, 1)}
	s.set.Store(accounts.New())
	return s
}

// Set is the accounts as they are now.
func (s *Store) Set() *accounts.Set { return s.set.Load() }

// Publish makes a set the one that counts.
func (s *Store) Publish(set *accounts.Set) {
	s.set.Store(set)
	s.Use.forget(set)
}

// Change changes a copy of the set and lets commit make it durable and publish it, one change at a time.
func (s *Store) Change(ctx context.Context, change, commit func(*accounts.Set) error) error {
	select {
	case s.changing <- struct{}{}:
		defer func() { <-s.changing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	set := s.Set().Clone()
	if err := change(set); err != nil {
		return err
	}
	return commit(set)
}

// Variables are the global system variables.
type Variables interface {
	On(name string) bool
	Uint(name string) uint64
}

// Login is what authentication needs to know of a user account.
type Login struct {
	User, Host string // as in mysql.user; Host may be a pattern
	// Plugin is "mysql_native_password", "caching_sha2_password" ...
	Plugin string
	// AuthString is the stored hash as that plugin writes it, "" for no password.
	AuthString string
	Locked     bool
	// Blocked says that there were too many wrong passwords (max_password_errors).
	Blocked bool
	// Expired says that the password must be changed; Disconnect, that clients which cannot
	// tell so to their users are refused (disconnect_on_expired_password).
	Expired, Disconnect bool
	// Require is "", SSL, X509 or SPECIFIED; with the last, Cipher, Issuer and Subject
	// must be the connection's where they are not "".
	Require, Cipher, Issuer, Subject string
}

// Login finds the account that a client with this user name and host gets. ok is
// false if there is none.
func (s *Store) Login(user, host string, v Variables) (l Login, ok bool) {
	a := s.Set().Login(user, accounts.ClientOf(host))
	if a == nil {
		return Login{}, false
	}
	l = Login{
		User: a.User, Host: a.Host, Plugin: a.Plugin, AuthString: a.Auth, Locked: a.Locked,
		Require: a.Require, Cipher: a.Cipher, Issuer: a.Issuer, Subject: a.Subject,
		Expired: a.PasswordExpired(time.Now(), v.Uint("default_password_lifetime")),
		Blocked: s.Use.blocked(a, host, v.Uint("max_password_errors")),
	}
	l.Disconnect = l.Expired && v.On("disconnect_on_expired_password")
	if l.Plugin == "" {
		l.Plugin = accounts.NativePassword
	}
	return l, true
}

// RootHasPassword reports whether every account that may do everything needs a
// password, which listening on a public address asks for.
func (s *Store) RootHasPassword() bool {
	for _, a := range s.Set().Accounts {
		if !a.Role && a.User == "root" && a.Auth == "" && !a.Locked {
			return false
		}
	}
	return true
}

// Admit counts a new connection for its account's limits, which may refuse it. It yields the account, nil for none; Use.Disconnect ends
// what it began. most is max_user_connections.
func (s *Store) Admit(id *Identity, most int64) (*accounts.Account, error) {
	set := s.Set()
	a := set.Find(id.Account)
	if a == nil {
		return nil, nil
	}
	return a, s.Use.connect(a, most, set.Global(id.Own()).Has(privilege.ConnectionAdmin))
}

// MakeRoot makes the account of a first start: root@localhost, which may do everything and has no password.
func MakeRoot(set *accounts.Set) error {
	a := newUser(accounts.Name{User: "root", Host: "localhost"})
	a.Global = privilege.All
	set.Add(a)
	return nil
}
