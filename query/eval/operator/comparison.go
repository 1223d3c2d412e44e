package operator

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Comparison says how two expressions are compared: as values of what type they meet. It is comparable.
type Comparison struct {
	Class types.Class
	// Kind is, of temporal values, Time, Datetime (which a TIMESTAMP is compared as, too), or Date, whose values are compared as those of
	// Datetime are; of texts Varchar, or UUID, Inet4 or
	// Inet6, whose bytes are compared; of numbers Null.
	Kind types.Kind
	// Collation is that of texts, nil of all else.
	Collation *charset.Collation
}

// comparisonOf says how x = y, x < y and their like compare two expressions. Errors are those of the comparison: 1267 for collations that
// do not meet, 4078 for types that do not, 1235 for what is not done.
func comparisonOf(b *eval.Builder, name string, x, y *eval.Expr) (Comparison, error) {
	how, err := classOf(name, x, y)
	if exactly(x, y) || exactly(y, x) {
		how.Class = types.ClassDec
	}
	if err != nil || how.Kind != types.Varchar {
		return how, err
	}
	a, _, err := agree(b, name, x, y)
	how.Collation = a.Collation
	return how, err
}

// exactly reports whether a DECIMAL that is no constant meets a constant text, which then is read as a DECIMAL.
func exactly(x, y *eval.Expr) bool {
	return x.Type.Class() == types.ClassDec && !x.Is(eval.Constant) && alone(y.Type).Kind == types.Varchar && y.Is(eval.Constant) && !y.Null()
}

// agree is Builder.Agree for a comparison; ENUM and SET are texts.
func agree(b *eval.Builder, name string, xs ...*eval.Expr) (charset.Aggregation, []*eval.Expr, error) {
	texts := make([]*eval.Expr, len(xs))
	for i, x := range xs {
		if texts[i] = x; x.Type.Members != nil {
			texts[i] = b.ToText(x)
		}
	}
	return b.Agree(name, true, texts...)
}

// alone is how values of a type are compared with each other.
func alone(t types.Type) Comparison {
	switch class := t.Class(); {
	case t.Kind.Address():
		return Comparison{Class: class, Kind: t.Kind}
	case t.Kind == types.Time:
		return Comparison{Class: class, Kind: types.Time}
	case t.Kind == types.Date:
		return Comparison{Class: class, Kind: types.Date}
	case class == types.ClassTime:
		return Comparison{Class: class, Kind: types.Datetime}
	case class == types.ClassText || t.Members != nil:
		return Comparison{Class: types.ClassText, Kind: types.Varchar}
	default:
		return Comparison{Class: class}
	}
}

// classOf is how values of two types are compared, without the collation.
func classOf(name string, x, y *eval.Expr) (Comparison, error) {
	if x.Null() {
		return alone(y.Type), nil
	}
	how, err := alone(x.Type).with(alone(y.Type), y.Null())
	if err != nil {
		return how, mysqlerr.New(mysqlerr.IllegalParameterTypes, nameOf(x), nameOf(y), name)
	}
	return how, nil
}

// errMismatch says that no values of two types are compared.
var errMismatch = mysqlerr.New(mysqlerr.IllegalParameterTypes, "", "", "")

// with is how values meet that are compared in two ways among themselves; null says that the other one is NULL, which has no say.
func (how Comparison) with(other Comparison, null bool) (Comparison, error) {
	if null || how == other {
		return how, nil
	}
	a, c := how.Class, other.Class
	switch {
	case how.Kind.Address() || other.Kind.Address():
		if how.Kind == types.Varchar {
			return other, nil
		}
		if other.Kind == types.Varchar {
			return how, nil
		}
		return how, errMismatch
	case a == types.ClassTime && c == types.ClassTime:
		return Comparison{Class: types.ClassTime, Kind: types.Datetime}, nil
	case a == types.ClassTime:
		return how, nil
	case c == types.ClassTime:
		return other, nil
	case a == c:
		return how, nil
	case a == types.ClassFloat || c == types.ClassFloat, (a == types.ClassText || c == types.ClassText) && (a == types.ClassDec || c == types.ClassDec):
		return Comparison{Class: types.ClassFloat}, nil
	}
	return Comparison{Class: types.ClassDec}, nil
}

// bring is an expression as a comparison takes it. Texts are in the character set of the collation.
func (how Comparison) bring(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	if x.Null() {
		return x, nil
	}
	switch how.Class {
	case types.ClassInt:
		return b.ToInt(x), nil
	case types.ClassFloat:
		return b.ToFloat(x), nil
	case types.ClassDec:
		return shown(b.ToDec(x)), nil
	case types.ClassTime:
		return moment(b, x, how.Kind)
	}
	if how.Kind.Address() {
		return address(b, x, how.Kind)
	}
	return x, nil
}

// once is bring, where a constant that has to be converted is so once for all rows.
func (how Comparison) once(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	y, err := how.bring(b, x)
	if err != nil || y == x || !x.Is(eval.Constant) || x.Is(eval.Volatile) || alone(x.Type).Class == how.Class && !how.Kind.Address() {
		return y, err
	}
	switch how.Class {
	case types.ClassInt:
		return kept[int64](b, y), nil
	case types.ClassFloat:
		return kept[float64](b, y), nil
	case types.ClassDec:
		return kept[decimal.Dec](b, y), nil
	case types.ClassTime:
		return kept[temporal.Packed](b, y), nil
	}
	return kept[[]byte](b, y), nil
}

// keeper is a value that was computed for a statement.
type keeper[T eval.Scalar] struct {
	value      T
	null, done bool
}

// kept computes a constant for the first row only.
func kept[T eval.Scalar](b *eval.Builder, x *eval.Expr) *eval.Expr {
	slot, row := b.Slot(), eval.Of[T](x)
	return eval.New("", x.Type, func(f *eval.Frame) (T, bool) {
		k := eval.StateOf[keeper[T]](f, slot)
		if !k.done {
			v, null := row(f)
			k.value, k.null, k.done = owned(v), null, true
		}
		return k.value, k.null
	}, x).As(x)
}

// shown is a DECIMAL rounded to the scale of its type, as it is compared and printed.
func shown(x *eval.Expr) *eval.Expr {
	scale := int(x.Type.Decimals)
	if x.Is(eval.Literal) || x.Type.Class() != types.ClassDec || x.Type.Dec.Scale > decimal.ScaleMax {
		return x
	}
	if _, _, ok := x.Column(); ok {
		return x
	}
	return eval.Map1("", x.Type, func(_ *eval.Frame, d decimal.Dec) (decimal.Dec, bool) {
		if d.Scale() > scale {
			d, _ = d.Round(scale, decimal.HalfUp)
		}
		return d, false
	}, x).As(x)
}
