package query

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// refusal is an error that a callback of go-mysql-server has no way to return: it is thrown, and
// planning and protect take it up.
type refusal struct{ error }

// thrownError is the error that go-mysql-server, or a callback of it, has thrown on purpose; nil if the
// panic is a fault.
func thrownError(r any) error {
	switch r := r.(type) {
	case refusal:
		return r.error
	case runtime.Error:
		return nil
	case error:
		return r
	}
	return nil
}

// planning runs f, which binds or analyses a statement. A statement that makes go-mysql-server's planner
// panic is refused: nothing has been read or written for it, so, unlike with a panic while it runs
// (see protect), the transaction goes on.
func (e *Engine) planning(c *sql.Context, f func() error) (err error) {
	sessionOf(c).recursion.texts = 0
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if err = thrownError(r); err == nil {
			e.log.Warn("statement cannot be planned", "connection", c.Session.ID(), "panic", r, "stack", string(debug.Stack()))
			err = mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("this statement (planner: %v)", r))
		}
	}()
	return f()
}
