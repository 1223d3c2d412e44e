package gms

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Bounds of what a statement may set going, for go-mysql-server's stack.
const (
	// nestedMax is how deep statements of routines and triggers may lie within each other.
	// MariaDB's bound is its thread's stack: about 70 with its defaults.
	nestedMax = 128
	// textsMax is how many texts of views, triggers and routines the planning of one statement
	// may read. A view that reads itself has no end otherwise, and views that read two views each
	// have one that nobody lives to see.
	textsMax = 1000
)

// routineCalls are the running calls of a session's routines, by the routine's name.
type routineCalls map[string]int

// enter begins a statement of a routine, and returns the function that ends it; current is the current database, most is
// max_sp_recursion_depth. It fails with 1456 when a routine calls itself more often than that, and with 1436 when statements
// are nested too deep.
func (calls routineCalls) enter(r *running, current string, most uint64) (leave func(), err error) {
	if r.depth > nestedMax {
		return nil, mysqlerr.Newf(mysqlerr.StackOverrunNeedMore, "Thread stack overrun: routines and triggers are nested deeper than %d levels", nestedMax)
	}
	return calls.enterCall(r.st, current, most)
}

// enterCall is enter for what a CALL adds to it.
func (calls routineCalls) enterCall(st *syntax.Statement, current string, most uint64) (leave func(), err error) {
	call, ok := st.AST.(*sqlparser.Call)
	if !ok {
		return func() {}, nil
	}
	name := strings.ToLower(call.ProcName.Name.String())
	db := call.ProcName.Qualifier.String()
	if db == "" {
		db = current
	}
	key := strings.ToLower(db) + "." + name
	if uint64(calls[key]) > most {
		return nil, mysqlerr.New(mysqlerr.SPRecursionLimit, most, call.ProcName.Name.String())
	}
	calls[key]++
	return func() { calls[key]-- }, nil
}

// countText is told of every text that go-mysql-server parses while it plans a statement. It panics
// with a refusal, because some who parse ignore the parser's error.
func countText(ctx context.Context) {
	c, ok := ctx.(*sql.Context)
	if !ok {
		return
	}
	g, ok := c.Session.(*adapter)
	if !ok {
		return
	}
	if c.Err() != nil {
		panic(fault.Refusal{Err: context.Cause(c)})
	}
	if g.now.texts++; g.now.texts > textsMax {
		panic(fault.Refusal{Err: mysqlerr.Newf(mysqlerr.StackOverrunNeedMore, "Thread stack overrun: the statement reads more than %d views, or a view that contains itself", textsMax)})
	}
}
