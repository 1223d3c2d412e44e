package query

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// ownRun is how the session runs a statement of its own; nil if it does not.
func (s *Session) ownRun(st dialect.Statement) adminRun {
	switch st.(type) {
	case dialect.Shutdown:
		return okRun(s.shutdown)
	}
	return accountsOf(s).runOf(st)
}

// shutdown is SHUTDOWN: the answer comes before the server begins to go.
func (s *Session) shutdown(context.Context) error {
	if s.engine.cfg.Shutdown == nil {
		return mysqlerr.New(mysqlerr.NotSupportedYet, "SHUTDOWN of an embedded server")
	}
	s.engine.cfg.Shutdown()
	return nil
}
