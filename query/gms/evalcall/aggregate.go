package evalcall

import (
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/types"
)

// Aggregate is JSON_ARRAYAGG or JSON_OBJECTAGG of query/eval/aggregate, in the place of go-mysql-server's.
type Aggregate struct {
	sql.Aggregation // go-mysql-server's, for its arguments and its place in the plan
	name            string
	bound           *atomic.Pointer[boundAggregate]
}

var (
	_ sql.Aggregation        = (*Aggregate)(nil)
	_ sql.FunctionExpression = (*Aggregate)(nil)
	_ sql.CollationCoercible = (*Aggregate)(nil)
)

type boundAggregate struct {
	env  types.Env
	args *Arguments
	fn   *aggregate.Func
	own  sql.Type
	err  error
}

// NewAggregate stands for one of go-mysql-server's aggregate functions; ok is false for another one than those that are here.
func NewAggregate(e sql.Expression) (_ *Aggregate, ok bool) {
	switch a := e.(type) {
	case *aggregation.JsonArray:
		return newAggregate(a, "JSON_ARRAYAGG"), true
	case *aggregation.JSONObjectAgg:
		return newAggregate(a, "JSON_OBJECTAGG"), true
	}
	return nil, false
}

func newAggregate(a sql.Aggregation, name string) *Aggregate {
	return &Aggregate{Aggregation: a, name: name, bound: &atomic.Pointer[boundAggregate]{}}
}

// Bind settles the types. Its error says what is refused.
func (a *Aggregate) Bind(ctx *sql.Context) error { return a.settled(ctx).err }

func (a *Aggregate) settled(ctx *sql.Context) *boundAggregate {
	env, err := envOf(ctx)
	if err != nil {
		return &boundAggregate{err: err, own: gmstypes.LongText}
	}
	if b := a.bound.Load(); b != nil && b.env == *env {
		return b
	}
	b := &boundAggregate{env: *env}
	if b.args, b.err = NewArguments(ctx, env, a.Children()); b.err == nil {
		b.fn, b.err = aggregate.Bind(b.args.Builder, aggregate.Call{Name: a.name, Args: b.args.Nodes})
	}
	if b.err == nil {
		b.own, b.err = EngineType(b.fn.Type)
	}
	if b.own == nil {
		b.own = gmstypes.LongText
	}
	a.bound.Store(b)
	return b
}

// Known is the type of the result in MariaDB; ok is false for what is refused.
func (a *Aggregate) Known(ctx *sql.Context) (t types.Type, ok bool) {
	b := a.settled(ctx)
	if b.err != nil {
		return t, false
	}
	return b.fn.Type, true
}

// FunctionName implements sql.FunctionExpression.
func (a *Aggregate) FunctionName() string { return strings.ToLower(a.name) }

// Description implements sql.FunctionExpression.
func (a *Aggregate) Description() string { return a.FunctionName() }

// Type implements sql.Expression.
func (a *Aggregate) Type(ctx *sql.Context) sql.Type { return a.settled(ctx).own }

// IsNullable implements sql.Expression.
func (a *Aggregate) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (a *Aggregate) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if t, ok := a.Type(ctx).(sql.TypeWithCollation); ok {
		return t.Collation(), 4
	}
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (a *Aggregate) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := a.Aggregation.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	own := e.(sql.Aggregation).WithId(a.Id())
	return newAggregate(own.(sql.Aggregation), a.name), nil
}

// WithId implements sql.IdExpression.
func (a *Aggregate) WithId(id sql.ColumnId) sql.IdExpression {
	own := *a
	own.Aggregation = a.Aggregation.WithId(id).(sql.Aggregation)
	return &own
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a *Aggregate) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	own := *a
	own.Aggregation = a.Aggregation.WithWindow(ctx, w).(sql.Aggregation)
	return &own
}

// NewBuffer implements sql.Aggregation.
func (a *Aggregate) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	b := a.settled(ctx)
	if b.err != nil {
		return nil, b.err
	}
	g := &group{of: b, states: b.fn.States(), held: function.NewHeld(function.SessionOf(ctx))}
	g.states.Grow(1)
	return g, nil
}

// group is the state of a group.
type group struct {
	of     *boundAggregate
	states aggregate.States
	held   *function.Held
}

// Update implements sql.AggregationBuffer.
func (g *group) Update(ctx *sql.Context, row sql.Row) error {
	f, err := g.of.args.Read(ctx, row)
	if err != nil {
		return err
	}
	before := f.Charge
	f.Charge = g.held.Charge
	g.states.Add(f, 0)
	g.of.args.Done(f)
	f.Charge = before
	return Told(ctx, f)
}

// Eval implements sql.AggregationBuffer.
func (g *group) Eval(ctx *sql.Context) (any, error) {
	f := frameOf(ctx, g.of.args.Builder.Env, len(g.of.args.args))
	v := g.states.Result(f, 0)
	if err := Told(ctx, f); err != nil {
		return nil, err
	}
	return EngineValue(g.of.fn.Type, v)
}

// Dispose implements sql.Disposable.
func (g *group) Dispose(*sql.Context) { g.held.Release() }
