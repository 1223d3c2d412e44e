package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// accountSession is a session as package account sees it.
type accountSession struct{ s *Session }

var _ account.Session = accountSession{}

func accountsOf(s *Session) accountSession { return accountSession{s} }

// run runs a statement about accounts.
func (a accountSession) run(ctx context.Context, st dialect.Statement) (*adminRows, error) {
	listing, err := account.Run(ctx, a.s.engine.Accounts, a, st)
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
func (a accountSession) Identity() *account.Identity { return &a.s.Authority.Identity }

// Subject implements account.Session.
func (a accountSession) Subject() accounts.Subject { return a.s.Authority.Subject() }

// DB implements account.Session.
func (a accountSession) DB() string { return a.s.DB() }

// GrantCreates implements account.Session.
func (a accountSession) GrantCreates() bool {
	return !strings.Contains(a.s.Vars.Str("sql_mode"), "NO_AUTO_CREATE_USER")
}

// HasTable implements account.Session.
func (a accountSession) HasTable(db, name string) bool {
	cat := a.s.engine.Store.Catalog().Current()
	return cat.Table(db, name) != nil || cat.Object("view", db, name) != nil || systemTable(db, name) != nil
}

// HasProcedure implements account.Session.
func (a accountSession) HasProcedure(db, name string) bool {
	return a.s.engine.Store.Catalog().Current().Object("procedure", db, name) != nil
}

// SHA2Hash implements account.Session.
func (a accountSession) SHA2Hash(password string) (string, error) {
	return accounts.SHA2Hash(password), nil
}

// Warn implements account.Session.
func (a accountSession) Warn(level string, number uint16, message string) {
	a.s.Warn(level, number, message)
}

// Change implements account.Session.
func (a accountSession) Change(ctx context.Context, logged dialect.Statement, change func(*accounts.Set) error) error {
	return a.change(ctx, dialect.Logged(logged, a.s.LexMode), change)
}

func accountsChange(body []byte) catalog.Change {
	return catalog.Change{Objects: []catalog.ObjectDef{{Kind: privilegesKind, Name: privilegesName, Body: body}}}
}

// change changes the accounts in a transaction of its own, logged as text
// ("" for nothing to log).
func (a accountSession) change(ctx context.Context, text string, change func(*accounts.Set) error) error {
	s := a.s
	if err := s.CheckReadOnly(&statement.Statement{Kind: statement.Definition}); err != nil {
		return err
	}
	if s.Confined() {
		return mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	}
	if err := s.ReadLock.MayChange(); err != nil {
		return err
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	if _, err := s.BeginChange(ctx, text); err != nil {
		return err
	}
	err := s.engine.Accounts.Change(ctx, change, func(set *accounts.Set) error {
		body, err := set.Encode()
		if err != nil {
			return fmt.Errorf("accounts: %w", err)
		}
		if err := s.EnsureTxn().ChangeCatalog(accountsChange(body)); err != nil {
			return err
		}
		if text != "" {
			s.Tx.SetDDL(s.QueryEvent(text))
		}
		if err := s.CommitAll(ctx); err != nil {
			return err
		}
		s.engine.Accounts.Publish(set)
		return nil
	})
	if err != nil {
		s.RollbackAll() // it has the global lock, also if the change itself was refused
	}
	return err
}

var varMaxUserConnections = session.MustVar("max_user_connections")

// admit counts the session for its account's limits and sets what the account says of its
// sessions. An error means that the limits refuse the login. Sessions of the server itself are not counted.
func (a accountSession) admit(client bool) error {
	if !client {
		return nil
	}
	s := a.s
	v, _ := s.engine.Globals.Get("max_user_connections")
	most, _ := v.(int64)
	found, err := s.engine.Accounts.Admit(a.Identity(), most)
	if err != nil || found == nil {
		return err
	}
	s.Counted = found.Name
	if found.Limits.UserConnections != 0 {
		s.Vars.Store(varMaxUserConnections, found.Limits.UserConnections)
	}
	if found.Limits.StatementTime != 0 {
		s.Vars.Store(session.VarMaxExecTime, found.Limits.StatementTime)
	}
	return nil
}

// leave gives the session's place among its account's connections back.
func (a accountSession) leave() {
	if a.s.Counted != (accounts.Name{}) {
		a.s.engine.Accounts.Use.Disconnect(a.s.Counted)
		a.s.Counted = accounts.Name{}
	}
}

// checkAccount is asked before every statement of the client.
func (s *Session) checkAccount(text string) error {
	return s.engine.Accounts.CheckStatement(&s.Authority.Identity, text, s.LexMode)
}

// CanRegister is CanReplicate for COM_REGISTER_SLAVE.
func (s *Session) CanRegister() error {
	if s.CanReplicate() != nil {
		return mysqlerr.New(mysqlerr.AccessDenied, s.Info.User, s.Info.Host, s.passwordWord())
	}
	return nil
}

// CanReplicate checks the privilege that a replica's account needs (COM_BINLOG_DUMP).
func (s *Session) CanReplicate() error {
	return s.Require(privilege.ReplicationSlave)
}

// CanDebug checks the privilege for COM_DEBUG.
func (s *Session) CanDebug() error { return s.Require(privilege.Super) }
