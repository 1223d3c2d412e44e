package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Scalar is the Go type of a class's values.
type Scalar interface {
	int64 | float64 | decimal.Dec | temporal.Packed | []byte
}

// Func is a row form: the value for the frame's row, or NULL. After a failure (Frame.Fail) it yields NULL.
type Func[T Scalar] func(*Frame) (v T, null bool)

// Props are what is known of an expression besides its type.
type Props uint16

// The properties.
const (
	// Constant: the value is the same for every row of one run of the statement.
	Constant Props = 1 << iota
	// Literal: the value is written in the statement (a literal, with its sign).
	Literal
	// Volatile: each evaluation may give another value, or does something: RAND, UUID, @a:=, SLEEP. It is not moved or left out.
	Volatile
	// Session: the value depends on the session or the time, so that a generated column or an index may not have it.
	Session
	// Moving: the value depends on what the statement has done before the row: it reads a user variable that the statement sets, or is RAND. Ordered by
	// that, rows are kept with their values.
	Moving
	// Bool: the value is that of a condition: JSON functions write true and false.
	Bool
)

// Expr is a node of a bound expression.
type Expr struct {
	Type  types.Type
	Props Props
	// Name is the function's or operator's name as error messages have it: "+", "concat".
	Name string
	Args []*Expr
	// Value is that of a Literal.
	Value types.Value

	print func(dst []byte) []byte
	bind  int // how tightly an operator binds: tree.Bind...
	row   any // Func of the type's class

	moment func(Reading) Moment // see ReadBy

	label *Label // see Labelled

	plain bool // see Plainly

	aggregated bool // see NewAggregated

	source, ordinal int32 // of a column: its table's place in Frame.Rows, plus one, and its ordinal there

	instant *Expr // see At

	asFloat, asDec, asInt *Expr // see ReadAs
	unquoted              *Expr // see ComparedAs
	asText                *Expr // of a truth value of the system, see SystemVariable
}

// Is reports whether all of the properties hold.
func (x *Expr) Is(p Props) bool { return x.Props&p == p }

// Null reports whether the expression is the literal NULL, or of its type.
func (x *Expr) Null() bool { return x.Type.Kind == types.Null }

// Print appends the expression as MariaDB prints it in error messages.
func (x *Expr) Print(dst []byte) []byte { return x.print(dst) }

// String is what Print appends.
func (x *Expr) String() string { return string(x.print(nil)) }

// Of is the row form of an expression, of whose class T is the Go type. Another T is a mistake of the caller, and a panic.
func Of[T Scalar](x *Expr) Func[T] { return x.row.(Func[T]) }

// New makes a node: an expression of a type with its row form, over arguments. Properties are those that follow from the arguments.
func New[T Scalar](name string, t types.Type, f Func[T], args ...*Expr) *Expr {
	if classOf[T]() != t.Class() {
		panic("eval: " + name + " has a row form that is not of its type")
	}
	return &Expr{Type: t, Name: name, Args: args, Props: propsOf(args), row: f, bind: bindPrimary, print: callPrinter(name, args)}
}

// NewNull makes a node of type NULL, which is always NULL.
func NewNull(name string, args ...*Expr) *Expr {
	return New(name, types.NullType(), func(*Frame) ([]byte, bool) { return nil, true }, args...)
}

// With returns the node with more properties. It changes the node, and is for the code that made it.
func (x *Expr) With(p Props) *Expr {
	if x.Props |= p; p&Volatile != 0 {
		x.Props &^= Constant
	}
	return x
}

// Unsettled is a constant as a node that is computed for each row.
func (x *Expr) Unsettled() *Expr {
	y := *x
	y.Props &^= Constant | Literal
	return &y
}

// Plainly notes that a node is what its name says of its arguments, and nothing else, so that several may be computed as one. It changes the node, and is for
// the code that made it.
func (x *Expr) Plainly() *Expr {
	x.plain = true
	return x
}

// Plain reports what Plainly has noted.
func (x *Expr) Plain() bool { return x.plain }

// ReadAs sets what stands for a node where a DOUBLE, a DECIMAL or an integer is asked for; integer may be nil. It changes the node, and is for the code that
// made it.
func (x *Expr) ReadAs(float, dec, integer *Expr) *Expr {
	if x.asFloat, x.asDec = float.As(x), dec.As(x); integer != nil {
		x.asInt = integer.As(x)
	}
	return x
}

// ComparedAs sets what stands for a text where = and its like compare it with another one: of the same type. It changes the node, and is for the code that
// made it.
func (x *Expr) ComparedAs(text *Expr) *Expr {
	x.unquoted = text.As(x)
	return x
}

// Compared is what ComparedAs has set; nil for nothing.
func (x *Expr) Compared() *Expr { return x.unquoted }

// Taking sets the arguments of a node that does not compute all of them itself. It changes the node, and is for the code that made it.
func (x *Expr) Taking(args ...*Expr) *Expr {
	volatile := x.Props &^ propsOf(x.Args)
	x.Args, x.Props, x.print = args, propsOf(args)|volatile, callPrinter(x.Name, args)
	return x
}

func propsOf(args []*Expr) Props {
	p := Constant
	for _, a := range args {
		if !a.Is(Constant) {
			p &^= Constant
		}
		p |= a.Props & (Volatile | Session | Moving)
	}
	return p
}

func classOf[T Scalar]() types.Class {
	var zero T
	switch any(zero).(type) {
	case int64:
		return types.ClassInt
	case float64:
		return types.ClassFloat
	case decimal.Dec:
		return types.ClassDec
	case temporal.Packed:
		return types.ClassTime
	}
	return types.ClassText
}

// Height is the number of nodes on the longest way down.
func (x *Expr) Height() int {
	h := 0
	for _, a := range x.Args {
		h = max(h, a.Height())
	}
	return h + 1
}
