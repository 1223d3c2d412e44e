package storage

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// TestFrom maps every error of storage that clients get; the numbers and states are MariaDB's.
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
		{txn.ErrRowChanged, 1020, "HY000"},
		{txn.ErrTableChanged, 1412, "HY000"},
		{txn.ErrNoSavepoint, 1305, "42000"},
		{txn.ErrLost, 1180, "HY000"},
		{txn.ErrTooLarge, 1197, "HY000"},
		{txn.ErrAutoIncrementExhausted, 1467, "HY000"},
		{&txn.DuplicateKeyError{Index: -1}, 1062, "23000"},
		{&txn.TableFullError{Table: &catalog.Table{Def: &catalog.TableDef{Name: "t"}}}, 1114, "HY000"},
		{fmt.Errorf("write: %w", binlog.ErrNoSpace), 1021, "HY000"},
		{fmt.Errorf("write: %w", syscall.ENOSPC), 1021, "HY000"},
		{binlog.ErrPurged, 1236, "HY000"},
		{binlog.ErrCorrupt, 1236, "HY000"},
		{context.Canceled, 1317, "70100"},
		{context.DeadlineExceeded, 1317, "70100"},
		{errors.New("anything"), 1105, "HY000"},
	} {
		e := From(c.err)
		require.EqualValues(t, c.number, e.Number, "%v", c.err)
		require.Equal(t, c.state, e.State, "%v", c.err)
		require.ErrorIs(t, e, c.err, "the cause stays")
	}
	own := mysqlerr.New(mysqlerr.ConCount)
	require.Same(t, own, From(fmt.Errorf("outer: %w", own)))
	require.Nil(t, Error(errors.New("anything")), "of nobody below")
}
