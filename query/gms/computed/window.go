package computed

import (
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	gmswindow "github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/window"
	"github.com/duramendb/duramen/query/gms/column"
	gmsfunction "github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Window is a function over a window: go-mysql-server computes it, and its type is MariaDB's, which package window settles. It is in plans only; Over is
// what runs.
type Window struct {
	expression.UnaryExpressionStub // the function
	t                              types.Type
	own                            sql.Type      // of values
	aggregate                      *ownAggregate // nil: go-mysql-server computes the values
}

var (
	_ sql.IdExpression       = (*Window)(nil)
	_ sql.CollationCoercible = (*Window)(nil)
)

// SettledWindow gives a function over a window of a bound plan its type; e itself if it is none, or the types of its arguments are not known.
func SettledWindow(ctx *sql.Context, in *column.Arguments, e sql.Expression) (sql.Expression, error) {
	f, ok := e.(sql.WindowAdaptableExpression)
	if !ok || f.Window() == nil {
		return e, nil
	}
	s, ok := ctx.Session.(Session)
	if !ok {
		return e, nil
	}
	call, ok := callOf(ctx, in, f)
	if !ok {
		return e, nil
	}
	shared, frame, err := s.Evaluation(ctx)
	if err != nil {
		return e, understood(err)
	}
	b := shared.Builder // a copy: of what is bound only the type stays
	t, err := window.Bind(&b, call)
	if err != nil {
		return e, unsettled(err)
	}
	own, err := windowType(t, f.Type(ctx))
	if err != nil {
		return e, understood(err)
	}
	w := &Window{UnaryExpressionStub: expression.UnaryExpressionStub{Child: e}, t: t, own: own}
	if computedHere[call.Name] {
		if w.aggregate, err = aggregateOf(ctx, in, shared, frame, call, argumentsOf(f)); err != nil {
			return e, understood(err)
		}
	}
	if w.aggregate != nil {
		if w.own, err = Type(t); err != nil {
			return e, understood(err)
		}
	}
	return w, nil
}

// unsettled is an error that MariaDB has, too: nil for a refusal, since the function may be computed without its type.
func unsettled(err error) error {
	var e *mysqlerr.Error
	if errors.As(err, &e) && e.Number == mysqlerr.NotSupportedYet {
		return nil
	}
	return err
}

// windowType is the type of values: go-mysql-server's, but where it shows that it is another one. Members of ENUM and SET are texts, and numbers of rows and
// parts are integers with a sign.
func windowType(t types.Type, theirs sql.Type) (sql.Type, error) {
	member := gmstypes.IsEnum(theirs) || gmstypes.IsSet(theirs)
	if member || t.Class() == types.ClassInt && (gmstypes.IsFloat(theirs) || gmstypes.IsUnsigned(theirs) && !t.Unsigned) {
		return Type(t)
	}
	return theirs, nil
}

// otherNames are those of go-mysql-server's functions that have another one in MariaDB.
var otherNames = map[string]string{"STDDEVPOP": "STD", "STDDEVSAMP": "STDDEV_SAMP", "VARPOP": "VARIANCE", "VARSAMP": "VAR_SAMP"}

// callOf is a function with its arguments bound; ok is false if it is none of MariaDB's, or something is not known of an argument.
func callOf(ctx *sql.Context, in *column.Arguments, f sql.WindowAdaptableExpression) (c window.Call, ok bool) {
	named, ok := f.(sql.FunctionExpression)
	if !ok {
		return c, false
	}
	c.Name = strings.ToUpper(named.FunctionName())
	if other := otherNames[c.Name]; other != "" {
		c.Name = other
	}
	if _, known := window.Find(c.Name); !known {
		return c, false
	}
	args := argumentsOf(f)
	for i, arg := range args {
		if d, is := arg.(*expression.DistinctExpression); is {
			arg, c.Distinct = d.Child, true
		}
		x, ok := operand(ctx, in, gmsfunction.Undoubled(arg), i)
		if !ok {
			return c, false
		}
		c.Args = append(c.Args, x)
	}
	return c, true
}

// argumentsOf are the arguments of a function over a window, besides the window's expressions, as far as its type depends on them.
func argumentsOf(f sql.WindowAdaptableExpression) []sql.Expression {
	switch f := f.(type) {
	case *gmswindow.RowNumber, *gmswindow.Rank, *gmswindow.DenseRank, *gmswindow.PercentRank:
		return nil
	case *gmsfunction.NTile:
		return []sql.Expression{f.Parts()}
	case *gmswindow.FirstValue:
		return []sql.Expression{f.Child}
	case *gmswindow.LastValue:
		return []sql.Expression{f.Child}
	case *gmswindow.Lag:
		return f.ChildExpressions[:1]
	case *gmswindow.Lead:
		return f.ChildExpressions[:1]
	}
	return f.Children()[:1] // of aggregate functions: COUNT(*) has a literal
}

// operand is an argument whose type is known: a column of a table is one, too.
func operand(ctx *sql.Context, in *column.Arguments, arg sql.Expression, at int) (*eval.Expr, bool) {
	known, ok := in.Of(arg)
	t := known.Type
	if !ok || t.Class() == types.ClassText && t.Collation == nil && t.Kind != types.Null && !t.Kind.Address() {
		return nil, false
	}
	if in.Stored(arg) {
		switch t.Class() {
		case types.ClassInt:
			return eval.NewColumn[int64](t, 0, at, arg.String(), nil), true
		case types.ClassFloat:
			return eval.NewColumn[float64](t, 0, at, arg.String(), nil), true
		case types.ClassDec:
			return eval.NewColumn[decimal.Dec](t, 0, at, arg.String(), nil), true
		case types.ClassTime:
			return eval.NewColumn[temporal.Packed](t, 0, at, arg.String(), nil), true
		}
		return eval.NewColumn[[]byte](t, 0, at, arg.String(), nil), true
	}
	if t.Kind == types.Null {
		return eval.NewNull("NULL"), true
	}
	x := node(arg, at, t)
	if gmstypes.IsBoolean(arg.Type(ctx)) {
		x = x.With(eval.Bool)
	}
	return x, true
}

// MariaDBType is the type that the value has in MariaDB.
func (w *Window) MariaDBType() types.Type { return w.t }

// Known reports that the type is known.
func (w *Window) Known() bool { return true }

// String implements sql.Expression: columns are told apart by it.
func (w *Window) String() string { return w.Child.String() }

// DebugString implements sql.DebugStringer.
func (w *Window) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, w.Child) }

// Type implements sql.Expression.
func (w *Window) Type(*sql.Context) sql.Type { return w.own }

// IsNullable implements sql.Expression.
func (w *Window) IsNullable(*sql.Context) bool { return w.t.Nullable }

// CollationCoercibility implements sql.CollationCoercible.
func (w *Window) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return coercibilityOf(w.t)
}

// Id implements sql.IdExpression.
func (w *Window) Id() sql.ColumnId { return w.Child.(sql.IdExpression).Id() }

// WithId implements sql.IdExpression.
func (w *Window) WithId(id sql.ColumnId) sql.IdExpression {
	own := *w
	own.Child = w.Child.(sql.IdExpression).WithId(id)
	return &own
}

// WithChildren implements sql.Expression.
func (w *Window) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 1)
	}
	own := *w
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression; a function over a window is evaluated by Over.
func (w *Window) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, aggregation.ErrEvalUnsupportedOnAggregation.New(w.String())
}

// Over is the function to run, whose values are of the type.
func (w *Window) Over(ctx *sql.Context, f sql.WindowAdaptableExpression) sql.WindowAdaptableExpression {
	if w.aggregate != nil {
		return &overRows{f, w}
	}
	theirs := f.Type(ctx)
	if w.own.Equals(theirs) {
		return f
	}
	return &overWindow{f, leaf{t: w.t, gms: theirs}, w.own}
}

// overWindow is a function over a window that runs, whose values are converted.
type overWindow struct {
	sql.WindowAdaptableExpression
	read leaf
	own  sql.Type
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (w *overWindow) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	f, err := w.WindowAdaptableExpression.NewWindowFunction(ctx)
	return &convertedWindow{f, w}, err
}

type convertedWindow struct {
	sql.WindowFunction
	by *overWindow
}

// Compute implements sql.WindowFunction.
func (c *convertedWindow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) (any, error) {
	v, err := c.WindowFunction.Compute(ctx, frame, rows)
	if err != nil || v == nil {
		return nil, err
	}
	own, err := c.by.read.value(ctx, v)
	if err != nil || own.Null {
		return nil, err
	}
	return given(c.by.read.t, c.by.own, own)
}
