package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// noteStrict remembers the warnings of which strict mode makes errors when values
// are stored (package semantics does so), and reports whether a warning is one of
// MariaDB's: without ERROR_FOR_DIVISION_BY_ZERO there is none for a division by
// zero.
func (s *Session) noteStrict(r *running, w *sql.Warning) bool {
	switch uint16(w.Code) {
	case mysqlerr.DivisionByZero:
		mode, _ := s.Vars.Value(session.VarSQLMode).(string)
		if !strings.Contains(mode, "ERROR_FOR_DIVISION_BY_ZERO") {
			return false
		}
	case mysqlerr.TruncatedWrongValue:
		if !strings.HasPrefix(w.Message, "Truncated incorrect") {
			return true
		}
	default:
		return true
	}
	if r.attempt.StrictWarning == nil && w.Level == "Warning" {
		own := *w
		r.attempt.StrictWarning = &own
	}
	return true
}
