package eval

import (
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Builder makes nodes for one Env. Its methods convert arguments and settle types; what they return is not changed any more.
type Builder struct {
	Env *types.Env
	// Scratch is a frame for values that are needed to settle a type (the places of ROUND). Its session and conditions are those of the
	// statement that is being bound; conditions are thrown away.
	Scratch *Frame

	slots  int      // how many Slot has given out
	parent *Builder // which gives out the slots; nil: this one
}

// Under makes nodes for another Env, which run in the frames of b's nodes. b must not be copied meanwhile.
func (b *Builder) Under(env *types.Env, scratch *Frame) Builder {
	return Builder{Env: env, Scratch: scratch, parent: b}
}

// Def is a function of SQL: an entry in the one table of all functions.
type Def struct {
	Name     string // in upper case
	Min, Max int    // how many arguments it takes; Max below 0: any number
	// Framed says that what its nodes have of the session (the property Session) is what each frame has: the statement's time, its zone, Env.
	Framed bool
	// Bind makes the node: it settles the type, and converts arguments.
	Bind func(b *Builder, args []*Expr) (*Expr, error)
	// Source says where the rules are from, if it is not the server's answers alone.
	Source string
}

// Call makes the node of a call. Error 1582 says that the number of arguments is wrong.
func (d *Def) Call(b *Builder, args []*Expr) (*Expr, error) {
	if err := d.Counts(len(args)); err != nil {
		return nil, err
	}
	return d.Bind(b, args)
}

// Counts is error 1582 if the function does not take so many arguments.
func (d *Def) Counts(n int) error {
	if n < d.Min || d.Max >= 0 && n > d.Max {
		return mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, d.Name)
	}
	return nil
}

// ConstInt is the value of a constant argument that settles a type, as an integer; ok is false if the argument is no constant, or NULL
// (null).
func (b *Builder) ConstInt(x *Expr) (v int64, null, ok bool) {
	if !x.Is(Constant) {
		return 0, false, false
	}
	diag := b.Scratch.Diag
	b.Scratch.Diag = &types.Diagnostics{Most: 1}
	defer func() { b.Scratch.Diag = diag }()
	v, null = Of[int64](b.ToInt(x))(b.Scratch)
	return v, null, !null
}

// Text is the type of text that a function makes by itself, in the character set of the connection: of numbers, dates, names.
func (b *Builder) Text(length uint64) types.Type {
	return types.StringType(length, b.Env.Connection, charset.Coercible, b.Env.Connection.Set().ASCIIBytes())
}
