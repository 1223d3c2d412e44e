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

// WeightString is WEIGHT_STRING(x), WEIGHT_STRING(x AS BINARY(n)) and WEIGHT_STRING(x AS CHAR(n)), with levels, and WEIGHT_STRING(x, length, n, flags).
func WeightString(b *eval.Builder, x *eval.Expr, n *tree.WeightString) (*eval.Expr, error) {
	const name = "weight_string"
	set, _ := charset.SetByName("binary")
	if x.Type.Class() == types.ClassTime || x.Type.Kind.Address() {
		x = raw(b, x)
	}
	if k := x.Type.Kind; k == types.Enum || k == types.Set {
		x = b.ToText(x)
	}
	if x.Type.Class() != types.ClassText || x.Null() {
		length := chars(x)
		switch {
		case n.Numbers != nil:
			if n.Numbers[0] == 0 {
				return nil, mysqlerr.NotYet("WEIGHT_STRING of a length of 0")
			}
			length = min(n.Numbers[0], lengthMax)
		case n.Length != nil:
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
	w, err := weighing(x.Type.Collation, n)
	if err != nil {
		return nil, err
	}
	c := x.Type.Collation
	unit := weightBytes(c, w.o)
	length := chars(x)
	switch {
	case w.o.Combined():
		if unit == 4 {
			length++ // the ends of levels
		}
	case n.Length != nil:
		length = min(*n.Length, lengthMax)
	}
	length *= unit
	if n.Numbers != nil {
		length = min(n.Numbers[0], lengthMax)
	}
	t := types.StringType(length, set.Default(), x.Type.Derivation, false).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		room := max(uint64(len(s)/c.Set().MinLen()), uint64(w.chars)) * unit
		if w.length > 0 {
			room = uint64(w.length)
		}
		if !f.Fits(name, room) {
			return nil, true
		}
		return w.append(f.Buffer(len(s)), s), false
	}, x), nil
}

// weights is what WEIGHT_STRING is asked for.
type weights struct {
	o           *charset.Order
	first, last int  // levels
	levels      uint // the same as bits, where they are combined
	cut, pad    bool // whether there are to be chars characters
	chars       int
	length      int // in bytes, 0 for as many as there are
	fill        bool
	desc        bool
	reverse     bool
}

// Flags of WEIGHT_STRING with four arguments.
const (
	weightsPad  = 0x40 // of as many characters as are given
	weightsFill = 0x80 // as many bytes
)

func weighing(c *charset.Collation, n *tree.WeightString) (*weights, error) {
	o, err := orderOf(c)
	if err != nil {
		return nil, err
	}
	w := &weights{o: o, first: 1, last: o.Levels()}
	if o.Combined() {
		w.levels = levelsAsked(n.Levels, o.CombinedLevels())
	}
	if n.Length != nil {
		w.cut, w.pad, w.chars = true, true, int(min(*n.Length, lengthMax))
	}
	if n.Numbers != nil {
		length, count, flags := n.Numbers[0], n.Numbers[1], n.Numbers[2]
		if length == 0 || flags&^(weightsPad|weightsFill) != 0 {
			return nil, mysqlerr.NotYet("WEIGHT_STRING of this length or with these flags")
		}
		w.cut, w.chars, w.length = count > 0, int(min(count, lengthMax)), int(min(length, lengthMax))
		w.pad, w.fill = flags&weightsPad != 0 && count > 0, flags&weightsFill != 0
	}
	for i, l := range n.Levels {
		switch {
		case o.Combined():
			continue
		case o.Levels() > 1 && (l.Desc || l.Reverse || len(n.Levels) > 1):
			return nil, mysqlerr.NotYet("WEIGHT_STRING with levels of " + c.Name())
		case i == 0:
			w.first = int(min(max(l.First, 1), uint64(o.Levels())))
			w.last = int(min(max(l.Last, uint64(w.first)), uint64(o.Levels())))
		}
		if l.First <= 1 {
			w.desc, w.reverse = w.desc || l.Desc, w.reverse || l.Reverse
		}
	}
	return w, nil
}

// levelsAsked are the levels of a list as bits, all for none. Those that there are not mean the last.
func levelsAsked(list []tree.WeightLevel, most int) (mask uint) {
	if list == nil {
		return 1<<most - 1
	}
	for _, l := range list {
		first := min(max(l.First, 1), uint64(most))
		for level := first; level <= min(max(l.Last, first), uint64(most)); level++ {
			mask |= 1 << (level - 1)
		}
	}
	return mask
}

func (w *weights) append(dst, s []byte) []byte {
	chars := w.chars
	if !w.cut {
		chars = len(s) * expansionMax
	}
	if w.length > 0 && w.o.Reorders() {
		s = s[:min(len(s), w.length)]
	}
	if w.o.Combined() {
		dst = w.o.AppendCombined(dst, s, w.levels)
	} else {
		for level := w.first; level <= w.last; level++ {
			dst = w.o.AppendPadded(dst, s, level, chars, w.pad)
		}
	}
	if w.length > 0 {
		dst = dst[:min(len(dst), w.length)]
	}
	if w.fill {
		dst = w.o.AppendFill(dst, w.length)
	}
	if w.desc {
		for i := range dst {
			dst[i] = ^dst[i]
		}
	}
	if w.reverse {
		slices.Reverse(dst)
	}
	return dst
}

// expansionMax is more than the weights that one byte of a text stands for.
const expansionMax = 32

// lengthMax is the largest length of AS that is looked at: what is longer than max_allowed_packet is NULL.
const lengthMax = 1 << 30

// weightBytes is how many bytes of weights a character may have.
func weightBytes(c *charset.Collation, o *charset.Order) uint64 {
	switch set := c.Set(); {
	case !set.Unicode():
		return uint64(set.MaxLen() * c.SortLen())
	case c.Binary() && set.MaxLen() == 4:
		return 3
	}
	unit := 2 * o.Levels() * c.SortLen()
	if strings.Contains(c.Name(), "_uca1400_") {
		unit *= o.Levels()
	}
	return uint64(unit)
}

func asBinary(x *eval.Expr, n int, set *charset.Set) (*eval.Expr, error) {
	const name = "weight_string"
	t := types.StringType(uint64(n), set.Default(), charset.Implicit, false).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if !f.Fits(name, uint64(n)) {
			return nil, true
		}
		if len(s) > n {
			f.Diag.WarnOnly(mysqlerr.TruncatedWrongValue, "BINARY("+strconv.Itoa(n)+")", types.CutBytes(types.Shown(x.Type.Collation.Set(), s)))
		}
		out := append(f.Buffer(n), s[:min(n, len(s))]...)
		for len(out) < n {
			out = append(out, 0)
		}
		return out, false
	}, x), nil
}
