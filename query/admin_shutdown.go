package query

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// parseShutdown is SHUTDOWN [WAIT FOR ALL {SLAVES|REPLICAS}]. The answer comes
// before the server begins to go.
func (s *Session) parseShutdown(c *dialect.Parser) adminRun {
	if c.Accept("WAIT", "FOR", "ALL") {
		return failRun(mysqlerr.New(mysqlerr.NotSupportedYet, "SHUTDOWN WAIT FOR ALL"))
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		if s.engine.cfg.Shutdown == nil {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "SHUTDOWN of an embedded server")
		}
		s.engine.cfg.Shutdown()
		return nil
	})
}
