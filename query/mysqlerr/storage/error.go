package storage

import (
	"context"
	"errors"
	"syscall"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// From maps any error of the server's own code to what the client gets: nil stays nil, and what nobody knows is a general error (1105).
func From(err error) *mysqlerr.Error {
	if err == nil {
		return nil
	}
	var own *mysqlerr.Error
	if errors.As(err, &own) {
		return own
	}
	if e := Error(err); e != nil {
		return e.WithCause(err)
	}
	return mysqlerr.Newf(mysqlerr.UnknownError, "%s", err.Error()).WithCause(err)
}

// Error maps the sentinels and error types of the packages below SQL, and those of a context; nil is none of them.
func Error(err error) *mysqlerr.Error {
	var dup *txn.DuplicateKeyError
	var full *txn.TableFullError
	switch {
	case errors.Is(err, txn.ErrDeadlock):
		return mysqlerr.New(mysqlerr.LockDeadlock)
	case errors.Is(err, txn.ErrLockWaitTimeout), errors.Is(err, txn.ErrNoWait):
		return mysqlerr.New(mysqlerr.LockWaitTimeout)
	case errors.Is(err, txn.ErrReadOnly):
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnlyTransaction)
	case errors.Is(err, txn.ErrRowChanged):
		return mysqlerr.New(mysqlerr.CheckRead, "")
	case errors.Is(err, txn.ErrTableChanged):
		return mysqlerr.Newf(1412, "Table definition has changed, please retry transaction")
	case errors.Is(err, txn.ErrNoSavepoint):
		return mysqlerr.New(mysqlerr.SPDoesNotExist, "SAVEPOINT", "")
	case errors.Is(err, txn.ErrLost):
		return mysqlerr.New(mysqlerr.ErrorDuringCommit, `"`+txn.ErrLost.Error()+`; it was not committed"`)
	case errors.Is(err, txn.ErrTooLarge):
		return mysqlerr.Newf(1197, "Multi-statement transaction required more than 'max_binlog_cache_size' bytes of storage; increase this mariadbd variable and try again")
	case errors.Is(err, txn.ErrKeyTooLong):
		return mysqlerr.New(mysqlerr.TooLongKey, txn.KeyBytesMax)
	case errors.Is(err, txn.ErrAutoIncrementExhausted):
		return mysqlerr.Newf(1467, "Failed to read auto-increment value from storage engine")
	case errors.As(err, &dup):
		return mysqlerr.Duplicate("", keyName(dup))
	case errors.As(err, &full):
		return mysqlerr.Newf(1114, "The table '%s' is full", full.Table.Def.Name)
	case errors.Is(err, binlog.ErrNoSpace), errors.Is(err, syscall.ENOSPC):
		return mysqlerr.New(mysqlerr.DiskFull, "binlog", 28)
	case errors.Is(err, binlog.ErrPurged), errors.Is(err, binlog.ErrCorrupt):
		return mysqlerr.New(mysqlerr.MasterFatalErrorReadingBinlog, uint16(1236), err.Error())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return mysqlerr.New(mysqlerr.QueryInterrupted)
	}
	return nil
}

func keyName(d *txn.DuplicateKeyError) string {
	if d.Index < 0 || d.Table == nil || d.Index >= len(d.Table.Indexes) {
		return "PRIMARY"
	}
	return d.Table.Indexes[d.Index].Def.Name
}
