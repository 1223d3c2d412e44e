package session

import (
	"context"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// WithStatementTime ends a statement after max_statement_time.
func (s *Session) WithStatementTime(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, _ := s.Vars.Value(VarMaxExecTime).(float64)
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, time.Duration(limit*float64(time.Second)), ErrStatementTime)
}

var ErrStatementTime error = mysqlerr.New(mysqlerr.StatementTimeout)
