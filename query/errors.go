package query

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// mapError gives an error the form that the client gets. A statement that KILL or
// the server's end cancelled reports that, whatever error came of it.
func (s *Session) mapError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)) {
		err = cause
	}
	e := mysqlerr.From(err)
	if e.Number == mysqlerr.DupEntry {
		if d := s.run.Duplicate; d.Key != "" {
			e = mysqlerr.New(mysqlerr.DupEntryWithKeyName, d.Entry, d.Key).WithCause(err)
			e.Number = mysqlerr.DupEntry
		}
	}
	s.engine.status.add("Errors", 1)
	s.Warn(&sql.Warning{Level: "Error", Code: int(e.Number), Message: e.Message})
	return e
}

func (s *Session) clearWarnings() { s.ClearWarnings() }
