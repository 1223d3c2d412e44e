package eval

import "github.com/duramendb/duramen/query/types"

// SystemVariable makes the node of a system variable, whose value is that of the whole statement. Text of one becomes a number once in a
// statement, so that its warning comes once; truth says that it is an integer which is ON or OFF as text.
func (b *Builder) SystemVariable(name string, t types.Type, v types.Value, truth bool) *Expr {
	x := NewValue(t, v).With(Session).Printed(systemNamed(name))
	switch {
	case truth:
		text, value := b.Text(uint64(t.Length)), "OFF"
		if v.Int != 0 {
			value = "ON"
		}
		text.Nullable = t.Nullable
		x.asText = b.fromASCII(NewValue(text, types.Value{Text: []byte(value)}).As(x))
	case t.Class() == types.ClassText:
		plain := NewValue(t, v)
		float := once[float64](b, name, b.ToFloat(plain))
		x.ReadAs(float, b.ToDec(float), once[int64](b, name, b.ToInt(plain)))
	}
	return x
}

// Stored is the node as what keeps values by their types reads it: a truth value of the system is a number then.
func (x *Expr) Stored() *Expr {
	if x.asText == nil {
		return x
	}
	y := *x
	y.asText = nil
	return &y
}

// SystemNumber makes the node of a system variable that is an integer which the statement may change before it reads the variable first.
func (b *Builder) SystemNumber(name string, t types.Type, read func() int64) *Expr {
	number := New("", t, func(*Frame) (int64, bool) { return read(), false })
	return once[int64](b, name, number).With(Volatile)
}

// once makes a node of the value that x has when it is asked for first.
func once[T Scalar](b *Builder, name string, x *Expr) *Expr {
	type kept struct {
		known, null bool
		value       T
	}
	slot, read := b.Slot(), Of[T](x)
	return New("", x.Type, func(f *Frame) (T, bool) {
		k := StateOf[kept](f, slot)
		if !k.known {
			k.value, k.null = read(f)
			k.known = true
		}
		return k.value, k.null
	}).With(Session).Printed(systemNamed(name))
}

func systemNamed(name string) func([]byte) []byte {
	return func(dst []byte) []byte { return append(append(dst, "@@"...), name...) }
}
