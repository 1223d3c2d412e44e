package query

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

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

// planning runs f, which binds or analyses a statement, and counts the texts that it reads.
func (e *Engine) planning(c *sql.Context, f func() error) (err error) {
	sessionOf(c).recursion.texts = 0
	defer e.contain(c, &err)
	return f()
}

// contain is deferred by those who run go-mysql-server's code. A panic that comes from that code becomes
// an error of the statement (1235), which is rolled back like one that failed: our transactions and tables
// were at rest when it happened. A panic in our own code, or in what it calls, goes on to protect, which
// gives up the transaction.
func (e *Engine) contain(c *sql.Context, err *error) {
	r := recover()
	if r == nil {
		return
	}
	if *err = thrownError(r); *err != nil {
		return
	}
	stack := string(debug.Stack())
	if f, again := r.(fault); again {
		panic(f)
	}
	if !foreign() {
		panic(fault{r, stack})
	}
	e.log.Warn("go-mysql-server failed at a statement", "connection", c.Session.ID(), "panic", r, "stack", stack)
	*err = mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("this statement (%v)", r))
}

// fault is a panic in our code with the stack of its origin.
type fault struct {
	panic any
	stack string
}

// foreign reports whether a panic that is being recovered began in go-mysql-server or its parser, by the first
// function on the stack that is theirs or ours; those that both call (the standard library) do not count.
func foreign() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // from the caller of contain on: runtime.gopanic
	for {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "github.com/dolthub/"):
			return true
		case strings.HasPrefix(f.Function, "github.com/duramendb/"):
			return false
		case !more:
			return false
		}
	}
}
