package binlog

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	// ErrCorrupt marks damage: bytes that no crash of this server can have left behind.
	// It is always found in a *CorruptError.
	ErrCorrupt = errors.New("binary log is damaged")
	// ErrIndex says that the index file and the segment files disagree.
	ErrIndex = errors.New("binary log index does not match the files")
	// ErrNoSpace is returned before anything is fixed: the log stays usable, and
	// the same call succeeds once there is room.
	ErrNoSpace = errors.New("no space for the binary log")
	// ErrSyncFailed is returned by every call after a failed sync or write. What the
	// files hold is then unknown, so the process has to end.
	ErrSyncFailed = errors.New("binary log could not be made durable")
	// ErrPurged says that a position lies in a segment that was removed.
	ErrPurged = errors.New("binary log file was purged")
	// ErrPosition says that a position does not exist (yet).
	ErrPosition = errors.New("no such position in the binary log")
	// ErrReset is returned to readers of a log that was replaced by an empty one.
	ErrReset = errors.New("binary log was reset")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("binary log is closed")
)

// CorruptError says where damage was found. errors.Is(err, ErrCorrupt) holds.
type CorruptError struct {
	File   string // path
	Offset uint64 // of the first event that is not valid
	Reason error
	// Row is the row of the recovery table that applies, if recovery found it, and Cause the fault that leaves a file
	// like this.
	Row, Cause string
}

func (e *CorruptError) Error() string {
	text := fmt.Sprintf("%v: file %s, offset %d: %v", ErrCorrupt, e.File, e.Offset, e.Reason)
	if e.Cause != "" {
		text += fmt.Sprintf(". Cause: %s (recovery table, row %s)", e.Cause, e.Row)
	}
	return text
}

// Unwrap gives the reason.
func (e *CorruptError) Unwrap() error { return e.Reason }

// Is makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// isNoSpace reports whether err means that the file system is full.
func isNoSpace(err error) bool {
	return vfs.IsNoSpaceError(err) || errors.Is(err, syscall.EDQUOT)
}

// noSpace gives errors of a full disk their mark and leaves others as they are.
func noSpace(err error) error {
	if err != nil && isNoSpace(err) && !errors.Is(err, ErrNoSpace) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
