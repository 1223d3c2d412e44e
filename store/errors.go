package store

import (
	"errors"
	"fmt"
)

// Causes for which a directory cannot be opened. Open's errors match one of
// them with errors.Is, or are plain I/O errors.
var (
	// ErrLocked: another process (or another Store of this one) has the directory open.
	ErrLocked = errors.New("data directory is in use by another server")
	// ErrFormat: the directory was not written by Duramen, or by a version with another format.
	ErrFormat = errors.New("unknown data directory format")
	// ErrCorrupt: the log or an engine is damaged, or they contradict each other.
	ErrCorrupt = errors.New("data directory is damaged")
	// ErrPurged: an engine needs log files that are no longer there.
	ErrPurged = errors.New("log files needed for recovery are missing")
	// ErrNoEngine: the directory has no files of this storage engine.
	ErrNoEngine = errors.New("no such storage engine")
	// ErrOption: an option does not fit the directory.
	ErrOption = errors.New("an option does not fit the data directory")
	// ErrClosed is returned by the methods of a closed Store.
	ErrClosed = errors.New("store is closed")
)

// OpenError says why a data directory could not be opened, and what an
// operator can do about it.
type OpenError struct {
	Dir  string
	Op   string // what was being done: "lock", "read format", "recover log", ...
	Hint string // may be empty
	Kind error  // one of the sentinels above, or nil
	Err  error  // the cause; may be nil when Kind says everything
	// Unchanged says that the directory is as it was.
	Unchanged bool
}

// Error is one line: operation, directory, cause and hint.
func (e *OpenError) Error() string {
	msg := fmt.Sprintf("store: %s %s", e.Op, e.Dir)
	if e.Kind != nil {
		msg += ": " + e.Kind.Error()
	}
	if e.Err != nil && !errors.Is(e.Kind, e.Err) {
		msg += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		msg += " (" + e.Hint + ")"
	}
	return msg
}

// Unwrap gives errors.Is and errors.As both the class and the cause.
func (e *OpenError) Unwrap() []error {
	var errs []error
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// errorList collects the errors of a shutdown, which goes on after each of them.
type errorList struct{ errs []error }

func (l *errorList) add(what string, err error) {
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("%s: %w", what, err))
	}
}

func (l *errorList) join() error {
	if len(l.errs) == 0 {
		return nil
	}
	return fmt.Errorf("store: close: %w", errors.Join(l.errs...))
}
