package plan

import (
	"bytes"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// beginning is what the conditions say of a CHAR column whose spaces count in a key, though not in comparisons: of equal texts the keys differ in
// how many spaces follow, and where. What they have in common are the weights of the first level, with which they begin. What is less than a
// text has no bound: the spaces may be more than what follows there.
func (f *found) beginning(part row.KeyPart) (b bound) {
	for i := range f.conds {
		c := &f.conds[i]
		switch {
		case c.column != part.Column:
		case len(c.list) == 0 && !c.between:
			f.narrow(&b, part, c)
		case len(c.list) == 1 && !c.between && !part.Digest: // digests begin with nothing in common
			weights := f.firstLevel(part, c)
			if weights == nil {
				continue
			}
			switch c.op {
			case tree.OpEqual, tree.OpNullSafeEqual:
				b.upper = further(b.upper, weights, true)
				b.lower = further(b.lower, weights, false)
			case tree.OpGreater, tree.OpGreaterEqual:
				b.lower = further(b.lower, weights, false)
			}
		}
	}
	if b.isSet {
		b.lower, b.upper = nil, nil
	}
	return b
}

// firstLevel is the beginning of the components of all texts that are equal to the constant of a condition; nil if it is not known.
func (f *found) firstLevel(part row.KeyPart, c *cond) []byte {
	tbl := f.c.scope.src.Table
	col, x := &tbl.Columns[part.Column], c.list[0]
	if col.Type.Kind != types.Char || x.Type.Class() != types.ClassText || x.Timely() {
		return nil
	}
	text, _, null := f.texts(col, x)
	value, ok := text.([]byte)
	order, err := col.Type.Collation.Order()
	if null || !ok || err != nil {
		return nil
	}
	component := row.AppendKeyBeginning(nil, order.AppendLevel(nil, value, 1))
	whole, err := row.AppendKeyValue(nil, tbl.Table.Columns[part.Column], part, value)
	if err != nil || !bytes.HasPrefix(whole, component) {
		return nil
	}
	return component
}
