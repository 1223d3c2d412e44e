package function

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// Session is what the evaluation of a statement asks of its session.
type Session interface {
	sysvar.Holder
	// Memory is the session's budget.
	Memory() *memory.Session
	// Storing reports whether the statement stores rows, and whether it is told to go on at values that do not fit (IGNORE).
	Storing() (stores, ignore bool)
}

// SessionOf is the session of a context of go-mysql-server; nil if it is none of ours.
func SessionOf(c *sql.Context) Session {
	e, _ := c.Session.(Session)
	return e
}

// WarnOrFail raises a condition as MariaDB does where a value was lost: a warning, or
// in strict mode the error of a statement that would store the value.
func WarnOrFail(c *sql.Context, number uint16, args ...any) error {
	err := mysqlerr.New(number, args...)
	if e := SessionOf(c); e != nil && StrictMode(e.SysVars()) {
		if stores, ignore := e.Storing(); stores && !ignore {
			return err
		}
	}
	c.Warn(int(number), "%s", err.Message)
	return nil
}

// StrictMode reports whether sql_mode is strict for transactional tables.
func StrictMode(vars *sysvar.Session) bool {
	mode := vars.Str("sql_mode")
	return strings.Contains(mode, "STRICT_ALL_TABLES") || strings.Contains(mode, "STRICT_TRANS_TABLES")
}
