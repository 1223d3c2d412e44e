package evalcall

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// Arguments are expressions of a plan as nodes, which read Frame.Kept.
type Arguments struct {
	Builder *eval.Builder
	Nodes   []*eval.Expr

	args  []argument
	frame *eval.Frame
	ctx   *sql.Context // that frame was made for
	busy  atomic.Bool  // somebody uses frame
}

// NewArguments makes the nodes of expressions that are resolved. Error 1235 says that the type of one is not known.
func NewArguments(ctx *sql.Context, env *types.Env, list []sql.Expression) (*Arguments, error) {
	a := &Arguments{args: make([]argument, len(list)), Nodes: make([]*eval.Expr, len(list))}
	a.Builder = &eval.Builder{Env: env, Scratch: frameOf(ctx, env, len(list))}
	for i, e := range list {
		var err error
		if a.args[i], err = argumentOf(ctx, env, e); err != nil {
			return nil, err
		}
		a.Nodes[i] = a.args[i].node(i)
	}
	return a, nil
}

// Read computes the arguments for a row. The frame is to be given back by Done.
func (a *Arguments) Read(ctx *sql.Context, row sql.Row) (*eval.Frame, error) {
	f := a.taken(ctx)
	for i := range a.args {
		v, err := a.args[i].expr.Eval(ctx, row)
		if err == nil {
			f.Kept[i], err = a.args[i].value(ctx, v)
		}
		if err != nil {
			a.Done(f)
			return nil, err
		}
	}
	return f, nil
}

// taken is the frame that is kept, or another one if it is in use or of another statement.
func (a *Arguments) taken(ctx *sql.Context) *eval.Frame {
	if !a.busy.CompareAndSwap(false, true) {
		return frameOf(ctx, a.Builder.Env, len(a.args))
	}
	if a.frame == nil || a.ctx != ctx {
		a.frame, a.ctx = frameOf(ctx, a.Builder.Env, len(a.args)), ctx
	}
	return a.frame
}

// Done gives a frame back; texts in it are forgotten.
func (a *Arguments) Done(f *eval.Frame) {
	f.Reset()
	if f == a.frame {
		a.busy.Store(false)
	}
}
