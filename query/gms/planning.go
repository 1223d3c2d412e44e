package gms

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// planning runs f, which binds or analyses a statement, and counts the texts that it reads.
func (e *Engine) planning(c *sql.Context, f func() error) (err error) {
	r := runningOf(c)
	r.texts = 0
	was := r.attempt.Planning
	r.attempt.Planning = true
	defer func() { r.attempt.Planning = was }()
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
	thrown, f := fault.Of(r)
	switch {
	case f == nil:
		*err = thrown
	case !f.Foreign:
		panic(f)
	case strings.HasSuffix(f.In, ".mergeSetOpScopeColumns"):
		// It goes through the columns of a UNION's queries side by side, before it looks whether they are as many. Where
		// a query has a *, only it knows how many.
		*err = mysqlerr.New(mysqlerr.WrongNumberOfColumnsInSelect)
	default:
		e.contained(c.Session.ID(), f)
		*err = mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("this statement (%v)", f.Panic))
	}
}

// contained tells the log of a fault of go-mysql-server that cost no more than its statement.
func (e *Engine) contained(connection uint32, f *fault.Fault) {
	e.Log.Warn("go-mysql-server failed at a statement", "connection", connection, "panic", f.Panic, "stack", f.Stack)
}
