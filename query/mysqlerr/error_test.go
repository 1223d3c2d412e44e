package mysqlerr

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/txn"
)

func TestTable(t *testing.T) {
	for number, e := range table {
		require.Len(t, e.state, 5, "state of %d", number)
		require.NotEmpty(t, e.text, "text of %d", number)
	}
	require.EqualValues(t, UnknownError, New(1).Number)
}

// TestFrom maps one error of each package; the numbers and states are MariaDB's.
func TestFrom(t *testing.T) {
	require.Nil(t, From(nil))
	for _, c := range []struct {
		err    error
		number uint16
		state  string
	}{
		{txn.ErrDeadlock, 1213, "40001"},
		{fmt.Errorf("wrapped: %w", txn.ErrLockWaitTimeout), 1205, "HY000"},
		{txn.ErrNoWait, 1205, "HY000"},
		{txn.ErrReadOnly, 1792, "25006"},
		{txn.ErrTableChanged, 1412, "HY000"},
		{txn.ErrNoSavepoint, 1305, "42000"},
		{txn.ErrTooLarge, 1197, "HY000"},
		{&txn.DuplicateKeyError{Index: -1}, 1062, "23000"},
		{fmt.Errorf("write: %w", binlog.ErrNoSpace), 1021, "HY000"},
		{fmt.Errorf("write: %w", syscall.ENOSPC), 1021, "HY000"},
		{binlog.ErrPurged, 1236, "HY000"},
		{context.Canceled, 1317, "70100"},
		{New(ConnectionKilled), 1927, "70100"},
		{fmt.Errorf("outer: %w", New(ConCount)), 1040, "08004"},
		{sql.ErrTableNotFound.New("t"), 1146, "42S02"},
		{sql.ErrDatabaseNotFound.New("d"), 1049, "42000"},
		{sql.ErrColumnNotFound.New("c"), 1054, "42S22"},
		{sql.NewWrappedInsertError(sql.Row{}, sql.ErrPrimaryKeyViolation.New("x")), 1062, "23000"},
		{sql.ErrSyntaxError.New("x"), 1064, "42000"},
		{mysql.NewSQLError(1062, "", "dup"), 1062, "23000"},
		{errors.New("anything"), 1105, "HY000"},
	} {
		e := From(c.err)
		require.EqualValues(t, c.number, e.Number, "%v", c.err)
		require.Equal(t, c.state, e.State, "%v", c.err)
	}
	require.ErrorIs(t, From(txn.ErrDeadlock), txn.ErrDeadlock, "the cause stays")
	require.Equal(t, "Table 'd.t' doesn't exist", From(sql.ErrTableNotFound.New("d.t")).Message)
}
