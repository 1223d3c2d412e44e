package query

import (
	"context"
	"crypto/sha1" //nolint:gosec // mysql_native_password is defined with it
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Users, roles and grants live in go-mysql-server's MySQLDb, in memory. Every
// change of them is a DDL statement whose transaction carries the whole of MySQLDb
// as one catalog object; a start loads that.
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
}

// userStore implements mysql_db.MySQLDbPersistence.
type userStore struct{ engine *Engine }

// Persist puts the accounts into the transaction of the statement that changed
// them. go-mysql-server calls it with its editor locked.
func (u *userStore) Persist(ctx *sql.Context, data []byte) error {
	s := sessionOf(ctx)
	if s == nil {
		return fmt.Errorf("accounts changed outside of a session")
	}
	return s.ensureTxn().ChangeCatalog(accountsChange(data))
}

func accountsChange(data []byte) catalog.Change {
	return catalog.Change{Objects: []catalog.ObjectDef{{
		Kind: privilegesKind, Name: privilegesName, Body: append([]byte(nil), data...),
	}}}
}

// loadUsers reads the accounts from the catalog, or makes root on a first start.
func (e *Engine) loadUsers() error {
	db := e.gms.Analyzer.Catalog.MySQLDb
	e.users = &userStore{engine: e}
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
	c := s.newContext(context.Background(), "")
	ed := db.Editor()
	db.AddSuperUser(ed, "root", "localhost", "")
	err = db.Persist(c, ed)
	ed.Close()
	if err != nil {
		return err
	}
	return s.commitAll(context.Background())
}

// reloadUsers makes the accounts in memory equal to those in the catalog.
func (e *Engine) reloadUsers() error {
	o := e.store.Catalog().Current().Object(privilegesKind, "", privilegesName)
	if o == nil {
		return nil
	}
	db := e.gms.Analyzer.Catalog.MySQLDb
	ed := db.Editor()
	defer ed.Close()
	return db.OverwriteUsersAndGrantData(sql.NewEmptyContext(), ed, o.Body)
}

// changeAccount changes one account, as a statement that is logged as text.
func (s *Session) changeAccount(ctx context.Context, user, host, text string, change func(*mysql_db.User)) error {
	if s.tabLocks != nil {
		return mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	}
	if err := s.passReadLock(ctx); err != nil {
		return err
	}
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	db := s.engine.gms.Analyzer.Catalog.MySQLDb
	err := func() error {
		ed := db.Editor()
		defer ed.Close()
		u, ok := ed.GetUser(mysql_db.UserPrimaryKey{Host: host, User: user})
		if !ok {
			return mysqlerr.New(mysqlerr.CannotUser, "ALTER USER", "'"+user+"'@'"+host+"'")
		}
		own := *u
		change(&own)
		ed.RemoveUser(mysql_db.UserPrimaryKey{Host: host, User: user})
		ed.PutUser(&own)
		return db.Persist(s.newContext(ctx, text), ed)
	}()
	if err == nil {
		s.tx.SetDDL(s.queryEvent(text))
		err = s.commitAll(ctx)
	}
	if err != nil {
		s.rollbackAll()
		return errors.Join(err, s.engine.reloadUsers())
	}
	return nil
}

// Auth finds the account that a client with this user name and host gets. ok is
// false if there is none.
func (e *Engine) Auth(user, host string) (Account, bool) {
	db := e.gms.Analyzer.Catalog.MySQLDb
	rd := db.Reader()
	defer rd.Close()
	u := db.GetUser(rd, user, host, false)
	if u == nil || u.User == "" && user != "" && u.Locked {
		return Account{}, false
	}
	return accountOf(u), true
}

func accountOf(u *mysql_db.User) Account {
	a := Account{User: u.User, Host: u.Host, Plugin: u.Plugin, AuthString: u.AuthString, Locked: u.Locked}
	if a.Plugin == "" {
		a.Plugin = "mysql_native_password"
	}
	return a
}

// RootHasPassword reports whether every account that may do everything needs a
// password, which listening on a public address asks for.
func (e *Engine) RootHasPassword() bool {
	rd := e.gms.Analyzer.Catalog.MySQLDb.Reader()
	defer rd.Close()
	safe := true
	rd.VisitUsers(func(u *mysql_db.User) {
		if u.User == "root" && u.AuthString == "" && !u.Locked {
			safe = false
		}
	})
	return safe
}

// nativeHash is PASSWORD(text): the hash of mysql_native_password.
func nativeHash(password string) string {
	if password == "" {
		return ""
	}
	one := sha1.Sum([]byte(password)) //nolint:gosec // as above
	two := sha1.Sum(one[:])           //nolint:gosec // as above
	return "*" + strings.ToUpper(hex.EncodeToString(two[:]))
}

// may reports whether the session's user has one of the static privileges, or
// the dynamic one (MariaDB's name, "BINLOG MONITOR").
func (s *Session) may(ctx context.Context, dynamic string, static ...sql.PrivilegeType) bool {
	db := s.engine.gms.Analyzer.Catalog.MySQLDb
	if !db.Enabled() {
		return true
	}
	have := s.newAccess(s.newContext(ctx, "")).global
	for _, p := range static {
		if have&ours(func(asked ...sql.PrivilegeType) bool { return asked[0] == p }) != 0 {
			return true
		}
	}
	p, ok := privilege.Named(dynamic)
	return ok && have&p != 0
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
