package text

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// Collate is x COLLATE name. NULL takes any collation; errors are 1253 and 1273.
func Collate(b *eval.Builder, x *eval.Expr, name string) (*eval.Expr, error) {
	a, texts, err := b.Agree("collate", false, x)
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	if x.Null() || a.Derivation == charset.Ignorable { // CONCAT(NULL), too
		set = nil
	}
	c, err := collationFor(b, set, name)
	if err != nil {
		return nil, err
	}
	t := result(b, charset.Aggregation{Collation: c, Derivation: charset.Explicit, ASCII: a.ASCII}, chars(x), x)
	text := eval.Of[[]byte](texts[0])
	return eval.New("collate", t, text, texts[0]).Printed(func(dst []byte) []byte {
		return append(append(x.Print(dst), " collate "...), c.Name()...)
	}), nil
}

// collationFor finds a collation for a character set, or any if that is nil.
func collationFor(b *eval.Builder, set *charset.Set, given string) (*charset.Collation, error) {
	name := b.Env.CollationNamed(given)
	if set == nil {
		if c, ok := charset.ByName(name); ok {
			return c, nil
		}
		if ofEachSet(name) {
			return nil, mysqlerr.New(mysqlerr.NotAllowedInThisContext, "NULL") // whose character set nobody knows
		}
		return nil, mysqlerr.New(mysqlerr.UnknownCollation, given)
	}
	if c, ok := charset.InSet(set, name); ok {
		return c, nil
	}
	if c, ok := charset.ByName(name); ok {
		return nil, mysqlerr.New(mysqlerr.CollationCharsetMismatch, c.Name(), set.Name())
	}
	if ofEachSet(name) {
		return nil, mysqlerr.New(mysqlerr.CollationCharsetMismatch, name, set.Name())
	}
	return nil, mysqlerr.New(mysqlerr.UnknownCollation, given)
}

// ofEachSet reports whether a name is that of collations of all sets of Unicode, without that of a set: uca1400_ai_ci.
func ofEachSet(name string) bool {
	utf8mb4, _ := charset.SetByName("utf8mb4")
	_, ok := charset.InSet(utf8mb4, name)
	_, one := charset.ByName(name)
	return ok && !one
}

// ConvertUsing is CONVERT(x USING set). What does not convert becomes question marks, with warning 1300 or 1977.
func ConvertUsing(b *eval.Builder, x *eval.Expr, name string) (*eval.Expr, error) {
	set, ok := b.Env.CharsetNamed(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, name)
	}
	from := b.ToText(x)
	a := charset.Aggregation{Collation: set.Default(), Derivation: charset.Implicit, ASCII: set.Name() == "ascii"}
	length := chars(x)
	if set.Name() == "binary" {
		length = min(length, x.Type.Bytes())
	}
	t := result(b, a, length, x)
	if x.Null() {
		return eval.New("convert", t, func(*eval.Frame) ([]byte, bool) { return nil, true }, x), nil
	}
	to := b.ToSet(from, set)
	return eval.New("convert", t, eval.Of[[]byte](to), to).Printed(func(dst []byte) []byte {
		dst = append(x.Print(append(dst, "convert("...)), " using "...)
		return append(append(dst, set.Name()...), ')')
	}), nil
}
