package eval

import (
	"errors"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Agree finds the collation in which arguments meet, for an operation whose name error messages have, and returns the arguments as text
// in its character set. A comparison must find one (comparing); other operations may end with none, of derivation None. Arguments that
// are no text count as text of the connection.
func (b *Builder) Agree(operation string, comparing bool, args ...*Expr) (charset.Aggregation, []*Expr, error) {
	texts := make([]*Expr, len(args))
	operands := make([]charset.Operand, len(args))
	for i, x := range args {
		texts[i] = b.ToText(x)
		operands[i] = b.operand(texts[i])
	}
	a, err := charset.Aggregate(operation, comparing, operands...)
	if err != nil {
		return a, nil, mixError(err)
	}
	if a.Derivation >= charset.Numeric || a.Collation == nil {
		a.Collation = b.Env.Connection
		if a.Derivation == charset.Numeric {
			a.Derivation = charset.Coercible
		}
	}
	for i, x := range texts {
		texts[i] = b.ToSet(x, a.Collation.Set())
	}
	return a, texts, nil
}

func (b *Builder) operand(x *Expr) charset.Operand {
	o := charset.Operand{Collation: x.Type.Collation, Derivation: x.Type.Derivation, ASCII: x.Type.ASCII}
	if o.Collation == nil {
		o.Collation = b.Env.Connection
	}
	if x.Is(Literal) && x.Type.Class() == types.ClassText && !x.Value.Null {
		o.Constant, o.Text = true, x.Value.Text
	}
	return o
}

func mixError(err error) error {
	var mix *charset.MixError
	if !errors.As(err, &mix) {
		return err
	}
	return mysqlerr.Newf(uint16(mix.Number()), "%s", mix.Error())
}

// ToSet is text in another character set; what it lacks becomes a question mark. Text that is there already, or binary, stays.
func (b *Builder) ToSet(x *Expr, set *charset.Set) *Expr {
	if x.Null() || x.Type.Collation == nil {
		return x
	}
	from := x.Type.Collation.Set()
	if from == set || set.Name() == "binary" {
		return x
	}
	t := x.Type
	t.Collation = set.Default()
	if x.Type.ASCII && from.ASCIIBytes() && set.ASCIIBytes() {
		y := *x
		y.Type = t
		return &y
	}
	return Map1("", t, func(f *Frame, s []byte) ([]byte, bool) {
		out, _ := charset.Convert(f.Buffer(len(s)*set.MaxLen()), set, from, s)
		return out, false
	}, x).As(x)
}

// TextOf is the type of text that an operation makes of arguments which agreed.
func TextOf(a charset.Aggregation, length uint64) types.Type {
	return types.StringType(length, a.Collation, a.Derivation, a.ASCII)
}
