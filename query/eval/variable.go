package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Variable makes the node of a user variable that the statement does not set. Text of one is read as a number without a warning.
func (b *Builder) Variable(name string, v types.Value, t types.Type) *Expr {
	x := NewValue(t, v).With(Session).Printed(variableNamed(name))
	if t.Class() != types.ClassText {
		return x
	}
	as := func(to *Expr) *Expr {
		return NewValue(to.Type.OrNull(), b.become(b.Scratch, v, t, to.Type)).With(Session)
	}
	plain := NewValue(t, v)
	return x.ReadAs(as(b.ToFloat(plain)), as(b.ToDec(plain)), as(b.ToInt(plain)))
}

// ReadVariable makes the node of a user variable that the statement sets: its value is that of the moment, its type, t, that of before. What is of
// another type by then is read as one of t, without a warning.
func (b *Builder) ReadVariable(name string, t types.Type) *Expr {
	var x *Expr
	switch t.Class() {
	case types.ClassInt:
		x = New("", t, readVariable(b, name, t, func(v types.Value) int64 { return v.Int }))
	case types.ClassFloat:
		x = New("", t, readVariable(b, name, t, func(v types.Value) float64 { return v.Float }))
	case types.ClassDec:
		x = New("", t, readVariable(b, name, t, func(v types.Value) decimal.Dec { return v.Dec }))
	default:
		x = New("", t, readVariable(b, name, t, func(v types.Value) []byte { return v.Text }))
		plain := NewValue(t, types.Value{})
		x.ReadAs(b.ReadVariable(name, b.ToFloat(plain).Type.OrNull()), b.ReadVariable(name, b.ToDec(plain).Type.OrNull()), b.ReadVariable(name, b.ToInt(plain).Type.OrNull()))
	}
	return x.With(Volatile | Session | Moving).Printed(variableNamed(name))
}

func readVariable[T Scalar](b *Builder, name string, t types.Type, part func(types.Value) T) Func[T] {
	return func(f *Frame) (out T, null bool) {
		v, is, ok := f.Session.UserVariable(name)
		if !ok || v.Null {
			return out, true
		}
		if is.Class() != t.Class() || t.Collation != nil && is.Collation.Set() != t.Collation.Set() {
			v = b.become(f, v, is, t)
		}
		v.Text = append(f.Buffer(len(v.Text)), v.Text...)
		return part(v), v.Null
	}
}

// become is a value of one type as one of another.
func (b *Builder) become(f *Frame, v types.Value, is, t types.Type) types.Value {
	kept := f.Diag
	f.Diag = &types.Diagnostics{Most: 1}
	defer func() { f.Diag = kept }()
	x := NewValue(is, v)
	switch t.Class() {
	case types.ClassInt:
		return b.ToInt(x).Compute(f)
	case types.ClassFloat:
		return b.ToFloat(x).Compute(f)
	case types.ClassDec:
		return b.ToDec(x).Compute(f)
	}
	text := b.ToText(x)
	v = text.Compute(f)
	v.Text, _ = charset.Convert(nil, t.Collation.Set(), text.Type.Collation.Set(), v.Text)
	return v
}

// VariableValue is a node as a user variable keeps it, and the type that goes with the value: numbers as they are, all else as text.
func (b *Builder) VariableValue(x *Expr) (*Expr, types.Type) {
	t := x.Type
	if t.Class() == types.ClassInt && t.Kind != types.Enum && t.Kind != types.Set || t.Class() == types.ClassFloat || t.Class() == types.ClassDec {
		return x, t
	}
	text := b.ToText(x)
	c := text.Type.Collation
	switch {
	case x.Null():
		binary, _ := charset.SetByName("binary")
		c = binary.Default()
	case t.Class() == types.ClassTime && c.Set().ASCIIBytes():
		latin1, _ := charset.SetByName("latin1")
		c = latin1.Default()
	}
	return text, types.StringType(uint64(t.Length), c, charset.Implicit, false)
}

// SetVariable makes the node of @name := x, whose value is that of x.
func (b *Builder) SetVariable(name string, x *Expr) *Expr {
	value, kept := b.VariableValue(x)
	null := x.Null() && x.Is(Literal)
	if before, t, ok := b.Scratch.Session.UserVariable(name); ok && x.Null() && (null || !before.Null) && t.Collation != nil {
		kept.Collation = t.Collation // NULL has none
	} else if ok && null {
		latin1, _ := charset.SetByName("latin1")
		kept.Collation = latin1.Default() // of numbers
	}
	var out *Expr
	switch kept.Class() {
	case types.ClassInt:
		t := types.IntType(x.Type.Length, x.Type.Unsigned)
		t.Nullable = x.Type.Nullable
		out = New("", t, setVariable(name, Of[int64](value), kept, func(v int64) types.Value { return types.Value{Int: v} }), x)
	case types.ClassFloat:
		t := types.DoubleType()
		t.Nullable, t.Length, t.Decimals = x.Type.Nullable, x.Type.Length, x.Type.Decimals
		out = New("", t, setVariable(name, Of[float64](value), kept, func(v float64) types.Value { return types.Value{Float: v} }), x)
	case types.ClassDec:
		out = New("", x.Type, setVariable(name, Of[decimal.Dec](value), kept, func(v decimal.Dec) types.Value { return types.Value{Dec: v} }), x)
	default:
		t := types.StringType(uint64(x.Type.Length), kept.Collation, charset.Implicit, x.Type.ASCII)
		if x.Type.Class() == types.ClassTime {
			t = types.StringType(uint64(x.Type.Length), value.Type.Collation, charset.Numeric, true)
		}
		t.Nullable, t.Decimals, t.Unsigned = x.Type.Nullable, x.Type.Decimals, x.Type.Unsigned
		set := setVariable(name, Of[[]byte](value), kept, func(v []byte) types.Value { return types.Value{Text: v} })
		if null {
			set = setNull(name)
		}
		out = New("", t, set, x)
	}
	return out.With(Volatile | Session).Printed(func(dst []byte) []byte {
		return append(x.Print(append(variableNamed(name)(append(dst, '(')), ":="...)), ')')
	})
}

func setVariable[T Scalar](name string, row Func[T], kept types.Type, value func(T) types.Value) Func[T] {
	return func(f *Frame) (T, bool) {
		v, null := row(f)
		if f.Failed() {
			return v, true
		}
		stored := value(v)
		stored.Null = null
		if err := f.Session.SetUserVariable(name, stored, kept); err != nil {
			f.FailWith(err)
		}
		return v, null
	}
}

// setNull gives a variable NULL for a value; it keeps its type.
func setNull(name string) Func[[]byte] {
	return func(f *Frame) ([]byte, bool) {
		if _, t, ok := f.Session.UserVariable(name); ok {
			if err := f.Session.SetUserVariable(name, types.Value{Null: true}, t); err != nil {
				f.FailWith(err)
			}
		}
		return nil, true
	}
}

func variableNamed(name string) func([]byte) []byte {
	return func(dst []byte) []byte { return append(append(append(dst, "@`"...), name...), '`') }
}
