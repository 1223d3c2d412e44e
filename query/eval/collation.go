package eval

import (
	"errors"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Agree finds the collation in which arguments meet, for an operation whose name error messages have, and returns the arguments as text
// in its character set. A comparison must find one (comparing); other operations may end with none, of derivation None. Arguments that
// are no text count as text of the connection. If all are NULL the collation is binary, of derivation Ignorable.
//
// Errors are 1267, 1270 and 1271, and 1300 for a binary literal that is no text of the set. Other binary arguments beside text keep their
// bytes, whether or not they are characters.
func (b *Builder) Agree(operation string, comparing bool, args ...*Expr) (charset.Aggregation, []*Expr, error) {
	operands := make([]charset.Operand, len(args))
	for i, x := range args {
		operands[i] = b.operand(x)
	}
	a, err := charset.Aggregate(operation, comparing, operands...)
	if b.computeConstants(a, err, args, operands) {
		a, err = charset.Aggregate(operation, comparing, operands...)
	}
	if err != nil {
		return a, nil, mixError(err)
	}
	if a.Derivation == charset.Numeric {
		a.Collation, a.Derivation = b.Env.Connection, charset.Coercible
	}
	texts := make([]*Expr, len(args))
	for i, x := range args {
		if texts[i], err = b.meet(b.ToText(x), a.Collation.Set()); err != nil {
			return a, nil, err
		}
		if texts[i].Type.Collation != nil && x.Type.Class() == types.ClassText && x.Type.Collation != nil {
			texts[i] = b.convertConstant(x, texts[i])
		}
	}
	return a, texts, nil
}

// convertConstant computes a constant, but no literal, that is converted to another character set, once and for all: MariaDB does so when
// it settles the collation, and its conditions come then.
func (b *Builder) convertConstant(x, text *Expr) *Expr {
	if text == x || !x.Is(Constant) || x.Is(Literal) || x.Is(Volatile) || b.Scratch == nil ||
		text.Type.Collation.Set() == x.Type.Collation.Set() {
		return text
	}
	v := text.Compute(b.Scratch)
	if b.Scratch.Failed() {
		return text
	}
	v.Text = append([]byte(nil), v.Text...)
	y := NewValue(text.Type, v).As(x)
	y.Args = x.Args
	return y
}

// operand is what an argument brings to the aggregation. Text of numbers is latin1 there, as messages show.
func (b *Builder) operand(x *Expr) charset.Operand {
	if x.Null() {
		return charset.Operand{Collation: setNamed("binary").Default(), Derivation: x.Type.Derivation, ASCII: true}
	}
	if x.Type.Class() != types.ClassText || x.Type.Collation == nil {
		if t := b.ToText(x).Type; t.Derivation != charset.Numeric {
			return charset.Operand{Collation: t.Collation, Derivation: t.Derivation, ASCII: t.ASCII}
		}
		return charset.Operand{Collation: setNamed("latin1").Default(), Derivation: charset.Numeric, ASCII: true}
	}
	o := charset.Operand{Collation: x.Type.Collation, Derivation: x.Type.Derivation, ASCII: x.Type.ASCII}
	if x.Is(Literal) && !x.Value.Null {
		o.Constant, o.Text = true, x.Value.Text
	}
	return o
}

// computeConstants gives operands that are constants, but no literals, their text where it decides whether they can be converted. It
// reports whether there were any. Conditions are thrown away: the row form raises them again.
func (b *Builder) computeConstants(a charset.Aggregation, err error, args []*Expr, operands []charset.Operand) bool {
	found := false
	for i, x := range args {
		o := &operands[i]
		if o.Constant || o.ASCII || !x.Is(Constant) || x.Is(Volatile) || x.Null() || x.Type.Class() != types.ClassText || b.Scratch == nil {
			continue
		}
		if err == nil && a.Collation.Set() == o.Collation.Set() {
			continue
		}
		diag := b.Scratch.Diag
		b.Scratch.Diag = &types.Diagnostics{Most: 1}
		text, null := Of[[]byte](x)(b.Scratch)
		b.Scratch.Diag = diag
		if null {
			text = nil
		}
		o.Constant, o.Text, found = true, append([]byte(nil), text...), true
	}
	return found
}

func setNamed(name string) *charset.Set {
	s, _ := charset.SetByName(name)
	return s
}

func mixError(err error) error {
	var mix *charset.MixError
	if !errors.As(err, &mix) {
		return err
	}
	return mysqlerr.Newf(uint16(mix.Number()), "%s", mix.Error())
}

// meet is an argument in the character set that was agreed on: binary constants keep their bytes unless those cannot be characters of the set
// by their number; what is no character in other binary strings becomes a question mark, with a warning.
func (b *Builder) meet(x *Expr, set *charset.Set) (*Expr, error) {
	if x.Null() || x.Type.Collation == nil || !x.Type.Binary() || set.Name() == "binary" {
		return b.ToSet(x, set), nil
	}
	if x.Is(Literal) {
		text := charset.Padded(set, x.Value.Text)
		if at := set.Valid(text); at >= 0 {
			return nil, mysqlerr.New(mysqlerr.InvalidCharacterString, set.Name(), firstBytes(text[at:]))
		}
	}
	if set.MinLen() > 1 || !x.Is(Constant) {
		return b.ToSet(x, set), nil
	}
	y := *x
	y.Type.Collation = set.Default()
	return &y, nil
}

// firstBytes are a few bytes as hexadecimal digits.
func firstBytes(s []byte) string {
	const most = 3
	var out []byte
	for _, c := range s[:min(len(s), most)] {
		out = append(out, "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
	}
	return string(out)
}

// ToClient is text in the character set of results, nil for text as it is. What the set lacks becomes a question mark, silently; binary
// strings stay as they are.
//
// What has a number or bytes as its value, but is shown as text, becomes text: ENUM, SET, addresses, and what is computed of BIT.
func (b *Builder) ToClient(x *Expr, set *charset.Set) *Expr {
	if k := x.Type.Kind; k == types.Enum || k == types.Set || k.Address() || k == types.Bit && computed(x) {
		x = b.ToText(x)
	} else if k == types.Year && computed(x) { // zero has one digit
		y := *x
		y.Type.Kind = types.Smallint
		x = &y
	}
	if set == nil || x.Null() || x.Type.Collation == nil || x.Type.Binary() {
		return x
	}
	return b.transcode(x, set, func(*Frame, []byte, charset.Conversion) bool { return true })
}

// ToSet is text in another character set. What it lacks becomes a question mark with warning 1977, what is ill-formed one with warning
// 1300. Text that is there already stays; to binary the bytes stay; from binary they are checked.
func (b *Builder) ToSet(x *Expr, set *charset.Set) *Expr {
	if x.Null() || x.Type.Collation == nil {
		return x
	}
	from := x.Type.Collation.Set()
	return b.transcode(x, set, func(f *Frame, s []byte, c charset.Conversion) bool { return lossy(f, set, from, s, c) })
}

// transcode converts text; what was lost is told to report, which says whether there is a result.
func (b *Builder) transcode(x *Expr, set *charset.Set, report func(*Frame, []byte, charset.Conversion) bool) *Expr {
	from := x.Type.Collation.Set()
	if from == set || set.Name() == "binary" {
		return x
	}
	t := x.Type
	t.Collation, t.Octets = set.Default(), 0
	if from.Name() == "binary" {
		if x.Is(Literal) {
			t.Length = uint32((uint64(t.Length) + uint64(set.MinLen()) - 1) / uint64(set.MinLen()))
		}
		if set.Name() == "ascii" {
			return Map1("", t, onlyASCII, x).As(x)
		}
	}
	// What derives from other text may only be said to be ASCII: where an ASCII literal with COLLATE decides, it speaks for all. The backslash of
	// sjis that others become is one of two bytes.
	if x.Type.ASCII && (x.Is(Literal) || x.Type.Derivation == charset.Numeric) && from.ASCIIBytes() && set.ASCIIBytes() && set.Name() != "sjis" {
		y := *x
		y.Type = t
		return &y
	}
	return Map1("", t, func(f *Frame, s []byte) ([]byte, bool) {
		out, done := charset.Convert(f.Buffer(sizeIn(set, from, s)), set, from, s)
		if !done.OK() && !report(f, s, done) {
			return nil, true
		}
		return out, false
	}, x).As(x)
}

// onlyASCII makes question marks of bytes that are not ASCII, silently.
func onlyASCII(f *Frame, s []byte) ([]byte, bool) {
	out := append(f.Buffer(len(s)), s...)
	for i, c := range out {
		if c >= 0x80 {
			out[i] = '?'
		}
	}
	return out, false
}

// sizeIn is how many bytes a text has in another set at most.
func sizeIn(set, from *charset.Set, s []byte) int {
	return (len(s)/from.MinLen() + 1) * set.MaxLen()
}

// lossy warns of what a conversion lost. Ill-formed text of wide characters has no result that is known: the statement fails.
func lossy(f *Frame, to, from *charset.Set, s []byte, c charset.Conversion) bool {
	if c.Bad >= 0 {
		if from.MinLen() > 1 {
			f.Diag.Fail(mysqlerr.NotYet("the conversion of an invalid " + from.Name() + " character string"))
			return false
		}
		if from.Name() == "binary" {
			from = to
		}
		f.Warn(mysqlerr.InvalidCharacterString, from.Name(), printable(s[c.Bad:]))
		return true
	}
	rest := s[c.Unmapped:]
	size := max(from.Prefix(rest, 1), 1)
	var hex []byte
	for _, x := range rest[:min(size, len(rest))] {
		hex = append(hex, "0123456789ABCDEF"[x>>4], "0123456789ABCDEF"[x&15])
	}
	f.Warn(mysqlerr.CannotConvertCharacter, from.Name(), string(hex), to.Name())
	return true
}

// printable shows bytes in a message: what is not ASCII as \xFF, and cut as the server cuts it.
func printable(s []byte) string {
	const most, kept = 64, 61
	out := make([]byte, 0, most+4)
	for _, c := range s {
		if c >= ' ' && c <= '~' {
			out = append(out, c)
		} else {
			out = append(out, '\\', 'x', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
		if len(out) > most {
			return string(append(out[:kept], "..."...))
		}
	}
	return string(out)
}

// TextOf is the type of text that an operation makes of arguments which agreed.
func TextOf(a charset.Aggregation, length uint64) types.Type {
	return types.StringType(length, a.Collation, a.Derivation, a.ASCII)
}
