package text

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// WeightString is WEIGHT_STRING(x) and WEIGHT_STRING(x AS BINARY(n)). Padding to characters, levels, and the form with four arguments are
// refused.
func WeightString(b *eval.Builder, x *eval.Expr, n *tree.WeightString) (*eval.Expr, error) {
	const name = "weight_string"
	if n.Numbers != nil || n.Levels != nil || n.Length != nil && !n.Binary {
		return nil, mysqlerr.NotYet("WEIGHT_STRING with levels, or AS CHAR")
	}
	set, _ := charset.SetByName("binary")
	if x.Type.Class() == types.ClassTime {
		x = raw(b, x)
	}
	if x.Type.Class() != types.ClassText || x.Null() {
		length := chars(x)
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
	t := types.StringType(chars(x)*unit, set.Default(), x.Type.Derivation, false).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if !f.Fits(name, uint64(len(s)/c.Set().MinLen())*unit) {
			return nil, true
		}
		return o.AppendWeights(f.Buffer(len(s)), s), false
	}, x), nil
}

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
