package bind

import (
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

func (b *Binder) literal(n tree.Expr) (*eval.Expr, error) {
	if x, ok := b.lifted(n); ok {
		return x, nil
	}
	switch n := n.(type) {
	case *tree.NullLit:
		return eval.NewLiteral(types.NullType(), types.Value{Null: true}, []byte("NULL")), nil
	case *tree.BoolLit:
		v, text := int64(0), "0"
		if n.Value {
			v, text = 1, "1"
		}
		return eval.NewLiteral(types.LongType(5), types.Value{Int: v}, []byte(text)).With(eval.Bool), nil
	case *tree.NumberLit:
		return b.number(n)
	case *tree.BytesLit:
		return b.bytes(n)
	case *tree.TextLit:
		return b.text(n)
	}
	return nil, Refusal(tree.String(n))
}

func (b *Binder) number(n *tree.NumberLit) (*eval.Expr, error) {
	switch n.Kind {
	case tree.IntegerNumber:
		if v, t, ok := Integer(n.Text); ok {
			return eval.NewLiteral(t, v, strconv.AppendUint(nil, uint64(v.Int), 10)), nil
		}
	case tree.FloatNumber:
		v, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.IllegalValueForType, "double", n.Text)
		}
		t := types.DoubleType()
		t.Length = uint32(len(n.Text))
		return eval.NewLiteral(t, types.Value{Float: v}, []byte(n.Text)), nil
	}
	d, _, cond := decimal.Parse([]byte(n.Text))
	if cond&decimal.Overflow != 0 {
		b.Scratch.Warn(mysqlerr.DataOverflow, "", "DECIMAL")
	}
	return eval.NewLiteral(types.DecimalType(decimal.LiteralType(d)), types.Value{Dec: d}, []byte(n.Text)), nil
}

// Integer is the value and the type of an integer as it is written; false for one that has more than 64 bits, which is a DECIMAL.
func Integer(text string) (types.Value, types.Type, bool) {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return types.Value{}, types.Type{}, false
	}
	t := types.IntType(uint32(len(text)), v > 1<<63-1)
	if v > 1<<31-1 {
		t.Kind = types.Bigint
	}
	return types.Value{Int: int64(v)}, t, true
}

func (b *Binder) bytes(n *tree.BytesLit) (*eval.Expr, error) {
	value := []byte(n.Value)
	if n.Charset != "" {
		return b.introduced(n.Charset, value)
	}
	set, _ := charset.SetByName("binary")
	t := types.StringType(uint64(len(value)), set.Default(), charset.Coercible, set.IsASCII(value))
	t.Hybrid, t.Unsigned, t.Decimals = n.Number, true, 0
	return eval.NewLiteral(t, types.Value{Text: value}, []byte(tree.String(n))), nil
}

// text is a string literal: its bytes are those of the client's character set, and become the connection's.
func (b *Binder) text(n *tree.TextLit) (*eval.Expr, error) {
	value, lossy := clienttext.Decode(n.Value, b.Env.Client)
	if lossy {
		return nil, Refusal("a literal with characters that the client's character set lacks")
	}
	empty := len(value) == 0 && b.Env.Mode.Has(types.EmptyStringIsNull)
	if n.Charset != "" && !empty {
		return b.introduced(n.Charset, value)
	}
	c := b.Env.Connection
	switch {
	case n.National: // the client's bytes, whatever they are
		utf8, _ := charset.SetByName("utf8mb3")
		c = utf8.Default()
		if utf8.Valid(value) >= 0 {
			return nil, Refusal("N'...' that is no UTF-8")
		}
	case n.Charset != "":
		set, ok := b.Env.CharsetNamed(n.Charset)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, n.Charset)
		}
		c = set.Default()
	}
	if empty { // NULL that has a character set
		t := types.NullType()
		t.Collation = c
		return eval.NewLiteral(t, types.Value{Null: true}, []byte("NULL")), nil
	}
	if from := b.Env.Client; from != c.Set() && !n.National {
		converted, cond := charset.Convert(nil, c.Set(), from, value)
		if cond.Bad >= 0 {
			return nil, Refusal("a literal with bytes that are no characters")
		} // characters that the connection's set lacks are question marks
		value = converted
	}
	return b.textLiteral(c, value, n), nil
}

// Fraction is the value and the type of a number with a point as it is written; false for one of which there is more to say.
func Fraction(text string) (types.Value, types.Type, bool) {
	d, used, cond := decimal.Parse([]byte(text))
	return types.Value{Dec: d}, types.DecimalType(decimal.LiteralType(d)), cond == 0 && used == len(text)
}

// PlainText is the value and the type of a string literal without an introducer, by what it says; false for one that is not all ASCII, or of which more is
// to be known. The value is text itself.
func PlainText(env *types.Env, text string) (types.Value, types.Type, bool) {
	c := env.Connection
	if !c.Set().ASCIIBytes() || len(text) == 0 || env.Client != c.Set() && !(env.Client.KeepsASCII() && c.Set().KeepsASCII()) {
		return types.Value{}, types.Type{}, false
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return types.Value{}, types.Type{}, false
		}
	}
	value := unsafe.Slice(unsafe.StringData(text), len(text)) // values are read only
	return types.Value{Text: value}, types.StringType(uint64(len(value)), c, charset.Coercible, c.Set().IsASCII(value)), true
}

// lifted is a literal that is a parameter.
func (b *Binder) lifted(n tree.Expr) (*eval.Expr, bool) {
	i, ok := b.Lifted[n]
	if !ok {
		return nil, false
	}
	return eval.NewParameter(b.Params[i], i), true
}

func (b *Binder) textLiteral(c *charset.Collation, value []byte, n tree.Expr) *eval.Expr {
	t := types.StringType(uint64(c.Set().Len(value)), c, charset.Coercible, c.Set().IsASCII(value))
	return eval.NewLiteral(t, types.Value{Text: value}, []byte(tree.String(n)))
}

// introduced is a literal with an introducer: its bytes are taken as they are.
func (b *Binder) introduced(name string, value []byte) (*eval.Expr, error) {
	set, ok := b.Env.CharsetNamed(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, name)
	}
	if missing := -len(value) & (set.MinLen() - 1); missing > 0 { // of the first character
		value = append(make([]byte, missing, missing+len(value)), value...)
	}
	if at := set.Valid(value); at >= 0 {
		return nil, mysqlerr.New(mysqlerr.InvalidCharacterString, set.Name(), hexOf(value[at:]))
	}
	return b.textLiteral(set.Default(), value, &tree.TextLit{Charset: name, Value: string(value)}), nil
}

func hexOf(s []byte) string {
	const most = 3
	out := make([]byte, 0, 2*most)
	for _, c := range s[:min(len(s), most)] {
		out = append(out, "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
	}
	return string(out)
}

// parameter is the value of a placeholder, whose type is known when the statement runs.
func (b *Binder) parameter(n *tree.Placeholder) (*eval.Expr, error) {
	i := int(n.Index)
	if i >= len(b.Params) {
		return nil, Refusal("a placeholder without a value")
	}
	return eval.NewParameter(b.Params[i], i), nil
}
