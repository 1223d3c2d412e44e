package plan

import (
	"bytes"
	"math"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/row"
)

// keys makes the keys that a way reads where all of them come from integers: those that the first parts of the index equal, and the bounds of the part
// that follows. No other way could be better for other integers.
type keys struct {
	index     int
	prefix    []byte
	equal     []keyPart
	low, high *keyPart // of the part that follows, both belonging to the range; nil for no bound
	whole     bool     // equal are the whole primary key
	// where are the conditions that are left to test: that of the others holds for each row that is read.
	where []Condition
}

type keyPart struct {
	value    eval.Func[int64]
	unsigned bool
	step     int64 // what is added to the value: < and > leave it out
}

// integerKeys are the keys of the best way; nil if it is not that simple.
func (f *found) integerKeys(p *Select, best *way) *keys {
	tbl := f.c.scope.src.Table
	if len(f.tuples) > 0 || len(p.Where) != len(f.c.tested) {
		return nil
	}
	k := &keys{index: best.Index, prefix: tbl.Prefix(best.Index)}
	var answered []int
	parts := tbl.Parts(best.Index)
	for _, part := range parts {
		var conds []*cond
		for i := range f.conds {
			if f.conds[i].column == part.Column {
				conds = append(conds, &f.conds[i])
			}
		}
		if len(conds) == 0 {
			break
		}
		if part != (row.KeyPart{Column: part.Column}) || !tbl.Columns[part.Column].Type.Kind.Integer() {
			return nil
		}
		for _, c := range conds {
			if !c.exact || slices.ContainsFunc(c.list, func(x *eval.Expr) bool { return !x.Type.Kind.Integer() || x.Type.Hybrid }) {
				return nil
			}
			answered = append(answered, c.conjunct)
		}
		if c := conds[0]; len(conds) == 1 && c.op == tree.OpEqual && !c.between {
			k.equal = append(k.equal, keyPartOf(c.list[0], 0))
			continue
		}
		if !k.bounded(conds) {
			return nil
		}
		break
	}
	if k.whole = best.Index < 0 && len(k.equal) == len(parts); len(answered) == 0 || best.score != k.score(tbl, len(parts)) {
		return nil // the best one for NULL, or for bounds that are equal
	}
	for i := range tbl.Indexes {
		if i == best.Index || !tbl.Indexes[i].Stored || !f.c.usable(i) {
			continue
		}
		if most := f.scoreMost(i); most > best.score || most == best.score && i < best.Index {
			return nil
		}
	}
	if best.Index >= 0 && f.scoreMost(-1) >= best.score {
		return nil
	}
	for i, holds := range p.Where {
		if !slices.Contains(answered, f.c.tested[i]) {
			k.where = append(k.where, holds)
		}
	}
	return k
}

// score is that of the way for most integers.
func (k *keys) score(tbl *relation.Table, parts int) int {
	score := scoreOfPart * len(k.equal)
	switch {
	case k.low != nil && k.high != nil:
		score += scoreOfRange
	case k.low != nil || k.high != nil:
		score += scoreOfBound
	}
	if len(k.equal) == parts && (k.index < 0 || tbl.Indexes[k.index].Unique) {
		score += scoreOfUnique
	}
	if k.index < 0 {
		score++
	}
	return score
}

func keyPartOf(x *eval.Expr, step int64) keyPart {
	return keyPart{eval.Of[int64](x), x.Type.Unsigned, step}
}

// bounded sets the bounds of a part; false if the conditions are not one of each.
func (k *keys) bounded(conds []*cond) bool {
	bound := func(to **keyPart, x *eval.Expr, step int64) bool {
		if *to != nil {
			return false
		}
		part := keyPartOf(x, step)
		*to = &part
		return true
	}
	for _, c := range conds {
		ok := false
		switch {
		case c.between:
			ok = bound(&k.low, c.list[0], 0) && bound(&k.high, c.list[1], 0)
		case c.op == tree.OpLess:
			ok = bound(&k.high, c.list[0], -1)
		case c.op == tree.OpLessEqual:
			ok = bound(&k.high, c.list[0], 0)
		case c.op == tree.OpGreater:
			ok = bound(&k.low, c.list[0], 1)
		case c.op == tree.OpGreaterEqual:
			ok = bound(&k.low, c.list[0], 0)
		}
		if !ok {
			return false
		}
	}
	return true
}

// scoreMost is the score of an index at most, whatever the constants are.
func (f *found) scoreMost(index int) (most int) {
	tbl := f.c.scope.src.Table
	parts := tbl.Parts(index)
	for i, part := range parts {
		if !slices.ContainsFunc(f.conds, func(c cond) bool { return c.column == part.Column }) {
			break
		}
		if most += scoreOfPart; i == len(parts)-1 && (index < 0 || tbl.Indexes[index].Unique) {
			most += scoreOfUnique
		}
	}
	if index < 0 {
		most++
	}
	return most
}

// append appends the component of the part to a key; false if the value is NULL, or there is none beside it.
func (p *keyPart) append(key []byte, f *eval.Frame) ([]byte, bool) {
	v, null := p.value(f)
	if null {
		return key, false
	}
	if p.step != 0 {
		first, last := int64(math.MinInt64), int64(math.MaxInt64)
		if p.unsigned {
			first, last = 0, -1
		}
		if p.step < 0 && v == first || p.step > 0 && v == last {
			return key, false
		}
	}
	return row.AppendKeyInt(key, v+p.step, p.unsigned), true
}

// access makes now's Access for the parameters of a frame; false if the way has to be chosen again.
func (k *keys) access(f *eval.Frame, now *Select) bool {
	const integer, most = 9, 2 // bytes of a component; keys
	key := make([]byte, 0, most*(len(k.prefix)+integer*(len(k.equal)+1))+1)
	key = append(key, k.prefix...)
	var ok bool
	for i := range k.equal {
		if key, ok = k.equal[i].append(key, f); !ok {
			return false
		}
	}
	now.Access.Row, now.Access.Spans = nil, nil
	if k.whole {
		now.Access.Row = key
		return true
	}
	begin := len(key)
	span := Span{Lower: key}
	switch {
	case k.low != nil:
		if span.Lower, ok = k.low.append(key, f); !ok {
			return false
		}
	case k.high != nil:
		span.Lower = append(key, behindNull)
	}
	end := append(span.Lower[len(span.Lower):], key...)
	if k.high != nil {
		if end, ok = k.high.append(end, f); !ok {
			return false
		}
		if k.low != nil {
			if order := bytes.Compare(span.Lower[begin:], end[begin:]); order == 0 {
				return false // that is one value
			} else if order > 0 {
				return true // nothing can be found
			}
		}
	}
	now.span[0] = Span{Lower: slices.Clip(span.Lower), Upper: catalog.PrefixEnd(end)}
	now.Access.Spans = now.span[:]
	return true
}
