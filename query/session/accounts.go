package session

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
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/store"
)

// Accounts is a session as package account sees it.
type Accounts struct{ s *Session }

var _ account.Session = Accounts{}

// AccountsOf is the session as package account sees it.
func AccountsOf(s *Session) Accounts { return Accounts{s} }

// Identity implements account.Session.
func (a Accounts) Identity() *account.Identity { return &a.s.Authority.Identity }

// Subject implements account.Session.
func (a Accounts) Subject() accounts.Subject { return a.s.Authority.Subject() }

// DB implements account.Session.
func (a Accounts) DB() string { return a.s.DB() }

// GrantCreates implements account.Session.
func (a Accounts) GrantCreates() bool {
	return !strings.Contains(a.s.Vars.Str("sql_mode"), "NO_AUTO_CREATE_USER")
}

// HasTable implements account.Session.
func (a Accounts) HasTable(db, name string) bool {
	cat := a.s.Server.Store.Catalog().Current()
	return cat.Table(db, name) != nil || cat.Object("view", db, name) != nil || a.s.Server.SQL.SystemTable(db, name)
}

// Columns implements account.Session.
func (a Accounts) Columns(db, name string) []string { return Columns(a.s, db, name) }

// Columns are the names of a table's columns, nil if there is no such table. Views are none.
func Columns(s *Session, db, table string) []string {
	tbl := s.Server.Store.Catalog().Current().Table(db, table)
	if tbl == nil {
		return nil
	}
	out := make([]string, len(tbl.Def.Columns))
	for i := range tbl.Def.Columns {
		out[i] = tbl.Def.Columns[i].Name
	}
	return out
}

// HasProcedure implements account.Session.
func (a Accounts) HasProcedure(db, name string) bool {
	return a.s.Server.Store.Catalog().Current().Object("procedure", db, name) != nil
}

// SHA2Hash implements account.Session.
func (a Accounts) SHA2Hash(password string) (string, error) {
	return accounts.SHA2Hash(password), nil
}

// Warn implements account.Session.
func (a Accounts) Warn(level string, number uint16, message string) {
	a.s.Warn(level, number, message)
}

// Change implements account.Session.
func (a Accounts) Change(ctx context.Context, logged dialect.Statement, change func(*accounts.Set) error) error {
	return a.change(ctx, dialect.Logged(logged, a.s.LexMode), change)
}

func accountsChange(body []byte) catalog.Change {
	return catalog.Change{Objects: []catalog.ObjectDef{{Kind: privilegesKind, Name: privilegesName, Body: body}}}
}

// change changes the accounts in a transaction of its own, logged as text
// ("" for nothing to log).
func (a Accounts) change(ctx context.Context, text string, change func(*accounts.Set) error) error {
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
	err := s.Server.Accounts.Change(ctx, change, func(set *accounts.Set) error {
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
		s.Server.Accounts.Publish(set)
		return nil
	})
	if err != nil {
		s.RollbackAll() // it has the global lock, also if the change itself was refused
	}
	return err
}

var varMaxUserConnections = MustVar("max_user_connections")

// Admit counts the session for its account's limits and sets what the account says of its
// sessions. An error means that the limits refuse the login. Sessions of the server itself are not counted.
func (a Accounts) Admit(client bool) error {
	if !client {
		return nil
	}
	s := a.s
	v, _ := s.Server.Globals.Get("max_user_connections")
	most, _ := v.(int64)
	found, err := s.Server.Accounts.Admit(a.Identity(), most)
	if err != nil || found == nil {
		return err
	}
	s.Counted = found.Name
	if found.Limits.UserConnections != 0 {
		s.Vars.Store(varMaxUserConnections, found.Limits.UserConnections)
	}
	if found.Limits.StatementTime != 0 {
		s.Vars.Store(VarMaxExecTime, found.Limits.StatementTime)
	}
	return nil
}

// Leave gives the session's place among its account's connections back.
func (a Accounts) Leave() {
	if a.s.Counted != (accounts.Name{}) {
		a.s.Server.Accounts.Use.Disconnect(a.s.Counted)
		a.s.Counted = accounts.Name{}
	}
}

// CheckDefiner checks the account that is named as the definer of something; "" is none.
func (a Accounts) CheckDefiner(definer string) error {
	if definer == "" {
		return nil
	}
	note, err := account.CheckDefiner(a.s.Server.Accounts.Set(), a.Subject(), definer)
	if note != nil {
		a.Warn("Note", note.Number, note.Message)
	}
	return err
}

// RoutineMade and routineDropped are what automatic_sp_privileges means: who makes a procedure may run and change it, and
// what was granted on one goes when it is dropped. Replicas do the same by themselves, so nothing of it is logged.
func (a Accounts) RoutineMade(ctx context.Context, db, name string) error {
	const own = privilege.Execute | privilege.AlterRoutine
	set, sub := a.s.Server.Accounts.Set(), a.Subject()
	sub.System = false // a replica does it for whom it was done on the primary
	if s := a.s; s.Replicated != nil && set.Find(sub.Account) == nil {
		return nil
	}
	if (set.Global(sub) | set.DB(sub, db) | set.Routine(sub, db, name, false)).Has(own) {
		return nil
	}
	return a.changeUnlogged(ctx, func(set *accounts.Set) error {
		if to := set.Find(sub.Account); to != nil {
			set.GrantRoutine(to.Name, db, name, false, own)
		}
		return nil
	})
}

// RoutineDropped is described at routineMade.
func (a Accounts) RoutineDropped(ctx context.Context, db, name string) error {
	if !a.s.Server.Accounts.Set().Clone().DropRoutine(db, name, false) {
		return nil
	}
	return a.changeUnlogged(ctx, func(set *accounts.Set) error {
		set.DropRoutine(db, name, false)
		return nil
	})
}

func (a Accounts) changeUnlogged(ctx context.Context, change func(*accounts.Set) error) error {
	vars := a.s.Vars
	logged := vars.Value(VarSQLLogBin)
	vars.Store(VarSQLLogBin, int8(0))
	defer vars.Store(VarSQLLogBin, logged)
	return a.change(ctx, "", change)
}

// View is what the tables that show accounts have for the
func (a Accounts) View(version string) account.View {
	return account.View{Set: a.s.Server.Accounts.Set(), Subject: a.Subject(), Version: versionID(version)}
}

// versionID is a version as MariaDB numbers it: 101114 for 10.11.14.
func versionID(version string) int {
	var major, minor, patch int
	_, _ = fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch) // 0 for what is not there
	return major*10000 + minor*100 + patch
}

// StoredAccounts are the accounts as the catalog has them; nil on a first start.
func StoredAccounts(in *store.Store) []byte {
	if o := in.Catalog().Current().Object(privilegesKind, "", privilegesName); o != nil {
		return o.Body
	}
	return nil
}

// MakeRoot makes the account of a first start. Every server has its own root: replicas do not get ours.
func MakeRoot(ctx context.Context, s *Session) error {
	return AccountsOf(s).changeUnlogged(ctx, account.MakeRoot)
}

// Users, roles and grants are an accounts.Set. Every change of it is a DDL statement
// whose transaction carries the whole set as one catalog object; a start loads that.
const (
	privilegesKind = "privileges"
	privilegesName = "mysql"
)
