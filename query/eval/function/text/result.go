package text

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// blobMax is the length in bytes from which on functions announce a LONGTEXT of that length, whatever they were asked for: MariaDB's
// MAX_BLOB_WIDTH.
const blobMax = 1 << 24

// int32Max bounds lengths and counts.
const int32Max = 1<<31 - 1

// result is the type of a function's text of so many characters.
func result(b *eval.Builder, a charset.Aggregation, chars uint64, args ...*eval.Expr) types.Type {
	per := uint64(a.Collation.Set().MaxLen())
	over := chars >= (blobMax+per-1)/per
	if over {
		chars = blobMax / per
	}
	t := eval.TextOf(a, chars)
	if over {
		t.Kind, t.Octets = types.Longtext, blobMax
	}
	return strict(b, nullIf(t, args...)).nullIf(over)
}

type stringType struct{ types.Type }

// strict is the type of a string function.
func strict(b *eval.Builder, t types.Type) stringType {
	t.Nullable = t.Nullable || b.Env.Mode.Strict()
	return stringType{t}
}

func (t stringType) nullIf(nullable bool) types.Type {
	t.Nullable = t.Nullable || nullable
	return t.Type
}

// plain is the type of a function's text whose length has no bound of its own.
func plain(b *eval.Builder, a charset.Aggregation, chars uint64, args ...*eval.Expr) types.Type {
	return strict(b, nullIf(eval.TextOf(a, chars), args...)).Type
}

// ofConnection is what text that a function makes by itself has.
func ofConnection(b *eval.Builder) charset.Aggregation {
	c := b.Env.Connection
	return charset.Aggregation{Collation: c, Derivation: charset.Coercible, ASCII: c.Set().ASCIIBytes()}
}

// ofBinary is what a binary string that a function makes has.
func ofBinary() charset.Aggregation {
	set, _ := charset.SetByName("binary")
	return charset.Aggregation{Collation: set.Default(), Derivation: charset.Coercible}
}

// nullIf is a type, nullable if an argument is.
func nullIf(t types.Type, args ...*eval.Expr) types.Type {
	for _, x := range args {
		t.Nullable = t.Nullable || x.Type.Nullable
	}
	return t
}

// chars is how many characters an argument has at most.
func chars(x *eval.Expr) uint64 { return uint64(x.Type.Length) }

// raw is an argument as text whose bytes count: of numbers and dates the ASCII characters, in whatever character set the connection is.
func raw(b *eval.Builder, x *eval.Expr) *eval.Expr {
	if x.Type.Class() == types.ClassText && !x.Type.Kind.Address() {
		return x
	}
	latin1, _ := charset.SetByName("latin1")
	env := *b.Env
	env.Connection = latin1.Default()
	return (&eval.Builder{Env: &env, Scratch: b.Scratch}).ToText(x)
}

// constInt is the value of a constant argument that settles a type. Its conditions are those of the statement, as MariaDB computes it
// then, and once more when the statement runs.
func constInt(b *eval.Builder, x *eval.Expr) (v int64, null, ok bool) {
	if !x.Is(eval.Constant) {
		return 0, false, false
	}
	v, null = eval.Of[int64](b.ToInt(x))(b.Scratch)
	return v, null, true
}

// unsigned reports whether an integer argument is one.
func unsigned(b *eval.Builder, x *eval.Expr) bool { return b.ToInt(x).Type.Unsigned }

// orderOf is what compares by a collation.
func orderOf(c *charset.Collation) (*charset.Order, error) {
	o, err := c.Order()
	if err != nil {
		return nil, mysqlerr.NotYet(err.Error())
	}
	return o, nil
}

// asciiIn is ASCII text in a character set.
func asciiIn(set *charset.Set, s string) []byte {
	if set.ASCIIBytes() {
		return []byte(s)
	}
	var out []byte
	for _, c := range []byte(s) {
		out, _ = set.Append(out, rune(c))
	}
	return out
}

// appendASCII appends ASCII text in a character set.
func appendASCII(dst []byte, set *charset.Set, s []byte) []byte {
	if set.ASCIIBytes() {
		return append(dst, s...)
	}
	for _, c := range s {
		dst, _ = set.Append(dst, rune(c))
	}
	return dst
}

// step is the size of the character that s, which is not empty, begins with.
func step(set *charset.Set, s []byte) int {
	if set.MaxLen() == 1 || s[0] < 0x80 && set.ASCIIBytes() {
		return 1
	}
	return max(set.Prefix(s, 1), 1)
}

// each2 and each3 make nodes of kernels whose arguments are all computed before one that is NULL decides.
func each2[A, B, R eval.Scalar](name string, t types.Type, f func(*eval.Frame, A, B) (R, bool), a, b *eval.Expr) *eval.Expr {
	x, y := eval.Of[A](a), eval.Of[B](b)
	return eval.New(name, t, func(fr *eval.Frame) (r R, null bool) {
		v, null1 := x(fr)
		w, null2 := y(fr)
		if null1 || null2 {
			return r, true
		}
		return f(fr, v, w)
	}, a, b)
}

func each3[A, B, C, R eval.Scalar](name string, t types.Type, f func(*eval.Frame, A, B, C) (R, bool), a, b, c *eval.Expr) *eval.Expr {
	x, y, z := eval.Of[A](a), eval.Of[B](b), eval.Of[C](c)
	return eval.New(name, t, func(fr *eval.Frame) (r R, null bool) {
		u, null1 := x(fr)
		v, null2 := y(fr)
		w, null3 := z(fr)
		if null1 || null2 || null3 {
			return r, true
		}
		return f(fr, u, v, w)
	}, a, b, c)
}

// foreignBesideNumbers refuses numbers together with letters that are not ASCII, which some functions of MariaDB garble: they take the
// result's bytes for latin1.
func foreignBesideNumbers(name string, args []*eval.Expr) error {
	number, foreign := false, false
	for _, x := range args {
		number = number || x.Type.Class() != types.ClassText
		foreign = foreign || x.Type.Class() == types.ClassText && !x.Type.ASCII
	}
	if number && foreign {
		return mysqlerr.NotYet(name + " of a number and foreign letters")
	}
	return nil
}
