package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// WeightString is WEIGHT_STRING(x), WEIGHT_STRING(x AS BINARY(n)) and WEIGHT_STRING(x AS CHAR(n)), with levels. The form with four arguments is
// refused.
func WeightString(b *eval.Builder, x *eval.Expr, n *tree.WeightString) (*eval.Expr, error) {
	const name = "weight_string"
	if n.Numbers != nil {
		return nil, mysqlerr.NotYet("WEIGHT_STRING with four arguments")
	}
	set, _ := charset.SetByName("binary")
	if x.Type.Class() == types.ClassTime {
		x = raw(b, x)
	}
	if x.Type.Class() != types.ClassText || x.Null() {
		length := chars(x)
		if n.Length != nil {
			if !x.Null() && n.Binary {
				return nil, mysqlerr.NotYet("WEIGHT_STRING of a number AS BINARY")
			}
			length = min(*n.Length, lengthMax)
		}
		t := types.StringType(length, set.Default(), x.Type.Derivation, false).OrNull()
		return eval.New(name, t, func(*eval.Frame) ([]byte, bool) { return nil, true }, x), nil
	}
	if n.Binary {
		return asBinary(x, int(min(*n.Length, blobMax)), set)
	}
	o, err := orderOf(x.Type.Collation)
	if err != nil {
		return nil, err
	}
	c := x.Type.Collation
	unit := weightBytes(c)
	desc, reverse, err := levels(c, n.Levels)
	if err != nil {
		return nil, err
	}
	atLeast, length := uint64(0), chars(x)
	var pad func(weights []byte) []byte
	if n.Length != nil {
		atLeast = min(*n.Length, lengthMax)
		length = atLeast
		if pad, err = padding(o, c, int(atLeast)); err != nil {
			return nil, err
		}
	}
	t := types.StringType(length*unit, set.Default(), x.Type.Derivation, false).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if !f.Fits(name, max(uint64(len(s)/c.Set().MinLen()), atLeast)*unit) {
			return nil, true
		}
		weights := o.AppendWeights(f.Buffer(len(s)), s)
		if pad != nil {
			weights = pad(weights)
		}
		if desc {
			for i := range weights {
				weights[i] = ^weights[i]
			}
		}
		if reverse {
			slices.Reverse(weights)
		}
		return weights, false
	}, x), nil
}

// levels is what is asked of the first level: the other ones are not there in the collations that are done.
func levels(c *charset.Collation, asked []tree.WeightLevel) (desc, reverse bool, err error) {
	if asked != nil && (strings.HasSuffix(c.Name(), "_w2") || strings.HasSuffix(c.Name(), "_czech_cs")) {
		return false, false, mysqlerr.NotYet("WEIGHT_STRING with levels of " + c.Name())
	}
	for _, l := range asked {
		if l.First <= 1 {
			desc, reverse = desc || l.Desc, reverse || l.Reverse
		}
	}
	return desc, reverse, nil
}

// padding brings weights to those of n characters: they are cut, or get the weights of spaces (zeros, in collations that do not pad).
func padding(o *charset.Order, c *charset.Collation, n int) (func([]byte) []byte, error) {
	set := c.Set()
	if set.MaxLen() > 1 && !set.Unicode() {
		return nil, mysqlerr.NotYet("WEIGHT_STRING AS CHAR of " + set.Name())
	}
	space, _ := set.Append(nil, ' ')
	one := o.AppendWeights(nil, space)
	if !c.PadSpace() {
		if c.SortLen() > 1 {
			return nil, mysqlerr.NotYet("WEIGHT_STRING AS CHAR of " + c.Name()) // MariaDB pads with bytes of no weight
		}
		clear(one)
	}
	return func(weights []byte) []byte {
		weights = weights[:min(len(weights), n*len(one))]
		for len(weights) < n*len(one) {
			weights = append(weights, one...)
		}
		return weights
	}, nil
}

// lengthMax is the largest length of AS that is looked at: what is longer than max_allowed_packet is NULL.
const lengthMax = 1 << 30

// weightBytes is how many bytes of weights a character may have.
func weightBytes(c *charset.Collation) uint64 {
	switch set := c.Set(); {
	case !set.Unicode():
		return uint64(set.MaxLen() * c.SortLen())
	case c.Binary() && set.MaxLen() == 4:
		return 3
	}
	if strings.HasSuffix(c.Name(), "_w2") { // two levels
		return uint64(4 * c.SortLen())
	}
	return uint64(2 * c.SortLen())
}

func asBinary(x *eval.Expr, n int, set *charset.Set) (*eval.Expr, error) {
	const name = "weight_string"
	t := types.StringType(uint64(n), set.Default(), charset.Implicit, false).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if !f.Fits(name, uint64(n)) {
			return nil, true
		}
		if len(s) > n {
			f.Warn(mysqlerr.TruncatedWrongValue, "BINARY("+strconv.Itoa(n)+")", types.CutBytes(types.Shown(x.Type.Collation.Set(), s)))
		}
		out := append(f.Buffer(n), s[:min(n, len(s))]...)
		for len(out) < n {
			out = append(out, 0)
		}
		return out, false
	}, x), nil
}
