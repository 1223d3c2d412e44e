package gms

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/mysqlerr"
)

var _ computed.Session = (*adapter)(nil)

// evaluation is how expressions of the running statement are bound and computed. A routine's statements have the routine's sql_mode.
type evaluation struct {
	binder *bind.Binder
	frame  *eval.Frame
	mode   string
}

// Evaluation implements computed.Session.
func (g *adapter) Evaluation(ctx *sql.Context) (*bind.Binder, *eval.Frame, error) {
	e := &g.now.evaluation
	if mode := g.s.Vars.Str("sql_mode"); e.frame == nil || e.mode != mode {
		if g.s.Evaluation == nil {
			return nil, nil, mysqlerr.NotYet("an expression of SQL of our own in this session")
		}
		binder, frame, err := g.s.Evaluation(ctx)
		if err != nil {
			return nil, nil, err
		}
		*e = evaluation{binder, frame, mode}
	}
	e.frame.Diag.Strict = nil
	if stores, ignore := g.now.storing(); stores && !ignore && e.frame.Env.Mode.Strict() {
		e.frame.Diag.Strict = func(uint16) bool { return true }
	}
	return e.binder, e.frame, nil
}
