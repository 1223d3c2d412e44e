package gms

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/txn"
)

// databaseRows is the number of affected rows that MariaDB says of CREATE DATABASE and DROP DATABASE: 1 for a database that is made, 2 for one that
// is replaced, and for one that is dropped its tables and views. It is nil for any other statement, and called before the statement runs.
func databaseRows(tx *txn.Txn, st *syntax.Statement) *uint64 {
	d, ok := st.AST.(*sqlparser.DBDDL)
	if !ok {
		return nil
	}
	rows := uint64(1)
	exists := tx.Catalog().Database(d.DBName) != nil
	switch {
	case d.Action == sqlparser.DropStr:
		rows = uint64(len(contentOf(tx, d.DBName).Tables))
	case d.Action != sqlparser.CreateStr:
		return nil
	case exists && st.Before != nil:
		rows = 2
	case exists:
		rows = 0
	}
	return &rows
}
