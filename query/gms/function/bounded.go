package function

import (
	"fmt"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// bounded is a function of go-mysql-server whose result may be much longer than its
// arguments. They are evaluated first, the length of the result is computed from
// them, and only if it is allowed is the function itself called: beyond
// max_allowed_packet it is NULL with warning 1301, as in MariaDB.
type bounded struct {
	spec  *boundedSpec
	shape sql.Expression // the function with its arguments
	call  *boundedCall
}

// boundedCall is the function with its arguments read from a row that holds them, so
// that none is evaluated twice. It is made at the first evaluation.
type boundedCall struct {
	once sync.Once
	f    sql.Expression
	err  error
}

var (
	_ sql.FunctionExpression         = (*bounded)(nil)
	_ sql.CollationCoercible         = (*bounded)(nil)
	_ sql.NonDeterministicExpression = (*bounded)(nil)
)

func newBounded(spec *boundedSpec, shape sql.Expression) *bounded {
	return &bounded{spec: spec, shape: shape, call: &boundedCall{}}
}

// FunctionName implements sql.FunctionExpression.
func (b *bounded) FunctionName() string { return b.spec.name }

// Description implements sql.FunctionExpression.
func (b *bounded) Description() string { return b.spec.name }

// Resolved implements sql.Expression.
func (b *bounded) Resolved() bool { return b.shape.Resolved() }

// String implements sql.Expression.
func (b *bounded) String() string { return b.shape.String() }

// Type implements sql.Expression.
func (b *bounded) Type(ctx *sql.Context) sql.Type { return b.shape.Type(ctx) }

// IsNullable implements sql.Expression: a result that is too long is NULL.
func (b *bounded) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (b *bounded) Children() []sql.Expression { return b.shape.Children() }

// WithChildren implements sql.Expression.
func (b *bounded) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	shape, err := b.shape.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return newBounded(b.spec, shape), nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (b *bounded) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, b.shape)
}

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (b *bounded) IsNonDeterministic() bool {
	n, ok := b.shape.(sql.NonDeterministicExpression)
	return ok && n.IsNonDeterministic()
}

// Eval implements sql.Expression.
func (b *bounded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	children := b.shape.Children()
	args := make(sql.Row, len(children))
	for i, c := range children {
		v, err := c.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil && b.spec.strict {
			return nil, nil
		}
		args[i] = v
	}
	s := SessionOf(ctx)
	if s == nil { // the planner of a tool, without a session of ours
		return b.shape.Eval(ctx, row)
	}
	packet := int64(s.SysVars().Uint("max_allowed_packet"))
	n := b.spec.size(ctx, b.shape, args)
	if n > packet {
		if stop, err := b.spec.exceeded(ctx, s, n, packet); stop || err != nil {
			return nil, err
		}
	}
	if b.spec.loose {
		n = min(n, packet)
	}
	if err := s.Memory().Value(n); err != nil {
		return nil, err
	}
	if b.spec.own != nil {
		return b.spec.own(ctx, args)
	}
	b.call.once.Do(func() { b.call.f, b.call.err = b.spec.withSlots(ctx, b.shape) })
	if b.call.err != nil {
		return nil, b.call.err
	}
	return b.call.f.Eval(ctx, args)
}

// exceeded handles a result that is longer than max_allowed_packet. Functions that
// MariaDB does not bound may make values up to packetFactor times as long.
func (spec *boundedSpec) exceeded(ctx *sql.Context, s Session, n, packet int64) (stop bool, err error) {
	switch {
	case spec.over != nil:
		return true, spec.over(ctx, packet)
	case !spec.unbounded:
		return true, WarnOrFail(ctx, mysqlerr.WarnAllowedPacketOverflowed, spec.name, packet)
	case spec.loose && n <= s.Memory().Server.LooseMax():
	case n > packet*PacketFactor:
		return true, TooLong(spec.name, packet)
	}
	return false, nil
}

// TooLong refuses a value that MariaDB would make.
func TooLong(name string, packet int64) error {
	return mysqlerr.Newf(mysqlerr.WarnAllowedPacketOverflowed,
		"Result of %s() was larger than %d times max_allowed_packet (%d)", name, PacketFactor, packet)
}

// withSlots gives the function arguments that are read from a row of values.
// Literals stay: go-mysql-server compiles regular expressions and paths once if they
// are literals.
func (spec *boundedSpec) withSlots(ctx *sql.Context, shape sql.Expression) (sql.Expression, error) {
	children := shape.Children()
	slots := make([]sql.Expression, len(children))
	for i, c := range children {
		if _, literal := c.(*expression.Literal); literal {
			slots[i] = c
			continue
		}
		slots[i] = argumentSlot{Expression: c, index: i}
	}
	f, err := shape.WithChildren(ctx, slots...)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", spec.name, err)
	}
	return f, nil
}

// argumentSlot is an argument that was evaluated already: its value is in the row.
type argumentSlot struct {
	sql.Expression
	index int
}

// Eval implements sql.Expression.
func (a argumentSlot) Eval(_ *sql.Context, row sql.Row) (any, error) { return row[a.index], nil }

// Children implements sql.Expression.
func (a argumentSlot) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (a argumentSlot) WithChildren(*sql.Context, ...sql.Expression) (sql.Expression, error) {
	return a, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (a argumentSlot) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, a.Expression)
}
