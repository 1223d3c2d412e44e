package server

import (
	"errors"
	"fmt"
	"syscall"
)

// Exit codes of the duramen command. They are part of its interface: scripts
// and service managers may tell by them what to do.
const (
	ExitOK       = 0
	ExitFailure  = 1 // anything without a code of its own
	ExitUsage    = 2 // unknown option, wrong value, unreadable option file
	ExitListen   = 3 // port or socket in use, address not available
	ExitLocked   = 4 // another server runs on the data directory
	ExitFormat   = 5 // data directory of an unknown format, or not one of ours
	ExitCorrupt  = 6 // damage in the log or the tables
	ExitDiskFull = 7 // no space left on the device
	ExitIO       = 8 // a write or sync of the log, or of an engine's files, failed while running
	ExitUnsafe   = 9 // refused: a public address while root has no password
)

// ExitError is an error with the exit code that stands for it, and a hint of
// what to do about it.
type ExitError struct {
	Code int
	Hint string
	Err  error
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Hint == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v\n%s", e.Err, e.Hint)
}

// Unwrap returns the error underneath.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode is the exit code for an error; ExitOK for nil.
func ExitCode(err error) int {
	var e *ExitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, syscall.ENOSPC):
		return ExitDiskFull
	}
	return ExitFailure
}
