package tables

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/row"
)

// span is a range of keys of one index: from lower, inclusive, to upper,
// exclusive. Both are full keys.
type span struct {
	lower, upper []byte
	// point says that the span is one complete key of the index: every part is
	// given and none is NULL.
	point bool
}

// spans turns the ranges of a lookup into disjoint spans in key order. exact
// reports whether the spans hold just what the ranges say; if not, they hold
// more, and the rows found must be checked against the ranges.
//
// A range bounds each column on its own. The columns of an index are bounded
// by one span only up to the first column that is not a single value: with
// 1 <= a <= 5 AND b = 3, the entries with another b lie in between. Nor is a
// span exact if it bounds a column of which only a prefix is indexed.
func (i *index) spans(ctx *sql.Context, ranges sql.MySQLRangeCollection) (out []span, exact bool, err error) {
	exact = true
	out = make([]span, 0, len(ranges))
	for _, r := range ranges {
		s, ok, some, err := i.span(ctx, r)
		if err != nil {
			return nil, false, err
		}
		exact = exact && ok
		if some {
			out = append(out, s)
		}
	}
	return merge(out), exact, nil
}

// merge sorts spans and unites those that overlap.
func merge(in []span) []span {
	if len(in) < 2 {
		return in
	}
	slices.SortFunc(in, func(a, b span) int { return bytes.Compare(a.lower, b.lower) })
	out := in[:1]
	for _, s := range in[1:] {
		last := &out[len(out)-1]
		if last.upper != nil && bytes.Compare(s.lower, last.upper) >= 0 {
			out = append(out, s)
			continue
		}
		if bytes.Equal(s.lower, last.lower) && bytes.Equal(s.upper, last.upper) {
			continue
		}
		last.point = false
		if last.upper != nil && (s.upper == nil || bytes.Compare(s.upper, last.upper) > 0) {
			last.upper = s.upper
		}
	}
	return out
}

// span makes the span of one range. some is false for a range that no row is in.
func (i *index) span(ctx *sql.Context, r sql.MySQLRange) (s span, exact, some bool, err error) {
	tbl := i.v.Table
	key := tbl.Prefix(i.ordinal)
	parts := tbl.Parts(i.ordinal)
	if len(r) > len(parts)+len(i.more) {
		return s, false, false, fmt.Errorf("tables: range with %d columns on index %s with %d", len(r), i.name, len(parts))
	}
	exact, point := true, len(r) == len(parts)
	if len(r) > len(parts) {
		if r, parts = i.withPrimary(r, parts); i.unique {
			// The entries of a unique index end with the index's own columns.
			exact = !slices.ContainsFunc(r[len(i.parts):], func(c sql.MySQLRangeColumnExpr) bool { return !unbounded(c) })
			r, parts = r[:len(i.parts)], parts[:len(i.parts)]
		}
	}
	n := 0
	for ; n < len(r); n++ {
		b, ok, err := i.bounds(ctx, key, parts[n], r[n])
		if err != nil {
			return s, false, false, err
		}
		if b.empty {
			return s, true, false, nil
		}
		exact = exact && ok
		if b.single == nil {
			s.lower, s.upper = b.lower, b.upper
			n++
			break
		}
		point = point && !b.null
		key = b.single
	}
	if s.lower == nil { // every column is one value
		s.lower, s.upper = key, catalog.PrefixEnd(key)
		s.point = point && exact
		return s, exact, true, nil
	}
	for ; n < len(r); n++ {
		if !unbounded(r[n]) {
			exact = false
		}
	}
	if s.upper != nil && bytes.Compare(s.lower, s.upper) >= 0 {
		return s, true, false, nil
	}
	return s, exact, true, nil
}

// withPrimary brings a range that goes on with columns of the primary key into
// the order of the entries' keys: the index's columns, then all those of the
// primary key.
func (i *index) withPrimary(r sql.MySQLRange, parts []row.KeyPart) (sql.MySQLRange, []row.KeyPart) {
	byColumn := map[int]sql.MySQLRangeColumnExpr{}
	for n, p := range i.parts {
		byColumn[p.Column] = r[n]
	}
	for n, at := range i.more {
		if n+len(i.parts) < len(r) {
			byColumn[at] = r[n+len(i.parts)]
		}
	}
	out, outParts := slices.Clone(r[:len(i.parts)]), slices.Clone(parts)
	for _, p := range i.v.Table.Primary {
		c, given := byColumn[p.Column]
		if !given {
			break
		}
		out, outParts = append(out, c), append(outParts, p)
	}
	return out, outParts
}

// unbounded reports whether a column may have any value, NULL included.
func unbounded(c sql.MySQLRangeColumnExpr) bool {
	_, low := c.LowerBound.(sql.BelowNull)
	_, high := c.UpperBound.(sql.AboveAll)
	return low && high
}

// partBounds is what a range says about one column, as keys.
type partBounds struct {
	single       []byte // the key extended by the only possible value
	null         bool   // that value is NULL
	lower, upper []byte
	empty        bool
}

// bounds extends key, which holds the columns before, by the bounds of one column.
func (i *index) bounds(ctx *sql.Context, key []byte, part row.KeyPart, c sql.MySQLRangeColumnExpr) (b partBounds, exact bool, err error) {
	if _, null := c.UpperBound.(sql.AboveNull); part.Digest && !null && !oneValue(c) {
		b.lower, b.upper = bytes.Clone(key), catalog.PrefixEnd(key)
		return b, false, nil
	}
	low, err := i.cut(ctx, key, part, c.LowerBound)
	if err != nil {
		return b, false, err
	}
	if low.value != nil && oneValue(c) {
		b.single = low.value // as the other end would say
		return b, low.exact, nil
	}
	up, err := i.cut(ctx, key, part, c.UpperBound)
	if err != nil {
		return b, false, err
	}
	exact = low.exact && up.exact
	if low.value != nil && bytes.Equal(low.value, up.value) {
		// Below x and above x enclose the single value x; any other two cuts at
		// x enclose nothing, if x stands for itself only.
		switch {
		case !low.above && up.above, part.PrefixLen > 0:
			b.single = up.value
		default:
			b.empty = true
		}
		return b, exact, nil
	}
	null := row.AppendKeyNull(bytes.Clone(key), part.Desc)
	switch c.LowerBound.(type) {
	case sql.BelowNull:
		if _, ok := c.UpperBound.(sql.AboveNull); ok {
			b.single, b.null = null, true
			return b, true, nil
		}
		b.lower = bytes.Clone(key)
	case sql.AboveAll:
		b.empty = true
	default:
		switch {
		case low.value == nil:
			b.lower = catalog.PrefixEnd(null)
		case low.above && part.PrefixLen == 0:
			b.lower = catalog.PrefixEnd(low.value)
		default:
			b.lower = low.value
		}
	}
	switch c.UpperBound.(type) {
	case sql.BelowNull:
		b.empty = true
	case sql.AboveNull:
		b.upper = catalog.PrefixEnd(null)
	default:
		switch {
		case up.value == nil:
			b.upper = catalog.PrefixEnd(key)
		case up.above || part.PrefixLen > 0:
			b.upper = catalog.PrefixEnd(up.value)
		default:
			b.upper = up.value
		}
	}
	return b, exact, nil
}

// oneValue reports whether a column is bounded to one value. It knows those of most keys only: not every value can be compared.
func oneValue(c sql.MySQLRangeColumnExpr) bool {
	low, ok := c.LowerBound.(sql.Below)
	if !ok {
		return false
	}
	up, ok := c.UpperBound.(sql.Above)
	if !ok {
		return false
	}
	switch low.Key.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, string:
		return low.Key == up.Key
	}
	return false
}

// keyCut is one end of a column's range.
type keyCut struct {
	value []byte // the key extended by the value at the cut; nil for none
	above bool   // the cut lies after the value
	exact bool   // the cut says all that the range says
}

// keyRoom is enough for the key of a number; longer ones have to grow.
const keyRoom = 16

// cut encodes one end of a column's range.
func (i *index) cut(ctx *sql.Context, key []byte, part row.KeyPart, c sql.MySQLRangeCut) (k keyCut, err error) {
	var v any
	switch c := c.(type) {
	case sql.Above:
		v, k.above = c.Key, true
	case sql.Below:
		v = c.Key
	default:
		return keyCut{exact: true}, nil
	}
	conv, inRange, err := i.v.Schema.Schema[part.Column].Type.Convert(ctx, v)
	if err != nil || inRange != sql.InRange || conv == nil {
		return keyCut{}, nil //nolint:nilerr // no bound that the key could have: rows are checked one by one
	}
	stored, err := i.v.Codec.Value(ctx, part.Column, conv)
	if err != nil {
		return keyCut{}, nil //nolint:nilerr // likewise
	}
	if i.v.Stamps[part.Column] {
		stored = relation.SessionZone(ctx).Store(stored)
	}
	room := make([]byte, len(key), len(key)+keyRoom)
	copy(room, key)
	k.value, err = row.AppendKeyValue(room, i.v.Table.Columns[part.Column], part, stored)
	switch {
	case errors.Is(err, row.ErrInexact), errors.Is(err, row.ErrRange), errors.Is(err, row.ErrTooLong):
		return keyCut{}, nil
	case err != nil:
		return keyCut{}, err
	}
	k.exact = part.PrefixLen == 0
	return k, nil
}
