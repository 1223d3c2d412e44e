package evalcall

import (
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Functions are the functions by name.
func Functions() map[string]sql.Function {
	out := map[string]sql.Function{}
	for i := range json.Functions {
		def := &json.Functions[i]
		name := strings.ToLower(def.Name)
		out[name] = sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			if err := def.Counts(len(args)); err != nil {
				return nil, err
			}
			if name == "json_object" && len(args)%2 != 0 {
				return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, def.Name)
			}
			return &Call{def: def, name: name, args: args, bound: &atomic.Pointer[bound]{}}, nil
		}}
	}
	return out
}

// Call is a call of a function.
type Call struct {
	def  *eval.Def
	name string
	args []sql.Expression
	// bound is what the call is under the session's variables; it is made when it is first asked for.
	bound *atomic.Pointer[bound]
}

var (
	_ sql.FunctionExpression         = (*Call)(nil)
	_ sql.CollationCoercible         = (*Call)(nil)
	_ sql.NonDeterministicExpression = (*Call)(nil)
)

// bound is a call whose types are settled.
type bound struct {
	env  types.Env
	args *Arguments
	expr *eval.Expr
	own  sql.Type // the result's, as go-mysql-server has it
	err  error
}

// Bind settles the types of the call. Its error says that the call is wrong or refused.
func (c *Call) Bind(ctx *sql.Context) error { return c.settled(ctx).err }

// settled is the call under the session's variables.
func (c *Call) settled(ctx *sql.Context) *bound {
	env, err := envOf(ctx)
	if err != nil {
		return &bound{err: err, own: gmstypes.LongText}
	}
	if b := c.bound.Load(); b != nil && b.env == *env {
		return b
	}
	b := &bound{env: *env, own: gmstypes.LongText}
	if b.args, b.err = NewArguments(ctx, env, c.args); b.err == nil {
		b.expr, b.err = c.def.Bind(b.args.Builder, b.args.Nodes)
	}
	if b.err == nil {
		b.own, b.err = EngineType(b.expr.Type)
	}
	if b.own == nil {
		b.own = gmstypes.LongText
	}
	c.bound.Store(b)
	return b
}

// Known is the type that the call has in MariaDB; ok is false for one that is refused.
func (c *Call) Known(ctx *sql.Context) (t types.Type, ok bool) {
	b := c.settled(ctx)
	if b.err != nil {
		return t, false
	}
	return b.expr.Type, true
}

// Truth reports whether the call is a condition, which JSON has as true and false.
func (c *Call) Truth(ctx *sql.Context) bool {
	b := c.settled(ctx)
	return b.err == nil && b.expr.Is(eval.Bool)
}

// FunctionName implements sql.FunctionExpression.
func (c *Call) FunctionName() string { return c.name }

// Description implements sql.FunctionExpression.
func (c *Call) Description() string { return c.name }

// Resolved implements sql.Expression.
func (c *Call) Resolved() bool {
	for _, a := range c.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (c *Call) String() string {
	parts := make([]string, len(c.args))
	for i, a := range c.args {
		parts[i] = a.String()
	}
	return c.name + "(" + strings.Join(parts, ",") + ")"
}

// Type implements sql.Expression.
func (c *Call) Type(ctx *sql.Context) sql.Type {
	if ctx == nil || !c.Resolved() {
		if b := c.bound.Load(); b != nil {
			return b.own
		}
		return gmstypes.LongText
	}
	return c.settled(ctx).own
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *Call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if t, ok := c.Type(ctx).(sql.TypeWithCollation); ok {
		strength := byte(4)
		if b := c.bound.Load(); b != nil && b.err == nil {
			strength = strengths[b.expr.Type.Derivation]
		}
		return t.Collation(), strength
	}
	return sql.Collation_binary, 5
}

// IsNullable implements sql.Expression.
func (c *Call) IsNullable(*sql.Context) bool { return true }

// IsNonDeterministic keeps the planner from making a literal of a call, whose type would be lost.
func (c *Call) IsNonDeterministic() bool {
	for _, a := range c.args {
		if _, literal := a.(*expression.Literal); literal {
			continue
		}
		own, ok := a.(sql.NonDeterministicExpression)
		if !ok || !own.IsNonDeterministic() {
			return false
		}
	}
	return true
}

// Children implements sql.Expression.
func (c *Call) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *Call) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	same := true
	for i := range children {
		same = same && children[i] == c.args[i]
	}
	own := *c
	own.args = children
	if !same {
		own.bound = &atomic.Pointer[bound]{}
	}
	return &own, nil
}

// Eval implements sql.Expression.
func (c *Call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	b := c.settled(ctx)
	if b.err != nil {
		return nil, b.err
	}
	f, err := b.args.Read(ctx, row)
	if err != nil {
		return nil, err
	}
	defer b.args.Done(f)
	v := b.expr.Compute(f)
	if err := Told(ctx, f); err != nil {
		return nil, err
	}
	return EngineValue(b.expr.Type, v)
}
