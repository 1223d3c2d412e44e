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

// Fatalf does not return: Pebble's callers rely on that.
func (l *pebbleLogger) Fatalf(format string, args ...any) {
	l.fatal(fmt.Errorf("lsm: "+format, args...))
	runtime.Goexit()
}
