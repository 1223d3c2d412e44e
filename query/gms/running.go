package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/statement"
)

// running is a statement on its way: what it is, and what its run has met so far. It travels with the statement's
// context, so that a statement which a routine runs has its own, and the one around it finds its own again.
type running struct {
	// st is what the statement is; nil for a command that is none.
	st *syntax.Statement
	// attempt is the state of this attempt to run it; never nil.
	attempt *tables.Statement
	// sink takes its result; nil if no client waits for one. LOAD DATA LOCAL asks it for the file.
	sink result.Sink
	// params are the values of its placeholders.
	params []result.Value
	// loaded counts the rows that LOAD DATA has read.
	loaded uint64
	// bound says that the plan knows how each reference to a table is read (bindReferences).
	bound bool
	// depth is how many statements of routines are around it.
	depth int
	// texts counts the texts of views, triggers and routines that its planning has read.
	texts      int
	evaluation evaluation
	// noMergeJoins: see compare.Session.
	noMergeJoins bool
	// triggerRow: see column.TriggerSession.
	triggerRow sql.Node
}

// newRunning is the run of a statement of the client; st is nil for a command.
func newRunning(st *syntax.Statement, sink result.Sink) *running {
	r := &running{st: st, sink: sink}
	r.begin()
	return r
}

// within is the run of a statement of a routine that r has called.
func (r *running) within(st *syntax.Statement) *running {
	inner := newRunning(st, r.sink)
	inner.depth = r.depth + 1
	return inner
}

// begin begins an attempt.
func (r *running) begin() {
	r.attempt = &tables.Statement{}
	if r.st != nil && r.st.Kind == statement.Definition {
		for _, t := range r.st.Tables {
			r.attempt.Names = append(r.attempt.Names, t.Name)
		}
	}
	if r.st != nil {
		r.attempt.AST = r.st.AST
	}
}

// writes reports whether the statement changes rows.
func (r *running) writes() bool { return r.st != nil && r.st.Kind == statement.Write }

// storing reports whether the statement stores rows, and whether it is told to go on at values that do not fit.
func (r *running) storing() (stores, ignore bool) {
	if r.st == nil {
		return false, false
	}
	switch n := r.st.AST.(type) {
	case *sqlparser.Insert:
		return true, n.Ignore != ""
	case *sqlparser.Update:
		return true, n.Ignore != ""
	case *sqlparser.Load:
		return true, n.IgnoreOrReplace == sqlparser.IgnoreStr
	case *sqlparser.DDL:
		return n.OptSelect != nil, false
	}
	return false, false
}

// runningOf is the statement that a context of go-mysql-server belongs to.
func runningOf(c *sql.Context) *running { return c.Session.(*adapter).now }

// sessionOf is the session that a context of go-mysql-server belongs to; nil if it is none of ours.
func sessionOf(c *sql.Context) *Session {
	if g, ok := c.Session.(*adapter); ok {
		return g.s
	}
	return nil
}
