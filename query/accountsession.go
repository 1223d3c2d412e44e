package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
)

// accountSession is a session as package account sees it.
type accountSession struct{ s *Session }

var _ account.Session = accountSession{}

func accountsOf(s *Session) accountSession { return accountSession{s} }

// run runs a statement about accounts.
func (a accountSession) run(ctx context.Context, st dialect.Statement) (*adminRows, error) {
	listing, err := account.Run(ctx, a.s.engine.accounts, a, st)
	if err != nil || listing == nil {
		return nil, err
	}
	out := &adminRows{names: []string{listing.Title}}
	for _, line := range listing.Lines {
		out.rows = append(out.rows, []any{line})
	}
	return out, nil
}

// Identity implements account.Session.
func (a accountSession) Identity() *account.Identity { return &a.s.privs.Identity }

// Subject implements account.Session.
func (a accountSession) Subject() accounts.Subject { return a.s.privs.subject() }

// DB implements account.Session.
func (a accountSession) DB() string { return a.s.DB() }

// GrantCreates implements account.Session.
func (a accountSession) GrantCreates() bool {
	return !strings.Contains(a.s.vars.Str("sql_mode"), "NO_AUTO_CREATE_USER")
}

// HasTable implements account.Session.
func (a accountSession) HasTable(db, name string) bool {
	cat := a.s.engine.store.Catalog().Current()
	return cat.Table(db, name) != nil || cat.Object("view", db, name) != nil || systemTable(db, name) != nil
}

// HasProcedure implements account.Session.
func (a accountSession) HasProcedure(db, name string) bool {
	return a.s.engine.store.Catalog().Current().Object("procedure", db, name) != nil
}

// SHA2Hash implements account.Session.
func (a accountSession) SHA2Hash(password string) (string, error) {
	return accounts.SHA2Hash(password), nil
}

// Warn implements account.Session.
func (a accountSession) Warn(level string, number uint16, message string) {
	a.s.warn(&sql.Warning{Level: level, Code: int(number), Message: message})
}

// Change implements account.Session.
func (a accountSession) Change(ctx context.Context, logged dialect.Statement, change func(*accounts.Set) error) error {
	return a.change(ctx, dialect.Logged(logged, a.s.sqlModeLex), change)
}

func accountsChange(body []byte) catalog.Change {
	return catalog.Change{Objects: []catalog.ObjectDef{{Kind: privilegesKind, Name: privilegesName, Body: body}}}
}

// change changes the accounts in a transaction of its own, logged as text
// ("" for nothing to log).
func (a accountSession) change(ctx context.Context, text string, change func(*accounts.Set) error) error {
	s := a.s
	if err := s.engine.checkReadOnly(s, &syntax.Statement{Statement: statement.Statement{Kind: statement.Definition}}); err != nil {
		return err
	}
	if s.tabLocks != nil {
		return mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	}
	if err := s.readLock.mayChange(); err != nil {
		return err
	}
	if err := s.commitAll(ctx); err != nil {
		return err
	}
	if _, err := s.beginChange(ctx, text); err != nil {
		return err
	}
	err := s.engine.accounts.Change(ctx, change, func(set *accounts.Set) error {
		body, err := set.Encode()
		if err != nil {
			return fmt.Errorf("accounts: %w", err)
		}
		if err := s.ensureTxn().ChangeCatalog(accountsChange(body)); err != nil {
			return err
		}
		if text != "" {
			s.tx.SetDDL(s.queryEvent(text))
		}
		if err := s.commitAll(ctx); err != nil {
			return err
		}
		s.engine.accounts.Publish(set)
		return nil
	})
	if err != nil {
		s.rollbackAll() // it has the global lock, also if the change itself was refused
	}
	return err
}

var varMaxUserConnections = mustVar("max_user_connections")

// admit counts the session for its account's limits and sets what the account says of its
// sessions. An error means that the limits refuse the login. Sessions of the server itself are not counted.
func (a accountSession) admit(client bool) error {
	if !client {
		return nil
	}
	s := a.s
	v, _ := s.engine.globals.Get("max_user_connections")
	most, _ := v.(int64)
	found, err := s.engine.accounts.Admit(a.Identity(), most)
	if err != nil || found == nil {
		return err
	}
	s.counted = found.Name
	if found.Limits.UserConnections != 0 {
		s.vars.Store(varMaxUserConnections, found.Limits.UserConnections)
	}
	if found.Limits.StatementTime != 0 {
		s.vars.Store(varMaxExecTime, found.Limits.StatementTime)
	}
	return nil
}

// leave gives the session's place among its account's connections back.
func (a accountSession) leave() {
	if a.s.counted != (accounts.Name{}) {
		a.s.engine.accounts.Use.Disconnect(a.s.counted)
		a.s.counted = accounts.Name{}
	}
}

// checkAccount is asked before every statement of the client.
func (s *Session) checkAccount(text string) error {
	return s.engine.accounts.CheckStatement(&s.privs.Identity, text, s.sqlModeLex)
}

// may reports whether the session's user has one of some privileges on *.*.
func (s *Session) may(any privilege.Set) bool { return s.globalPrivileges()&any != 0 }

// require is may with MariaDB's error, which names the privilege.
func (s *Session) require(p privilege.Set) error {
	if s.may(p) {
		return nil
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, p.String())
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
	return s.require(privilege.ReplicationSlave)
}

// CanDebug checks the privilege for COM_DEBUG.
func (s *Session) CanDebug() error { return s.require(privilege.Super) }
