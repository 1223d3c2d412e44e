package tables

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// rows is where the rows of the table are, for the running statement.
func (t *alterable) rows(ctx *sql.Context) (rows, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	if t.temp != nil {
		return t.temp, nil
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return nil, err
	}
	return txnRows{tx}, nil
}

// use is rows for a statement that is going to use them. It takes the
// table's metadata lock, which the session has taken already for the tables that
// the statement names, but not for those below views, triggers and foreign
// keys. If the table was altered before the lock was there, the statement has to
// be planned again.
func (t *Table) use(ctx *sql.Context, s Session, mode txn.LockMode) (rows, error) {
	if t.temp != nil {
		return t.temp, nil
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return nil, err
	}
	def := t.v.Def()
	if err := tx.LockTable(ctx, def.DB, def.Name, mode); err != nil {
		return nil, err
	}
	if !isDDL(s.Statement().AST) && tx.Catalog().TableByID(def.ID) != t.v.Table {
		return nil, fmt.Errorf("definition of table %s.%s: %w", def.DB, def.Name, txn.ErrRowChanged)
	}
	return txnRows{tx}, nil
}

// rows reads and writes the rows of a table: a transaction, or the store of a
// temporary table. The methods are those of txn.Txn.
type rows interface {
	Get(ctx *sql.Context, tbl *catalog.Table, rowKey []byte, a Access) (image []byte, ok bool, err error)
	Scan(ctx *sql.Context, spec txn.ScanSpec) (cursor, error)
	Insert(ctx *sql.Context, tbl *catalog.Table, image []byte) error
	Update(ctx *sql.Context, tbl *catalog.Table, rowKey, before, after []byte) error
	Delete(ctx *sql.Context, tbl *catalog.Table, rowKey, before []byte) error
	NextAutoIncrement(tbl *catalog.Table, count, increment, offset uint64) (uint64, error)
	PeekAutoIncrement(tbl *catalog.Table) (uint64, error)
	SetAutoIncrement(tbl *catalog.Table, next uint64) error
}

// cursor is txn.Cursor.
type cursor interface {
	Next() bool
	Key() []byte
	RowKey() []byte
	Image() []byte
	Err() error
	Close() error
}

type txnRows struct{ *txn.Txn }

func (r txnRows) Get(ctx *sql.Context, tbl *catalog.Table, rowKey []byte, a Access) ([]byte, bool, error) {
	return r.Txn.Get(ctx, tbl, rowKey, a.Mode, a.Wait)
}

func (r txnRows) Scan(ctx *sql.Context, spec txn.ScanSpec) (cursor, error) {
	c, err := r.Txn.Scan(ctx, spec)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (r txnRows) Insert(ctx *sql.Context, tbl *catalog.Table, image []byte) error {
	return r.Txn.Insert(ctx, tbl, image)
}

func (r txnRows) Update(ctx *sql.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	return r.Txn.Update(ctx, tbl, rowKey, before, after)
}

func (r txnRows) Delete(ctx *sql.Context, tbl *catalog.Table, rowKey, before []byte) error {
	return r.Txn.Delete(ctx, tbl, rowKey, before)
}
