package query

import (
	"context"
	"crypto/sha1" // mysql_native_password is defined with it
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Users, roles and grants are an accounts.Set. Every change of it is a DDL statement
// whose transaction carries the whole set as one catalog object; a start loads that.
// go-mysql-server's MySQLDb is a mirror of it, for its own checks and tables.
const (
	privilegesKind = "privileges"
	privilegesName = "mysql"
)

// Account is what authentication needs to know of a user account.
type Account struct {
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

// userStore holds the accounts. Readers load set; a change holds the only token of
// write from its copy of the set to the end of its commit.
type userStore struct {
	engine *Engine
	set    atomic.Pointer[accounts.Set]
	write  chan struct{}
	used   accountUse
}

// Persist implements mysql_db.MySQLDbPersistence. The mirror is not changed by
// statements; what tries to (UPDATE mysql.user) is refused.
func (u *userStore) Persist(*sql.Context, []byte) error { return errSystemTable }

var errSystemTable = mysqlerr.New(mysqlerr.NotSupportedYet, "changing tables of database mysql (use CREATE USER, ALTER USER, GRANT and REVOKE)")

func accountsChange(data []byte) catalog.Change {
	return catalog.Change{Objects: []catalog.ObjectDef{{
		Kind: privilegesKind, Name: privilegesName, Body: append([]byte(nil), data...),
	}}}
}

// loadUsers reads the accounts from the catalog, or makes root on a first start.
func (e *Engine) loadUsers() error {
	db := e.gms.Analyzer.Catalog.MySQLDb
	e.users = &userStore{engine: e, write: make(chan struct{}, 1)}
	e.users.set.Store(accounts.New())
	db.SetPersister(e.users)
	db.SetEnabled(true)
	if e.store.Catalog().Current().Object(privilegesKind, "", privilegesName) != nil {
		return e.reloadUsers()
	}
	s, err := e.NewSession(ConnInfo{User: "root", Host: "localhost"})
	if err != nil {
		return err
	}
	defer s.Close()
	s.vars.Store(varSQLLogBin, int8(0)) // every server has its own root; replicas do not get ours
	return s.changeAccounts(context.Background(), "", func(set *accounts.Set) error {
		set.Add(&accounts.Account{
			Name: accounts.Name{User: "root", Host: "localhost"}, Global: privilege.All,
			Plugin: accounts.NativePassword, Lifetime: accounts.LifetimeDefault, Changed: time.Now().UTC().Truncate(time.Second),
		})
		return nil
	})
}

// reloadUsers makes the accounts in memory equal to those in the catalog.
func (e *Engine) reloadUsers() error {
	o := e.store.Catalog().Current().Object(privilegesKind, "", privilegesName)
	if o == nil {
		return nil
	}
	if !accounts.IsStored(o.Body) {
		set, err := e.earlierAccounts(o.Body)
		if err != nil {
			return err
		}
		return e.publish(set)
	}
	set, err := accounts.Decode(o.Body)
	if err != nil {
		return err
	}
	return e.publish(set)
}

// publish makes a set the one that counts.
func (e *Engine) publish(set *accounts.Set) error {
	e.users.set.Store(set)
	e.users.used.forget(set)
	return e.mirrorAccounts(set)
}

// changeAccounts changes the accounts in a transaction of its own, logged as text
// ("" for nothing to log).
func (s *Session) changeAccounts(ctx context.Context, text string, change func(*accounts.Set) error) error {
	if err := s.engine.checkReadOnly(s, &statement{kind: kindDDL}); err != nil {
		return err
	}
	if s.tabLocks != nil {
		return mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	}
	if err := s.passReadLock(ctx); err != nil {
		return err
	}
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	users := s.engine.users
	select {
	case users.write <- struct{}{}:
		defer func() { <-users.write }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	set := users.set.Load().Clone()
	if err := change(set); err != nil {
		return err
	}
	body, err := set.Encode()
	if err != nil {
		return fmt.Errorf("accounts: %w", err)
	}
	if err := s.ensureTxn().ChangeCatalog(accountsChange(body)); err != nil {
		s.rollbackAll()
		return err
	}
	if text != "" {
		s.tx.SetDDL(s.queryEvent(text))
	}
	if err := s.commitAll(ctx); err != nil {
		s.rollbackAll()
		return err
	}
	return s.engine.publish(set)
}

// accountSet is the accounts as they are now.
func (e *Engine) accountSet() *accounts.Set { return e.users.set.Load() }

// Auth finds the account that a client with this user name and host gets. ok is
// false if there is none.
func (e *Engine) Auth(user, host string) (Account, bool) {
	a := e.accountSet().Login(user, accounts.ClientOf(host))
	if a == nil {
		return Account{}, false
	}
	out := Account{
		User: a.User, Host: a.Host, Plugin: a.Plugin, AuthString: a.Auth, Locked: a.Locked,
		Require: a.Require, Cipher: a.Cipher, Issuer: a.Issuer, Subject: a.Subject,
		Expired: a.PasswordExpired(time.Now(), e.globals.Uint("default_password_lifetime")),
		Blocked: e.users.used.blocked(a, host, e.globals.Uint("max_password_errors")),
	}
	out.Disconnect = out.Expired && e.globals.On("disconnect_on_expired_password")
	if out.Plugin == "" {
		out.Plugin = accounts.NativePassword
	}
	return out, true
}

// PasswordTried notes the outcome of an authentication, for max_password_errors.
func (e *Engine) PasswordTried(a Account, right bool) { e.users.used.password(a, right) }

// RootHasPassword reports whether every account that may do everything needs a
// password, which listening on a public address asks for.
func (e *Engine) RootHasPassword() bool {
	for _, a := range e.accountSet().Accounts {
		if !a.Role && a.User == "root" && a.Auth == "" && !a.Locked {
			return false
		}
	}
	return true
}

// nativeHash is PASSWORD(text): the hash of mysql_native_password.
func nativeHash(password string) string {
	if password == "" {
		return ""
	}
	one := sha1.Sum([]byte(password)) // as above
	two := sha1.Sum(one[:])           // as above
	return "*" + strings.ToUpper(hex.EncodeToString(two[:]))
}

// may reports whether the session's user has one of the static privileges, or
// the dynamic one (MariaDB's name, "BINLOG MONITOR"), on everything.
func (s *Session) may(_ context.Context, dynamic string, static ...sql.PrivilegeType) bool {
	have := s.engine.accountSet().Global(s.subject())
	if p, ok := privilege.Named(strings.ToUpper(dynamic)); ok && p != 0 && have.Has(p) {
		return true
	}
	for _, p := range static {
		if one := privOf(p); one != 0 && have.Has(one) {
			return true
		}
	}
	return false
}

// require is may with MariaDB's error.
func (s *Session) require(ctx context.Context, dynamic string, static ...sql.PrivilegeType) error {
	if s.may(ctx, dynamic, static...) {
		return nil
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, dynamic)
}

// CanRegister is CanReplicate for COM_REGISTER_SLAVE.
func (s *Session) CanRegister() error {
	if s.CanReplicate() != nil {
		return mysqlerr.New(mysqlerr.AccessDenied, s.info.User, s.info.Host, s.passwordWord())
	}
	return nil
}

// CanReplicate checks the privilege that a replica's account needs (COM_BINLOG_DUMP).
func (s *Session) CanReplicate() error {
	return s.require(context.Background(), "REPLICATION SLAVE")
}

// CanDebug checks the privilege for COM_DEBUG.
func (s *Session) CanDebug() error { return s.require(context.Background(), "SUPER") }

// earlierAccounts reads what servers before accounts.Set stored: go-mysql-server's own form.
// Their roles counted without SET ROLE; now they count when they are set.
func (e *Engine) earlierAccounts(body []byte) (*accounts.Set, error) {
	db := e.gms.Analyzer.Catalog.MySQLDb
	err := func() error {
		ed := db.Editor()
		defer ed.Close()
		return db.OverwriteUsersAndGrantData(sql.NewEmptyContext(), ed, body)
	}()
	if err != nil {
		return nil, err
	}
	rd := db.Reader()
	defer rd.Close()
	set := accounts.New()
	rd.VisitUsers(func(u *mysql_db.User) { addEarlier(set, u) })
	// go-mysql-server does not read who may give a role to others.
	all := serial.GetRootAsMySQLDb(body, 0)
	for i := range all.RoleEdgesLength() {
		var r serial.RoleEdge
		all.RoleEdges(&r, i)
		to := accounts.Name{User: string(r.ToUser()), Host: string(r.ToHost())}
		if a := set.Find(accounts.Name{User: to.User}); a != nil && a.Role {
			to = a.Name
		}
		set.GrantRole(to, string(r.FromUser()), r.WithAdminOption())
	}
	for _, a := range set.Accounts {
		if a.Role {
			set.GrantRole(accounts.Name{User: "root", Host: "localhost"}, a.User, true)
		}
	}
	return set, nil
}
