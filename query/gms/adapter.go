package gms

import (
	"context"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/loaddata"
	"github.com/duramendb/duramen/query/gms/semantics"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/txn"
)

// adapter is the session as go-mysql-server sees it while one statement runs: what it asks of its session is
// answered by ours, or for this statement.
type adapter struct {
	*sql.BaseSession
	s   *Session
	now *running
}

var (
	_ sql.TransactionSession = (*adapter)(nil)
	_ tables.Session         = (*adapter)(nil)
	_ loaddata.Session       = (*adapter)(nil)
	_ compare.Session        = (*adapter)(nil)
)

// seenBy is the session for the contexts of one statement.
func (s *Session) seenBy(now *running) *adapter {
	return &adapter{BaseSession: s.base, s: s, now: now}
}

// SQLContext makes a context of go-mysql-server for a command of the session, for its own test suite.
func (s *Session) SQLContext(ctx context.Context) *sql.Context { return s.newContext(ctx, "") }

// SessionOf is the session that a context of go-mysql-server belongs to; nil if it is none of ours.
func SessionOf(c *sql.Context) *Session { return sessionOf(c) }

// GetCurrentDatabase implements sql.Session.
func (g *adapter) GetCurrentDatabase() string { return g.s.DB() }

// TakeInsertID implements tables.Session.
func (g *adapter) TakeInsertID() uint64 { return g.s.InsertID.Take(g.s.Vars) }

// SetCurrentDatabase implements sql.Session; go-mysql-server calls it for USE.
func (g *adapter) SetCurrentDatabase(name string) { g.s.SetDB(name) }

// Caches of go-mysql-server that would grow without bound in its BaseSession are
// kept off: CacheQuery is for trigger bodies, which the parse cache holds.

// CacheQuery implements sql.Session.
func (g *adapter) CacheQuery(query string, stmt sqlparser.Statement) {
	g.s.parsed.putTrigger(query, stmt)
}

// GetCachedQuery implements sql.Session.
func (g *adapter) GetCachedQuery(query string) (sqlparser.Statement, bool) {
	return g.s.parsed.trigger(query)
}

// Originator is where the statements of the session come from, see tables.Event.
func (g *adapter) Originator() (server uint64, replicated bool) {
	if r := g.s.Replicated; r != nil {
		return uint64(r.GTID.Server), true
	}
	return g.s.engine.Globals.Uint("server_id"), false
}

// Warn implements sql.Session. go-mysql-server words and ranks some warnings
// differently, and makes some that MariaDB has not.
func (g *adapter) Warn(w *sql.Warning) {
	if strings.HasPrefix(w.Message, "Setting CHARACTER SET, COLLATION") || strings.HasPrefix(w.Message, "DISABLE ON SLAVE") {
		return // of a database, of an event: they are supported
	}
	if !g.s.noteStrict(g.now, w) {
		return
	}
	switch {
	case g.s.Authority.InTrigger(): // what a trigger warns of ends with it
		return
	case w.Code == 1831: // duplicate index: reported for any two indexes of one length
		return
	case w.Code == int(mysqlerr.BadTable) && g.now.st != nil:
		name, ok := g.s.unknownTable(g.now.st, w.Message)
		if !ok {
			break
		}
		if !g.s.Warnings.Join(mysqlerr.BadTable, name) {
			g.s.Warn(w.Level, mysqlerr.BadTable, mysqlerr.New(mysqlerr.BadTable, name).Message)
		}
		return
	case w.Code == int(mysqlerr.DBDropExists) || w.Code == int(mysqlerr.DBCreateExists):
		own := *w
		own.Message = databaseNote(g.now.st, w)
		w = &own
	case w.Level == "Note" && w.Code != int(mysqlerr.DataTruncated) && g.now.writes():
		own := *w
		own.Level = "Warning"
		if d := g.now.attempt.Duplicate; w.Code == int(mysqlerr.DupEntry) && d.Key != "" {
			own.Message = mysqlerr.Duplicate(d.Entry, d.Key).Message
		}
		w = &own
	}
	g.s.Warn(w.Level, uint16(w.Code), w.Message)
}

// Warnings implements sql.Session: the newest first.
func (g *adapter) Warnings() []*sql.Warning {
	all := g.s.Warnings.All()
	out := make([]*sql.Warning, len(all))
	for i, w := range all {
		out[len(out)-1-i] = &sql.Warning{Level: w.Level, Code: int(w.Number), Message: w.Message}
	}
	return out
}

// ClearWarnings implements sql.Session.
func (g *adapter) ClearWarnings() { g.s.Warnings.Clear() }

// WarningCount implements sql.Session.
func (g *adapter) WarningCount() uint16 { return g.s.Warnings.Count() }

// Txn implements tables.Session.
func (g *adapter) Txn(*sql.Context) (*txn.Txn, error) { return g.s.EnsureTxn(), nil }

// Temporary implements tables.Session.
func (g *adapter) Temporary() *tables.TempTables { return &g.s.tables }

// Statement implements tables.Session.
func (g *adapter) Statement() *tables.Statement { return g.now.attempt }

// Access implements tables.Session: how the running statement reads a table.
func (g *adapter) Access(db, table string) tables.Access {
	if g.now.st == nil {
		return tables.Access{Mode: txn.Snapshot}
	}
	return g.accessFor(g.now.access(g.GetCurrentDatabase(), db, table))
}

// accessFor is how rows are read that the statement wants like this.
func (g *adapter) accessFor(strength statement.Strength, wait statement.Wait) tables.Access {
	if strength == statement.Snapshot && g.s.Serializable() {
		strength = statement.Shared
	}
	return tables.Access{Mode: readMode(strength), Wait: waitPolicy(wait)}
}

// Meaning implements tables.Session: an expression gets the meaning that it has in MariaDB.
func (g *adapter) Meaning(c *sql.Context, e sql.Expression) (sql.Expression, error) {
	return semantics.Expression(c, e)
}

// KeepMemory implements tables.Session.
func (g *adapter) KeepMemory(n int64) error { return g.s.KeepMemory(n) }

// Memory implements function.Session.
func (g *adapter) Memory() *memory.Session { return &g.s.Memory }

// Storing implements function.Session.
func (g *adapter) Storing() (stores, ignore bool) { return g.now.storing() }

// OpenLoaded implements loaddata.Session.
func (g *adapter) OpenLoaded(ctx context.Context, name string) (io.ReadCloser, error) {
	return g.s.loadInfile(ctx, g.now, name)
}

// NoteLoaded implements loaddata.Session.
func (g *adapter) NoteLoaded(rows uint64) { g.now.loaded = rows }

// AccountName implements tables.Session: it is the account that the session's user matched; new views, triggers and routines
// belong to it.
func (g *adapter) AccountName() string { return g.s.AccountName() }

// ReadsView implements tables.Definers.
func (g *adapter) ReadsView(create string) { g.s.readsView(create) }

// TriggerText implements tables.Definers.
func (g *adapter) TriggerText(db, create, mode string) string {
	if !g.now.writes() {
		return unordered(create, mode)
	}
	return g.s.definers.triggerText(db, create, mode)
}

// GetPrivilegeSet implements sql.Session.
func (g *adapter) GetPrivilegeSet() (sql.PrivilegeSet, uint64) {
	return g.s.definers.set, 1
}

// SetPrivilegeSet implements sql.Session.
func (g *adapter) SetPrivilegeSet(given sql.PrivilegeSet, _ uint64) {
	g.s.gives(given)
}

// SetUserVariable implements sql.Session.
func (g *adapter) SetUserVariable(c *sql.Context, name string, value any, typ sql.Type) error {
	return g.s.setUserVariable(c, name, value, typ)
}

// SysVars implements sysvar.Holder.
func (g *adapter) SysVars() *sysvar.Session { return g.s.Vars }

// GetCharacterSet implements sql.Session.
func (g *adapter) GetCharacterSet() sql.CharacterSetID { return g.s.charset.connection }

// GetCharacterSetResults implements sql.Session.
func (g *adapter) GetCharacterSetResults() sql.CharacterSetID { return g.s.charset.results }

// GetCollation implements sql.Session.
func (g *adapter) GetCollation() sql.CollationID { return g.s.charset.collation }

// GetSessionVariable implements sql.Session.
func (g *adapter) GetSessionVariable(_ *sql.Context, name string) (any, error) {
	if g.now.noMergeJoins && strings.EqualFold(name, sql.DisableMergeJoin) {
		return int8(1), nil
	}
	if len(name) == len("sql_mode") && strings.EqualFold(name, "sql_mode") {
		return g.s.sqlMode, nil
	}
	v, ok := g.s.Vars.Get(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	return v, nil
}

// GetSessionVariableDefault implements sql.Session.
func (g *adapter) GetSessionVariableDefault(_ *sql.Context, name string) (any, error) {
	v, ok := g.s.Vars.Default(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	return v, nil
}

// NoMergeJoins implements compare.Session.
func (g *adapter) NoMergeJoins() { g.now.noMergeJoins = true }

// TriggerRow implements column.TriggerSession.
func (g *adapter) TriggerRow() sql.Node { return g.now.triggerRow }

// InTrigger implements column.TriggerSession.
func (g *adapter) InTrigger(row sql.Node) (back func()) {
	outer := g.now.triggerRow
	g.now.triggerRow = row
	return func() { g.now.triggerRow = outer }
}

// SetSessionVariable implements sql.Session.
func (g *adapter) SetSessionVariable(c *sql.Context, name string, v any) error {
	return g.s.Vars.Set(c, name, v)
}

// InitSessionVariable implements sql.Session.
func (g *adapter) InitSessionVariable(c *sql.Context, name string, v any) error {
	return g.s.Vars.Set(c, name, v)
}

// InitSessionVariableDefault implements sql.Session.
func (g *adapter) InitSessionVariableDefault(c *sql.Context, name string, v any) error {
	return g.s.Vars.Set(c, name, v)
}

// GetAllSessionVariables implements sql.Session.
func (g *adapter) GetAllSessionVariables() map[string]any {
	out := map[string]any{}
	for _, d := range sysvar.All() {
		out[d.Name] = g.s.Vars.Value(d)
	}
	return out
}

// GetIgnoreAutoCommit implements sql.Session: go-mysql-server never commits by
// itself, the session does at the end of its statements.
func (g *adapter) GetIgnoreAutoCommit() bool { return true }

// SetIgnoreAutoCommit implements sql.Session.
func (g *adapter) SetIgnoreAutoCommit(bool) {}

// GetTransaction implements sql.Session. go-mysql-server only asks whether there
// is one; the session begins the real one at need.
func (g *adapter) GetTransaction() sql.Transaction {
	return transaction{readOnly: g.s.ReadOnlyTransaction()}
}

// SetTransaction implements sql.Session.
func (g *adapter) SetTransaction(sql.Transaction) {}

// The methods of sql.TransactionSession are called for transaction control inside
// stored procedures; on the top level the session deals with it before
// go-mysql-server sees it.

// StartTransaction implements sql.TransactionSession.
func (g *adapter) StartTransaction(c *sql.Context, tc sql.TransactionCharacteristic) (sql.Transaction, error) {
	chars := session.NextTransaction{}
	if tc == sql.ReadOnly {
		chars.ReadOnly, chars.HasAccess = true, true
	}
	if err := g.s.StartTransaction(c, chars, false); err != nil {
		return nil, err
	}
	return transaction{readOnly: chars.ReadOnly}, nil
}

// CommitTransaction implements sql.TransactionSession. go-mysql-server also calls
// it at the end of DDL, in routines as well, where the session commits itself, with the statement for replicas.
func (g *adapter) CommitTransaction(c *sql.Context, _ sql.Transaction) error {
	if g.now.depth == 0 || g.now.st != nil && g.now.st.Kind == statement.Definition {
		return nil
	}
	return g.s.CommitAll(c)
}

// Rollback implements sql.TransactionSession.
func (g *adapter) Rollback(*sql.Context, sql.Transaction) error {
	g.s.RollbackAll()
	return nil
}

// CreateSavepoint implements sql.TransactionSession.
func (g *adapter) CreateSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	return g.s.CreateSavepoint(name)
}

// RollbackToSavepoint implements sql.TransactionSession.
func (g *adapter) RollbackToSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	return g.s.RollbackToSavepoint(name)
}

// ReleaseSavepoint implements sql.TransactionSession.
func (g *adapter) ReleaseSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	return g.s.ReleaseSavepoint(name)
}

// transaction is go-mysql-server's handle of the session's transaction.
type transaction struct{ readOnly bool }

// String implements sql.Transaction.
func (transaction) String() string { return "transaction" }

// IsReadOnly implements sql.Transaction.
func (t transaction) IsReadOnly() bool { return t.readOnly }
