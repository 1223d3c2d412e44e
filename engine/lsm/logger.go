package lsm

import (
	"fmt"
	"log/slog"
	"runtime"
)

// pebbleLogger passes Pebble's messages on.
type pebbleLogger struct {
	log   *slog.Logger
	fatal func(error)
}

func (l *pebbleLogger) Infof(format string, args ...any) {
	l.log.Debug(fmt.Sprintf(format, args...), "engine", name)
}

func (l *pebbleLogger) Errorf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...), "engine", name)
}

// Fatalf does not return: Pebble's callers rely on that. It is what Pebble calls when the MANIFEST cannot be written by a flush or a
// compaction.
func (l *pebbleLogger) Fatalf(format string, args ...any) {
	err := &fatalError{text: fmt.Sprintf("lsm: "+format, args...)}
	for _, arg := range args {
		if cause, ok := arg.(error); ok {
			err.cause = cause
		}
	}
	l.fatal(err)
	runtime.Goexit()
}

// fatalError is an error of Pebble's with its cause, which tells a full disk from a broken one: Pebble's formats keep only its text.
type fatalError struct {
	text  string
	cause error
}

func (e *fatalError) Error() string { return e.text }
func (e *fatalError) Unwrap() error { return e.cause }
