package eval

import (
	"bytes"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// Conversions of kinds that only columns have, and of addresses.

// fillOf is how many digits a column with ZEROFILL shows at least; 0 for others.
func fillOf(t types.Type) int {
	if t.Zerofill {
		return int(t.Length)
	}
	return 0
}

// filled puts zeros before a number that is shorter than width.
func filled(s []byte, width int) []byte {
	if len(s) >= width {
		return s
	}
	n := len(s)
	s = append(s, bytes.Repeat([]byte{'0'}, width-n)...)
	copy(s[width-n:], s[:n])
	for i := range s[:width-n] {
		s[i] = '0'
	}
	return s
}

// noNumber is the row form of what has no number: NULL, or an address, of which nobody asks for one.
func noNumber[T Scalar](x *Expr) Func[T] {
	if x.Null() {
		return func(*Frame) (v T, null bool) { return v, true }
	}
	name := x.Type.Name()
	return func(f *Frame) (v T, null bool) {
		f.Diag.Fail(mysqlerr.NotYet("a number of " + name))
		return v, true
	}
}

// computed reports whether a node is no column, but computed of others.
func computed(x *Expr) bool {
	_, _, column := x.Column()
	return !column
}

// bitsOrMembers is the text of BIT columns, ENUM and SET; ok is false for others.
func (b *Builder) bitsOrMembers(x *Expr, t types.Type) (y *Expr, ok bool) {
	switch x.Type.Kind {
	case types.Bit:
		if computed(x) {
			return nil, false
		}
		t.Collation, t.Derivation, t.ASCII = setNamed("binary").Default(), charset.Implicit, false
		size := (int(x.Type.Length) + 7) / 8
		return Map1("", t, func(f *Frame, n int64) ([]byte, bool) {
			out := f.Buffer(size)
			for i := size - 1; i >= 0; i-- {
				out = append(out, byte(uint64(n)>>(8*i)))
			}
			return out, false
		}, x).As(x), true
	case types.Enum, types.Set:
		t.Collation, t.Derivation, t.ASCII = x.Type.Collation, x.Type.Derivation, x.Type.ASCII
		texts := x.Type.Members.Texts
		if x.Type.Kind == types.Enum {
			return Map1("", t, func(_ *Frame, n int64) ([]byte, bool) {
				if n < 1 || n > int64(len(texts)) {
					return nil, false
				}
				return texts[n-1], false
			}, x).As(x), true
		}
		comma, _ := x.Type.Collation.Set().Append(nil, ',')
		return Map1("", t, func(f *Frame, n int64) ([]byte, bool) { return setText(f, texts, comma, uint64(n)), false }, x).As(x), true
	}
	return nil, false
}

// setText is the members of a SET whose bits are set.
func setText(f *Frame, texts [][]byte, comma []byte, bits uint64) []byte {
	size := 0
	for i, s := range texts {
		if bits>>i&1 != 0 {
			size += len(s) + len(comma)
		}
	}
	out := f.Buffer(size)
	for i, s := range texts {
		if bits>>i&1 == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, comma...)
		}
		out = append(out, s...)
	}
	return out
}

// addressLength is the number of characters of a UUID, INET4 or INET6 as its column's type has it.
var addressLength = map[types.Kind]uint32{types.UUID: 36, types.Inet4: 15, types.Inet6: 39}

// AddressType is the type of a UUID, INET4 or INET6.
func AddressType(k types.Kind) types.Type {
	return types.Type{Kind: k, Length: addressLength[k], Unsigned: true, Derivation: charset.Numeric, ASCII: true}
}

func (b *Builder) addressText(x *Expr, t types.Type) *Expr {
	kind := x.Type.Kind
	return b.fromASCII(Map1("", t, func(f *Frame, s []byte) ([]byte, bool) {
		return assign.AppendAddress(f.Buffer(48), kind, s), false
	}, x).As(x))
}

// AddressSize is how many bytes an address has.
func AddressSize(k types.Kind) int {
	if k == types.Inet4 {
		return 4
	}
	return 16
}

// ToAddress is the expression as a UUID, INET4 or INET6: text is read, a binary string of the right size is the bytes. What is neither is
// NULL with warning 1292.
func (b *Builder) ToAddress(x *Expr, k types.Kind) *Expr {
	t := AddressType(k)
	if x.Null() {
		row := Of[[]byte](x)
		return New("", t.OrNull(), func(f *Frame) ([]byte, bool) {
			row(f)
			return nil, true
		}, x).As(x)
	}
	if x.Type.Kind == k {
		return x
	}
	x0 := x
	if t.Nullable = x.Type.Nullable || !x.Is(Literal) || !b.IsAddress(x, k); !x.Type.Kind.IsString() {
		x = b.ToText(x)
	}
	size, set, name := AddressSize(k), x.Type.Collation.Set(), t.Name()
	return Map1("", t, func(f *Frame, s []byte) ([]byte, bool) {
		if set.Name() == "binary" && len(s) == size {
			return s, false
		}
		if out, ok := assign.ParseAddress(f.Buffer(size), k, ascii(f, set, s)); ok && len(out) == size {
			return out, false
		}
		f.incorrect(name, Quotable(set, s))
		return nil, true
	}, x).As(x0)
}

// IsAddress reports whether a constant can be read, so that the result is not NULL. Its conditions are the statement's: MariaDB computes it
// once more.
func (b *Builder) IsAddress(x *Expr, k types.Kind) bool {
	if !x.Is(Constant) || x.Null() || b.Scratch == nil {
		return false
	}
	text := b.ToText(x)
	s, null := Of[[]byte](text)(b.Scratch)
	if null {
		return false
	}
	if text.Type.Binary() && len(s) == AddressSize(k) {
		return true
	}
	_, ok := assign.ParseAddress(nil, k, ascii(b.Scratch, text.Type.Collation.Set(), s))
	return ok
}
