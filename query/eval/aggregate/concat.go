package aggregate

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// concat is GROUP_CONCAT or JSON_ARRAYAGG: what a row adds, in which order, and how long that may become.
type concat struct {
	name      string
	set       *charset.Set
	separator []byte
	lengthMax int // bytes
	// row appends what the frame's row adds; false if it adds nothing.
	row   func(f *eval.Frame, dst []byte) ([]byte, bool)
	array bool // the result is an array of JSON

	unique  []*key.Writer // of DISTINCT
	order   []*key.Writer
	ordered bool // also by constants alone
	limited bool
	limit   Limit
}

// concatCharsMax is how many characters a VARCHAR may have that such a function yields; it is a BLOB beyond.
const concatCharsMax = 512

func bindConcat(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	agreed, texts, err := b.Agree("group_concat", false, c.Args...)
	if err != nil {
		return types.Type{}, nil, err
	}
	rows := make([]eval.Func[[]byte], len(texts))
	null := false
	for i, x := range texts {
		kind := c.Args[i].Type.Kind
		if x.Type.Kind.Address() || x.Type.Class() != types.ClassText {
			return types.Type{}, nil, mysqlerr.NotYet("GROUP_CONCAT of " + kind.String())
		}
		null = null || x.Null()
		if rows[i] = eval.Of[[]byte](x); kind == types.Bit && (c.Distinct || c.OrderBy != nil) { // a number where rows wait, else bytes
			rows[i] = digits(eval.Of[int64](c.Args[i]))
		}
	}
	p := &concat{name: c.Name, set: agreed.Collation.Set()}
	p.row = func(f *eval.Frame, dst []byte) ([]byte, bool) {
		for _, row := range rows {
			text, null := row(f)
			if null {
				return dst, false
			}
			dst = append(dst, text...)
		}
		return dst, true
	}
	t := p.typeOf(b, agreed, false)
	if err := p.complete(b, c); err != nil {
		return t, nil, err
	}
	if null {
		return t, func() States { return nothing{} }, nil
	}
	return t, func() States { return &concats{concat: p} }, nil
}

// digits is a BIT as the digits of a number.
func digits(bits eval.Func[int64]) eval.Func[[]byte] {
	return func(f *eval.Frame) ([]byte, bool) {
		v, null := bits(f)
		return strconv.AppendUint(f.Buffer(20), uint64(v), 10), null
	}
}

func bindArray(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	if len(c.Args) != 1 {
		return types.Type{}, nil, mysqlerr.NotYet("JSON_ARRAYAGG of several arguments")
	}
	agreed, _, err := b.Agree("json_arrayagg", false, c.Args...)
	if err != nil {
		return types.Type{}, nil, err
	}
	p := &concat{name: c.Name, set: agreed.Collation.Set(), array: true}
	if err := p.shown(b, c); err != nil {
		return types.Type{}, nil, err
	}
	e, err := json.ElementOf(b, c.Args[0], p.set)
	if err != nil {
		return types.Type{}, nil, err
	}
	p.row = func(f *eval.Frame, dst []byte) ([]byte, bool) { return e.Append(f, dst), true }
	t := p.typeOf(b, agreed, true)
	if err := p.complete(b, c); err != nil {
		return t, nil, err
	}
	return t, func() States { return &concats{concat: p} }, nil
}

// typeOf is the type of the result: as long as group_concat_max_len allows, and the brackets of an array.
func (p *concat) typeOf(b *eval.Builder, agreed charset.Aggregation, array bool) types.Type {
	p.lengthMax = int(min(b.Env.ConcatMax, 1<<31))
	chars := uint64(p.lengthMax / p.set.MinLen())
	if b.Scratch != nil && b.Scratch.MaxPacket > 0 {
		p.lengthMax = int(min(uint64(p.lengthMax), b.Scratch.MaxPacket)) // which the type does not say
	}
	t := eval.TextOf(agreed, chars).OrNull()
	t.Decimals, t.JSON = 0, p.array || p.name == "JSON_OBJECTAGG"
	bytes := chars * uint64(p.set.MaxLen())
	if array {
		bytes += uint64(len("[]"))
	}
	t.Kind, t.Length = types.Varchar, uint32(min(bytes/uint64(p.set.MaxLen()), 1<<32-1))
	if bytes/uint64(p.set.MaxLen()) > concatCharsMax {
		t.Kind, t.Octets = types.Text, uint32(min(bytes, 1<<32-1))
	}
	return t
}

// shown refuses JSON of BIT, and in a character set that is not the client's: MariaDB sends it without converting it.
func (p *concat) shown(b *eval.Builder, c *Call) error {
	for _, x := range c.Args {
		if x.Type.Kind == types.Bit {
			return mysqlerr.NotYet(p.name + " of BIT") // it is bytes without quotes there
		}
	}
	to := b.Env.Results
	if to == nil || to == p.set || p.set.Name() == "binary" || strings.HasPrefix(p.set.Name(), "utf8") && strings.HasPrefix(to.Name(), "utf8") {
		return nil
	}
	if p.set.MinLen() > 1 {
		return mysqlerr.Never(p.name + " in character set " + p.set.Name())
	}
	return mysqlerr.NotYet(p.name + " in character set " + p.set.Name())
}

// complete takes what both functions have besides their arguments.
func (p *concat) complete(b *eval.Builder, c *Call) error {
	p.separator, _ = charset.Convert(nil, p.set, ascii(), []byte{','})
	if s := c.Separator; s != nil {
		p.separator = s.Value.Text
		if from := s.Type.Collation.Set(); from != p.set && p.set.Name() != "binary" {
			var done charset.Conversion
			if p.separator, done = charset.Convert(nil, p.set, from, s.Value.Text); !done.OK() {
				return mysqlerr.NotYet("a separator that the character set lacks")
			}
		}
	}
	if c.Limit != nil {
		p.limited, p.limit = true, *c.Limit
	}
	var err error
	if c.Distinct {
		if p.unique, err = writers(c.Args); err != nil {
			return err
		}
	}
	if p.order, p.ordered = p.unique, c.Distinct || c.OrderBy != nil; c.OrderBy != nil {
		p.order = nil
	}
	for _, o := range c.OrderBy {
		if o.X.Is(eval.Constant) {
			continue
		}
		x := o.X
		if !p.array {
			x = notNull(x)
		}
		w, err := key.NewLike(x, o.X, o.Desc)
		if err != nil {
			return err
		}
		p.order = append(p.order, w)
	}
	return nil
}

// notNull has a zero or an empty text in the place of NULL: so GROUP_CONCAT orders, where JSON_ARRAYAGG has NULL first.
func notNull(x *eval.Expr) *eval.Expr {
	if x.Null() || !x.Type.Nullable {
		return x
	}
	if m := x.Instant(); m != nil && x.Type.Kind == types.Timestamp {
		x = m
	}
	switch x.Type.Class() {
	case types.ClassInt:
		return zeroForNull[int64](x)
	case types.ClassFloat:
		return zeroForNull[float64](x)
	case types.ClassDec:
		return zeroForNull[decimal.Dec](x)
	case types.ClassTime:
		return zeroForNull[temporal.Packed](x)
	}
	if x.Type.Kind.Address() { // whose keys have no end
		row, zero := eval.Of[[]byte](x), make([]byte, eval.AddressSize(x.Type.Kind))
		return eval.New("", x.Type, func(f *eval.Frame) ([]byte, bool) {
			if v, null := row(f); !null {
				return v, false
			}
			return zero, false
		}, x).As(x)
	}
	if x.Type.Binary() && x.Type.Kind == types.Char {
		return inPlaceOfNull(x, make([]byte, x.Type.Length))
	}
	return zeroForNull[[]byte](x)
}

func zeroForNull[T eval.Scalar](x *eval.Expr) *eval.Expr {
	var zero T
	return inPlaceOfNull(x, zero)
}

func inPlaceOfNull[T eval.Scalar](x *eval.Expr, other T) *eval.Expr {
	row := eval.Of[T](x)
	return eval.New("", x.Type, func(f *eval.Frame) (v T, null bool) {
		if v, null = row(f); null {
			return other, false
		}
		return v, false
	}, x).As(x)
}

func ascii() *charset.Set {
	set, _ := charset.SetByName("ascii")
	return set
}

// concats are the states of a concat. Without an order texts are put together as rows come; else they wait for Result. DISTINCT alone is
// an order by the arguments.
type concats struct {
	*concat
	groups  []joined
	seen    set
	scratch []byte

	// What waits: entries by group, each the key and the text of a row in data.
	entries []entry
	data    []byte
	charged int64
	pruneAt int // from how many bytes on rows are pruned

	rows int // of groups whose results were asked for: warnings count them
}

// joined is the text of a group.
type joined struct {
	text          []byte
	rows          int // that were put together, and those that LIMIT's offset leaves out
	skipped, used uint64
	any, begun    bool
	cut, warned   bool
	done          bool // the result was asked for
	first, last   int  // entries that wait, plus one
}

func (s *concats) Grow(groups int) { s.groups = grown(s.groups, groups) }

func (s *concats) Bytes() int64 { return int64(unsafe.Sizeof(joined{})) * int64(cap(s.groups)) }

func (s *concats) Add(f *eval.Frame, group int) {
	g := &s.groups[group]
	text, ok := s.row(f, s.scratch[:0]) // for its conditions in any case
	s.scratch = text
	if g.cut || !ok || s.unique != nil && !s.seen.add(f, group, s.unique) {
		return
	}
	g.any = true
	if !s.ordered {
		if s.join(f, g, text); len(s.groups) == 1 {
			s.warn(f, g) // at once: other groups' rows do not count
		}
		return
	}
	s.wait(f, g, text)
}

// join puts a row's text at the end of the group's.
func (s *concats) join(f *eval.Frame, g *joined, text []byte) {
	switch {
	case s.limited && g.used == s.limit.Count:
		return
	case g.skipped < s.limit.Offset:
		g.skipped++
		g.rows++
		return
	}
	before := len(g.text)
	need := before + len(s.separator) + len(text)
	if need > cap(g.text) {
		room := max(need, 2*cap(g.text))
		if !charge(f, int64(room-cap(g.text))) {
			return
		}
		g.text = slices.Grow(g.text, room-before)
	}
	if g.begun {
		g.text = append(g.text, s.separator...)
	}
	g.text, g.begun = append(g.text, text...), true
	g.used++
	g.rows++
	if len(g.text) > s.lengthMax {
		s.shorten(g, before)
	}
}

// shorten cuts a text that was longer than allowed by its last row to whole characters. A string in an array gets its quote back, whether or
// not its beginning is left, if there was room for anything.
func (s *concats) shorten(g *joined, before int) {
	g.cut = true
	if last := len(g.text) - 1; s.array && g.text[last] == '"' && before < s.lengthMax {
		g.text = append(g.text[:s.whole(g.text, before, s.lengthMax-1)], '"')
		return
	}
	g.text = g.text[:s.whole(g.text, before, s.lengthMax)]
}

// whole is where whole characters end, from a place on and not after another one.
func (s *concats) whole(text []byte, from, end int) int {
	if from >= end {
		return from
	}
	if bad := s.set.Valid(text[from:end]); bad >= 0 {
		return from + bad
	}
	return end
}

func (s *concats) Result(f *eval.Frame, group int) types.Value {
	g := &s.groups[group]
	if !g.done {
		s.sort(f, g)
		s.warn(f, g)
		s.rows += g.rows
		g.done = true
	}
	if !g.any {
		return types.Value{Null: true}
	}
	if s.array {
		return types.Value{Text: slices.Concat([]byte{'['}, g.text, []byte{']'})}
	}
	if g.text == nil {
		return types.Value{Text: []byte{}}
	}
	return types.Value{Text: g.text}
}

// warn tells once that a text was cut, and by which row.
func (s *concats) warn(f *eval.Frame, g *joined) {
	if g.cut && !g.warned {
		f.Warn(mysqlerr.CutValueGroupConcat, s.rows+g.rows, s.name)
		g.warned = true
	}
}
