package aggregate

import (
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Call is a call of an aggregate function with its arguments bound.
type Call struct {
	Name     string // in upper case; of synonyms the one that package grammar chose: STD, VARIANCE
	Distinct bool
	Args     []*eval.Expr // none: COUNT(*)

	// The rest is of GROUP_CONCAT and JSON_ARRAYAGG.
	OrderBy   []Order
	Separator *eval.Expr // a literal; nil: a comma
	Limit     *Limit
}

// Order is a key of ORDER BY.
type Order struct {
	X    *eval.Expr
	Desc bool
}

// Limit is how many rows a group's result is made of at most, after so many that are left out.
type Limit struct{ Offset, Count uint64 }

// Func is an aggregate function whose types are settled. It is immutable.
type Func struct {
	Type types.Type // of the result
	call Call
	make func() States
}

// States are the states of one function for all groups of a statement. They are used by one goroutine.
type States interface {
	// Grow makes room for so many groups; new ones have no rows yet.
	Grow(groups int)
	// Add adds the frame's row to a group. What fails makes the statement fail (Frame.Failed).
	Add(f *eval.Frame, group int)
	// Result is the result for a group.
	Result(f *eval.Frame, group int) types.Value
	// Bytes is the memory of the states without what was charged to a frame.
	Bytes() int64
}

// Sorts reports whether MariaDB computes the function over the rows of one group after the other, not in a temporary table.
func (fn *Func) Sorts() bool {
	switch fn.call.Name {
	case "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG":
		return true
	case "MIN", "MAX":
		return false
	}
	return fn.call.Distinct
}

// Keeper are states of which MariaDB keeps something else while they are in a temporary table than it does where it goes through sorted rows.
type Keeper interface {
	// Kept says that they are in a temporary table.
	Kept()
}

// States makes states without groups.
func (fn *Func) States() States { return fn.make() }

// Node is the result as a part of expressions: it reads Frame.Aggregates[index].
func (fn *Func) Node(index int) *eval.Expr {
	x := eval.NewAggregated(fn.Type, index, strings.ToLower(fn.call.Name), fn.call.Args...).Printed(fn.call.print)
	if fn.Type.Kind == types.Timestamp && fn.call.Args[0].Instant() != nil {
		x.OfMoments(index)
	}
	if arg, _, ok := fn.Extreme(); ok && arg.Is(eval.Bool) {
		x.With(eval.Bool) // a condition stays one
	}
	return x
}

// String is the call as error messages have it.
func (c *Call) String() string { return string(c.print(nil)) }

func (c *Call) print(dst []byte) []byte {
	dst = append(append(dst, strings.ToLower(c.Name)...), '(')
	if c.Distinct {
		dst = append(dst, "distinct "...)
	}
	for i, a := range c.Args {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.Print(dst)
	}
	if len(c.Args) == 0 {
		dst = append(dst, '*')
	}
	return append(dst, ')')
}

// Bind settles the types of a call. Error 4079 says that the function cannot take an argument's type, 1235 that it is not known, or that the
// order of a collation is not.
func Bind(b *eval.Builder, c Call) (*Func, error) {
	binder, ok := binders[c.Name]
	if !ok {
		return nil, mysqlerr.NotYet("function " + c.Name)
	}
	fn := &Func{call: c}
	var err error
	if fn.Type, fn.make, err = binder(b, &fn.call); err != nil {
		return nil, err
	}
	return fn, nil
}

type binder func(b *eval.Builder, c *Call) (types.Type, func() States, error)

var binders map[string]binder

func init() {
	binders = map[string]binder{
		"COUNT": bindCount, "SUM": bindSum, "AVG": bindAvg, "MIN": bindExtreme, "MAX": bindExtreme,
		"STD": bindVariance, "STDDEV_SAMP": bindVariance, "VARIANCE": bindVariance, "VAR_SAMP": bindVariance,
		"BIT_AND": bindBits, "BIT_OR": bindBits, "BIT_XOR": bindBits,
		"GROUP_CONCAT": bindConcat, "JSON_ARRAYAGG": bindArray, "JSON_OBJECTAGG": bindObject,
	}
}

// isNumber refuses arguments that have no number.
func (c *Call) isNumber() error {
	if x := c.Args[0]; x.Type.Kind.Address() {
		return mysqlerr.New(mysqlerr.IllegalParameterDataType, x.Type.Name(), strings.ToLower(c.Name)+"(")
	}
	return nil
}

// writers are the keys of expressions.
func writers(xs []*eval.Expr) ([]*key.Writer, error) {
	out := make([]*key.Writer, len(xs))
	for i, x := range xs {
		var err error
		if out[i], err = key.New(x, false); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// grown is a slice of so many elements, the new ones zero.
func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	if n <= cap(s) {
		return s[:n]
	}
	return append(s, make([]T, n-len(s))...)
}

// charge counts memory; false if it is refused, and the statement fails.
func charge(f *eval.Frame, n int64) bool {
	if n <= 0 || f.Charge == nil {
		return true
	}
	if err := f.Charge(n); err != nil {
		f.FailWith(err)
		return false
	}
	return true
}

// nullOf tells whether an expression's value for the frame's row is NULL.
func nullOf(x *eval.Expr) func(*eval.Frame) bool {
	switch x.Type.Class() {
	case types.ClassInt:
		row := eval.Of[int64](x)
		return func(f *eval.Frame) bool { _, null := row(f); return null }
	case types.ClassText:
		row := eval.Of[[]byte](x)
		return func(f *eval.Frame) bool { _, null := row(f); return null }
	}
	return func(f *eval.Frame) bool { return x.Compute(f).Null }
}
