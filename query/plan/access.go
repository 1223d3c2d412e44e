package plan

import (
	"bytes"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/row"
)

// Access is where the rows of a table are read. What is read may be more than what is asked for: the conditions are tested for each row, but for those that
// keys have answered.
type Access struct {
	// Index is the place in the table's Indexes, -1 for the rows in the order of the primary key.
	Index int
	// Spans are what is read of it, in ascending order.
	Spans []Span
	// Reverse reads from the end.
	Reverse bool
	// Row is the full key of the only row that can be asked for; nil if there may be more.
	Row []byte
	// Points says that each of several spans is the full key of one row, its Lower.
	Points bool
}

// Span is a range of full keys: from Lower on, up to Upper, which does not belong to it. nil is the index's own bound.
type Span struct{ Lower, Upper []byte }

// spansMost is into how many spans a read may be divided; lists that would make more are not used for it.
const spansMost = 1 << 16

// bound is what the conditions say of one column: nothing, one of several values, or a range.
type bound struct {
	// points are the key components of the values that the column may have.
	points [][]byte
	isSet  bool // points counts, even if it is empty
	// lower and upper are the components of the range, both belonging to it; nil: no bound.
	lower, upper []byte
}

// found are the bounds of columns, of conditions that all must hold. Components depend on a column's place in an index only where it is a
// prefix, so they are made for each part.
type found struct {
	c      *compiler
	conds  []cond
	tuples []tuples
}

// cond is a condition on one column that an index can serve.
type cond struct {
	column int
	op     tree.Op // OpEqual, OpNullSafeEqual, OpLess ...
	// list are the constants: one, or those of IN. Of IS NULL there is none.
	list []*eval.Expr
	// between says that list are the bounds of BETWEEN, whose op counts for nothing.
	between bool
	// exact says that it says the same as the conjunct with this number.
	exact    bool
	conjunct int
	// loose says that a row may be in the list and not be asked for, as other columns count, too.
	loose bool
}

// tuples are rows of constants, of which the columns have one together.
type tuples struct {
	columns []int
	rows    [][]*eval.Expr
}

// access chooses how the table is read, and whether that makes the order.
func (c *compiler) access(p *Select, where tree.Expr) (best way, f *found) {
	f = &found{c: c}
	if where != nil {
		for i, x := range conjuncts(nil, where) {
			f.take(x, i)
		}
	}
	asked := c.b.Scratch.Asked
	c.b.Scratch.Asked = nil // for other values it is chosen again
	best = f.choose(p)
	c.b.Scratch.Asked = asked
	p.choice = &choice{f, best, f.integerKeys(p, &best)}
	return best, f
}

// choose is access for conditions that are known.
func (f *found) choose(p *Select) (best way) {
	c := f.c
	t := p.Source.Table
	best = c.read(f, -1)
	for i := range t.Indexes {
		if t.Indexes[i].Stored && c.usable(i) {
			if w := c.read(f, i); w.score > best.score {
				best = w
			}
		}
	}
	if best.score == 0 {
		best = c.byOrder(p, best)
	}
	p.Access = best.Access
	p.Sorted = p.Group == nil && len(p.Order) > 0 && c.sorts(p, best)
	if best.one {
		p.Sorted = p.Group == nil // nothing is computed to order one row
	} else if p.Sorted {
		p.Access.Reverse = p.Order[0].Desc
	} else if p.Source.Descending && best.Index < 0 && best.score == 0 {
		p.Access.Reverse = true
	}
	return best
}

// asksKey reports whether the conditions say something of an index.
func asksKey(c *compiler, f *found) bool {
	if c.read(f, -1).score > 0 {
		return true
	}
	t := c.scope.src.Table
	for i := range t.Indexes {
		if t.Indexes[i].Stored && c.usable(i) && c.read(f, i).score > 0 {
			return true
		}
	}
	return false
}

// usable reports whether the statement may use an index.
func (c *compiler) usable(index int) bool {
	return !c.scope.src.Ignored[index]
}

// What a part of an index adds to a score: one that has values, one with a bound on both sides or one, all parts of a unique index that have values.
const (
	scoreOfPart   = 10
	scoreOfRange  = 5
	scoreOfBound  = 2
	scoreOfUnique = 1000
)

// behindNull is less than all components but that of NULL.
const behindNull = 1

// way is one way to read the table.
type way struct {
	Access
	score int
	fixed int // how many parts of the index have one value
	// one says that there is one row at most.
	one bool
}

// read is the way by an index; its score is 0 if the conditions say nothing of it.
func (c *compiler) read(f *found, index int) way {
	tbl := c.scope.src.Table
	w := way{Access: Access{Index: index}}
	parts := tbl.Parts(index)
	prefixes := [][]byte{tbl.Prefix(index)}
	points, unique := 0, true
	beginnings, together := f.beginnings(parts, prefixes[0])
	for i, part := range parts {
		b := f.of(part)
		if !b.isSet {
			w.closed(prefixes, b)
			break
		}
		if i < together {
			b.points = b.points[:min(len(b.points), 2)]
			if i == 0 {
				prefixes = beginnings
			}
		} else if len(prefixes)*len(b.points) > spansMost {
			break
		}
		if len(b.points) != 1 || bytes.Equal(b.points[0], row.AppendKeyNull(nil, false)) {
			unique = false // of NULLs a unique index has many
		}
		if len(b.points) == 1 && w.fixed == points {
			w.fixed++
		}
		if points++; i >= together {
			prefixes = extended(prefixes, b.points)
		}
	}
	w.score += scoreOfPart * points
	if w.score == 0 {
		w.Spans = []Span{{}}
		return w
	}
	if w.Spans == nil {
		w.Spans = []Span{} // if there is no value, nothing can be found
		for _, p := range prefixes {
			w.Spans = append(w.Spans, Span{p, catalog.PrefixEnd(p)})
		}
	}
	slices.SortFunc(w.Spans, func(a, b Span) int { return bytes.Compare(a.Lower, b.Lower) })
	w.Spans = slices.CompactFunc(w.Spans, func(a, b Span) bool { return bytes.Equal(a.Lower, b.Lower) })
	if points == len(parts) {
		if index < 0 || tbl.Indexes[index].Unique {
			w.score += scoreOfUnique
			w.one = unique && len(w.Spans) == 1
		}
		if index < 0 && w.one {
			w.Row = w.Spans[0].Lower
		}
		w.Points = index < 0 && len(w.Spans) > 1
	}
	if index < 0 {
		w.score++ // its entries are the rows
	}
	return w
}

// closed ends the prefixes with the range of the next part.
func (w *way) closed(prefixes [][]byte, b bound) {
	switch {
	case b.lower != nil && b.upper != nil:
		w.score += scoreOfRange
	case b.lower != nil || b.upper != nil:
		w.score += scoreOfBound
	default:
		return
	}
	for _, p := range prefixes {
		s := Span{Lower: p, Upper: catalog.PrefixEnd(p)}
		if b.lower != nil {
			s.Lower = slices.Concat(p, b.lower)
		} else {
			s.Lower = slices.Concat(p, []byte{behindNull})
		}
		if b.upper != nil {
			s.Upper = catalog.PrefixEnd(slices.Concat(p, b.upper))
		}
		if bytes.Compare(s.Lower, s.Upper) < 0 {
			w.Spans = append(w.Spans, s)
		}
	}
	if w.Spans == nil {
		w.Spans = []Span{} // nothing can be found
	}
}

// extended are the prefixes, each followed by each of the points.
func extended(prefixes, points [][]byte) [][]byte {
	out := make([][]byte, 0, len(prefixes)*len(points))
	for _, p := range prefixes {
		for _, v := range points {
			out = append(out, slices.Concat(p, v))
		}
	}
	return out
}

// take notes a condition, if an index could serve it: the one with this number.
func (f *found) take(n tree.Expr, number int) {
	switch n := n.(type) {
	case *tree.Binary:
		op := n.Op
		if _, is := swapped[op]; !is {
			return
		}
		if f.compared(n.Left, op, n.Right) || f.compared(n.Right, swapped[op], n.Left) {
			f.exactly(number)
		}
		if op == tree.OpEqual {
			f.takeRow(n.Left, n.Right)
			f.takeRow(n.Right, n.Left)
		}
	case *tree.Chain:
		if n.Op == tree.OpOr {
			f.takeEither(n.Operands)
		}
	case *tree.Between:
		if !n.Not {
			if f.compared(n.X, tree.OpEqual, n.Low, n.High) {
				f.conds[len(f.conds)-1].between = true
				f.exactly(number)
			}
		}
	case *tree.In:
		if !n.Not && n.Query == nil {
			f.compared(n.X, tree.OpEqual, n.List...)
			f.takeRow(n.X, n.List...)
		}
	case *tree.Is:
		if _, truth := n.What.(*tree.BoolLit); !truth && !n.Not {
			f.compared(n.X, tree.OpNullSafeEqual)
		}
	}
}

// exactly says of the condition that was noted last that the conjunct with this number says the same.
func (f *found) exactly(number int) {
	c := &f.conds[len(f.conds)-1]
	c.exact, c.conjunct = true, number
}

// swapped are the operators that an index can serve, and what they are with their sides exchanged.
var swapped = map[tree.Op]tree.Op{
	tree.OpEqual: tree.OpEqual, tree.OpNullSafeEqual: tree.OpNullSafeEqual, tree.OpLess: tree.OpGreater, tree.OpGreater: tree.OpLess,
	tree.OpLessEqual: tree.OpGreaterEqual, tree.OpGreaterEqual: tree.OpLessEqual,
}

// compared notes that a column is compared with constants; false if that is not what it is.
func (f *found) compared(x tree.Expr, op tree.Op, with ...tree.Expr) bool {
	at := f.column(x)
	if at < 0 {
		return false
	}
	c := cond{column: at, op: op}
	for _, n := range with {
		v := f.constant(n)
		if v == nil {
			return false
		}
		c.list = append(c.list, v)
	}
	if !alike(c.list) {
		return false
	}
	f.conds = append(f.conds, c)
	return true
}

// byOrder is the way by an index in whose order the rows are asked for: that of the rows, or if few are asked for another one.
func (c *compiler) byOrder(p *Select, otherwise way) way {
	if len(p.Order) == 0 || p.Distinct || p.Group != nil || c.sorts(p, otherwise) {
		return otherwise
	}
	const few = 1000
	if !p.Limit.Any || p.Limit.Count > few || p.Limit.Offset > few || len(p.Where) > 0 {
		return otherwise
	}
	for i := range p.Source.Table.Indexes {
		if !p.Source.Table.Indexes[i].Stored || !c.usable(i) {
			continue
		}
		w := way{Access: Access{Index: i, Spans: []Span{{}}}}
		if c.sorts(p, w) {
			return w
		}
	}
	return otherwise
}

// sorts reports whether rows that are read by a way come in the order asked for, forwards or backwards.
func (c *compiler) sorts(p *Select, w way) bool {
	tbl := p.Source.Table
	parts := tbl.Parts(w.Index)
	if w.Index >= 0 && !tbl.Keyless() {
		parts = slices.Concat(parts, tbl.Parts(-1)) // entries end with the row's key
	}
	at := 0
	for i, o := range p.Order {
		if o.Column < 0 || o.Desc != p.Order[0].Desc {
			return false
		}
		for at < len(parts) && at < w.fixed && parts[at].Column != o.Column {
			at++ // it has one value
		}
		if at == len(parts) {
			return i > 0 && w.Index < 0 // the primary key is complete: what follows orders nothing
		}
		part := parts[at]
		if part.Column != o.Column || part.PrefixLen > 0 || part.Desc || part.Digest || !ordered(&tbl.Columns[part.Column]) {
			return false
		}
		if padded := tbl.Columns[part.Column].Type.Padded(); padded > 0 && padded != part.Padded {
			return false // an index of an earlier version
		}
		at++
	}
	return true
}

// further is the bound that leaves less: the greater of lower ones, the less of upper ones. nil is none.
func further(a, b []byte, upper bool) []byte {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case (bytes.Compare(a, b) < 0) == upper:
		return a
	}
	return b
}
