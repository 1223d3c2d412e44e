package enginetest

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/tables"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// session drives our transactions as go-mysql-server's engine asks for it. It
// stands where package query stands in the server, so that the suite finds
// exactly the engine that it was written for, over our storage.
//
// The engine calls ValidateSession when a statement begins, and statements (the
// builder below) tells how it ended.
type session struct {
	*sql.BaseSession
	st   *store.Store
	tx   *txn.Txn
	temp tables.TempTables
	// cursors are those that the engine has open; see txn.CursorSet.
	cursors txn.CursorSet

	running *tables.Statement // state of the running statement; never nil
	text    string
	open    bool // the transaction has an open statement
	root    bool // the next node that is built is the root of the statement
	inside  int  // depth of root iterators that are open
	writes  bool // the running statement is no plain query

	validated func() // counts calls of ValidateSession
	globals   map[string]any
}

var (
	_ tables.Session         = (*session)(nil)
	_ sql.TransactionSession = (*session)(nil)
	_ sql.PersistableSession = (*session)(nil)
)

func newSession(base *sql.BaseSession, st *store.Store) *session {
	return &session{BaseSession: base, st: st, running: &tables.Statement{}, globals: map[string]any{}}
}

// ValidateSession implements sql.Session; it marks the beginning of a statement.
func (s *session) ValidateSession(ctx *sql.Context) error {
	if s.validated != nil {
		s.validated()
	}
	if s.inside > 0 {
		return nil // a statement inside a statement, such as that of a procedure
	}
	if s.open { // the last statement failed before it could be built
		s.abandon(ctx)
	}
	ast, err := sqlparser.Parse(ctx.Query())
	if err != nil {
		ast = nil // a prepared statement need not come with its text
	}
	s.running, s.text, s.root, s.writes = &tables.Statement{AST: ast}, ctx.Query(), true, true
	return nil
}

// Txn implements tables.Session.
func (s *session) Txn(*sql.Context) (*txn.Txn, error) {
	if s.tx == nil {
		s.tx = s.st.Txns().Begin(txn.Options{ServerID: 1, Cursors: &s.cursors})
		s.open = false
	}
	if !s.open {
		s.tx.BeginStatement(s.text, false)
		s.temp.BeginStatement()
		s.open = true
	}
	return s.tx, nil
}

// Access implements tables.Session.
func (s *session) Access(string, string) tables.Access {
	if s.writes {
		return tables.Access{Mode: txn.LockExclusive}
	}
	return tables.Access{Mode: txn.Snapshot}
}

// Statement implements tables.Session.
func (s *session) Statement() *tables.Statement { return s.running }

// Temporary implements tables.Session.
func (s *session) Temporary() *tables.TempTables { return &s.temp }

func (s *session) endStatement() {
	if s.open {
		s.tx.EndStatement()
		s.temp.EndStatement()
	}
	s.open = false
}

func (s *session) failStatement() {
	if s.open {
		s.tx.RollbackStatement()
		s.temp.RollbackStatement()
	}
	s.open = false
}

// abandon rolls a failed statement back, and with autocommit its transaction.
func (s *session) abandon(ctx *sql.Context) {
	s.failStatement()
	if on, err := plan.IsSessionAutocommit(ctx); err == nil && on && !ctx.GetIgnoreAutoCommit() {
		_ = s.Rollback(ctx, nil)
		ctx.SetTransaction(nil)
	}
}

// StartTransaction implements sql.TransactionSession.
func (s *session) StartTransaction(_ *sql.Context, mode sql.TransactionCharacteristic) (sql.Transaction, error) {
	return transaction{readOnly: mode == sql.ReadOnly}, nil
}

type transaction struct{ readOnly bool }

func (transaction) String() string     { return "transaction" }
func (t transaction) IsReadOnly() bool { return t.readOnly }

// CommitTransaction implements sql.TransactionSession.
func (s *session) CommitTransaction(ctx *sql.Context, _ sql.Transaction) error {
	if s.inside > 0 {
		return nil // the end of a statement inside a statement
	}
	s.endStatement()
	tx := s.tx
	s.tx = nil
	if tx == nil {
		return nil
	}
	s.temp.Commit()
	_, err := tx.Commit(ctx)
	return err
}

// Rollback implements sql.TransactionSession.
func (s *session) Rollback(*sql.Context, sql.Transaction) error {
	s.failStatement()
	tx := s.tx
	s.tx = nil
	if tx != nil {
		tx.Rollback()
		s.temp.Rollback()
	}
	return nil
}

// CreateSavepoint implements sql.TransactionSession.
func (s *session) CreateSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	s.endStatement()
	tx.Savepoint(name)
	s.temp.Savepoint(name)
	return nil
}

// RollbackToSavepoint implements sql.TransactionSession.
func (s *session) RollbackToSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	s.endStatement()
	if err := tx.RollbackTo(name); err != nil {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	s.temp.RollbackTo(name)
	return nil
}

// ReleaseSavepoint implements sql.TransactionSession.
func (s *session) ReleaseSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	s.endStatement()
	if err := tx.Release(name); err != nil {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	s.temp.Release(name)
	return nil
}

// PersistGlobal implements sql.PersistableSession.
func (s *session) PersistGlobal(ctx *sql.Context, name string, value any) error {
	v, _, ok := sql.SystemVariables.GetGlobal(name)
	if !ok {
		return sql.ErrUnknownSystemVariable.New(name)
	}
	converted, _, err := v.GetType().Convert(ctx, value)
	s.globals[name] = converted
	return err
}

// RemovePersistedGlobal implements sql.PersistableSession.
func (s *session) RemovePersistedGlobal(name string) error {
	delete(s.globals, name)
	return nil
}

// RemoveAllPersistedGlobals implements sql.PersistableSession.
func (s *session) RemoveAllPersistedGlobals() error {
	clear(s.globals)
	return nil
}

// GetPersistedValue implements sql.PersistableSession.
func (s *session) GetPersistedValue(name string) (any, error) { return s.globals[name], nil }

// statements is asked first for every node that is built. It takes the root of
// each statement and puts an iterator around it that sees how it ends.
type statements struct{ base *rowexec.BaseBuilder }

// Build implements sql.NodeExecBuilder; nil leaves the node to the engine.
func (b statements) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	s, ok := ctx.Session.(*session)
	if !ok || !s.root {
		return nil, nil
	}
	s.root = false
	switch n.(type) {
	case *plan.StartTransaction, *plan.Commit, *plan.Rollback:
		return nil, nil
	}
	s.writes = !plan.NodeRepresentsSelect(ctx, n)
	s.inside++
	iter, err := b.base.Build(ctx, n, row)
	if err != nil {
		s.inside--
		s.abandon(ctx)
		_ = s.cursors.CloseAll() // the error that counts is the other one
		return nil, err
	}
	return &rootIter{RowIter: iter, s: s}, nil
}

// rootIter ends the statement of the transaction when it is closed, and rolls it
// back if it gave an error.
type rootIter struct {
	sql.RowIter
	s      *session
	failed bool
	closed bool
}

var _ sql.MutableRowIter = (*rootIter)(nil)

// Next implements sql.RowIter.
func (i *rootIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	i.failed = i.failed || (err != nil && err != io.EOF)
	return row, err
}

// Close implements sql.RowIter.
func (i *rootIter) Close(ctx *sql.Context) error {
	err := i.RowIter.Close(ctx)
	if i.closed {
		return err
	}
	i.closed = true
	i.s.inside--
	if left := i.s.cursors.CloseAll(); err == nil {
		err = left
	}
	if i.failed || err != nil {
		i.s.abandon(ctx)
	} else {
		i.s.endStatement()
	}
	return err
}

// GetChildIter implements sql.MutableRowIter.
func (i *rootIter) GetChildIter() sql.RowIter { return i.RowIter }

// WithChildIter implements sql.MutableRowIter.
func (i *rootIter) WithChildIter(child sql.RowIter) sql.RowIter {
	n := *i
	n.RowIter = child
	return &n
}
