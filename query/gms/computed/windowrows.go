package computed

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/eval/window"
	"github.com/duramendb/duramen/query/gms/column"
	gmsfunction "github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// computedHere are the aggregate functions that package aggregate computes over the rows of a frame: go-mysql-server has other values for binary strings and
// members of ENUM and SET. Of variances it has the right ones, but for a DOUBLE, which package exec refuses.
var computedHere = map[string]bool{"SUM": true, "AVG": true, "MIN": true, "MAX": true, "COUNT": true}

// ownAggregate is an aggregate function that is computed here.
type ownAggregate struct {
	fn     *aggregate.Func
	frame  *eval.Frame // in whose memory its expressions have their places
	leaves []leaf
}

// aggregateOf is a function with its arguments as what go-mysql-server yields; nil if their values cannot be read.
func aggregateOf(
	ctx *sql.Context, in *column.Arguments, shared *bind.Binder, frame *eval.Frame, call window.Call, args []sql.Expression,
) (*ownAggregate, error) {
	a := &ownAggregate{frame: frame, leaves: make([]leaf, len(args))}
	c := aggregate.Call{Name: call.Name}
	for i, arg := range args {
		arg = plainly(arg)
		known, ok := in.Of(arg)
		bits := known.Type.Kind == types.Bit && in.Stored(arg) // numbers for these functions, and MIN and MAX of them are bits
		if !ok || !a.leaves[i].reads(ctx, arg, known) && !bits {
			return nil, nil //nolint:nilnil // see above
		}
		x := node(arg, i, a.leaves[i].t)
		if call.Args[i].Is(eval.Bool) {
			x = x.With(eval.Bool)
		}
		c.Args = append(c.Args, x)
	}
	b := shared.Builder
	frame.Diag.Reset(0)
	var err error
	if a.fn, err = aggregate.Bind(&b, c); err != nil {
		frame.Diag.Reset(0)
		return nil, understood(err)
	}
	frame.Diag.Reset(0)
	shared.Builder = b // which counts the places in the frame's memory
	return a, nil
}

// plainly is an argument without DISTINCT, which changes nothing of MIN and MAX, the only ones over windows that take it.
func plainly(arg sql.Expression) sql.Expression {
	if d, is := arg.(*expression.DistinctExpression); is {
		return d.Child
	}
	return arg
}

// overRows is an aggregate function over a window that runs.
type overRows struct {
	sql.WindowAdaptableExpression // go-mysql-server's, for its arguments and its window
	w                             *Window
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (o *overRows) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	return gmsfunction.NewWindowed(ctx, o, o.Window())
}

// NewBuffer implements gmsfunction.Buffers.
func (o *overRows) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	f := &frameRows{
		of: o.w, args: argumentsOf(o.WindowAdaptableExpression), states: o.w.aggregate.fn.States(), held: gmsfunction.NewHeld(gmsfunction.SessionOf(ctx)),
	}
	f.states.Grow(1)
	return f, nil
}

// frameRows is the state of the rows of a frame.
type frameRows struct {
	of     *Window
	args   []sql.Expression
	states aggregate.States
	held   *gmsfunction.Held
}

// Update implements sql.AggregationBuffer.
func (f *frameRows) Update(ctx *sql.Context, row sql.Row) error {
	values := make([]types.Value, len(f.args))
	for i, arg := range f.args {
		v, err := plainly(arg).Eval(ctx, row)
		if err != nil {
			return err
		}
		if values[i], err = f.of.aggregate.leaves[i].value(ctx, v); err != nil {
			return err
		}
	}
	return f.told(ctx, values, func(frame *eval.Frame) { f.states.Add(frame, 0) })
}

// Eval implements sql.AggregationBuffer.
func (f *frameRows) Eval(ctx *sql.Context) (any, error) {
	var v types.Value
	if err := f.told(ctx, nil, func(frame *eval.Frame) { v = f.states.Result(frame, 0) }); err != nil || v.Null {
		return nil, err
	}
	return given(f.of.t, f.of.own, v)
}

// told computes something, and tells the session what there is to say of it.
func (f *frameRows) told(ctx *sql.Context, values []types.Value, compute func(*eval.Frame)) error {
	s, ok := ctx.Session.(Session)
	if !ok {
		return mysqlerr.NotYet("an expression outside of a session")
	}
	_, now, err := s.Evaluation(ctx)
	if err != nil {
		return err
	}
	frame := f.of.aggregate.frame
	frame.Diag.Strict = now.Diag.Strict
	frame.Reset()
	frame.Kept = values
	frame.Diag.Reset(0)
	before := frame.Charge
	frame.Charge = f.held.Charge
	compute(frame)
	frame.Charge = before
	return tell(ctx, frame)
}

// Dispose implements sql.Disposable.
func (f *frameRows) Dispose(*sql.Context) { f.held.Release() }
