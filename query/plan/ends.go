package plan

import (
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// ends finds the functions MIN and MAX of all rows whose value is at an end of an index. That saves a walk over all rows, and it is the value
// that MariaDB finds: of equal texts the first or last in the index, of ENUM and SET by their numbers. best is how the table is read.
func (c *compiler) ends(p *Select, best way, f *found) {
	if p.Group == nil || p.Group.Keyed {
		return
	}
	g := p.Group
	g.Ends, g.NoRows = make([]*Access, len(g.Aggregates)), true
	for i, fn := range g.Aggregates {
		if x, greatest, ok := fn.Extreme(); ok {
			if _, ordinal, ok := x.Column(); ok {
				end := c.end(p, best, f, ordinal, particular(x))
				if end != nil {
					end.Reverse = greatest
				}
				g.Ends[i] = end
			}
		}
		g.NoRows = g.NoRows && g.Ends[i] != nil
	}
	for _, item := range p.Items { // a column beside the functions is shown as the first row has it
		g.NoRows = g.NoRows && len(outside(nil, item.X)) == 0
	}
	if g.NoRows {
		return
	}
	for i, fn := range g.Aggregates {
		if x, _, _ := fn.Extreme(); g.Ends[i] != nil && !particular(x) {
			g.Ends[i] = nil // all rows are read anyway
		}
	}
	g.Adding = slices.DeleteFunc(g.Adding, func(i int) bool { return g.Ends[i] != nil })
}

// particular reports whether it counts where MIN and MAX of a column are looked for.
func particular(x *eval.Expr) bool {
	k := x.Type.Kind
	return k.IsString() || k == types.Enum || k == types.Set
}

// end is where the least value of a column is found, from its other end on the greatest; nil if that is not known.
func (c *compiler) end(p *Select, best way, f *found, ordinal int, particular bool) *Access {
	tbl := p.Source.Table
	inOrder := func(w way) bool {
		return len(w.Spans) == 1 && c.sorts(&Select{Source: p.Source, Order: []Order{{Column: ordinal}}}, w)
	}
	if len(p.Where) > 0 && !particular {
		if best.score == 0 || best.one || !inOrder(best) {
			return nil // every row is looked at
		}
		end := best.Access
		c.afterNull(&end, f, ordinal)
		return &end
	}
	index := c.anyIndex(func(parts []row.KeyPart) bool { return f.only(parts, ordinal, len(p.Where)) })
	if index < -1 {
		return nil // no index: every row is looked at
	}
	for i := range f.conds {
		of := row.KeyPart{Column: f.conds[i].column}
		if k := tbl.Columns[of.Column].Type.Kind; of.Column == ordinal && (k == types.Enum || k == types.Set) {
			return nil // they are compared as texts
		}
		if b := f.of(of); !b.isSet && b.lower == nil && b.upper == nil {
			return nil // the condition is not one on the index
		}
	}
	w := c.read(f, index)
	if len(p.Where) == 0 {
		w.Spans = []Span{{}}
		if index >= 0 {
			w.Spans[0] = Span{tbl.Prefix(index), catalog.PrefixEnd(tbl.Prefix(index))}
		}
	}
	if !inOrder(w) {
		return nil // every row is looked at, and of equal texts the first that is met is shown
	}
	c.afterNull(&w.Access, f, ordinal)
	return &w.Access
}

// afterNull leaves out the entries of an index in which a column, by which they are ordered, is NULL.
func (c *compiler) afterNull(end *Access, f *found, ordinal int) {
	tbl := c.scope.src.Table
	if end.Index < 0 || len(end.Spans) != 1 || !tbl.Columns[ordinal].Type.Nullable {
		return
	}
	for _, part := range tbl.Parts(end.Index) {
		if part.Column != ordinal {
			continue
		}
		if b := f.of(part); !part.Desc && !b.isSet && b.lower == nil && b.upper == nil { // what is before the part is all of the bound
			end.Spans = []Span{{slices.Concat(end.Spans[0].Lower, []byte{1}), end.Spans[0].Upper}}
		}
		return
	}
}

// within reports whether all conditions that were found are on a column of an index and on those before it.
func (f *found) within(parts []row.KeyPart, ordinal int) bool {
	at := slices.IndexFunc(parts, func(p row.KeyPart) bool { return p.Column == ordinal })
	if at < 0 || parts[at].PrefixLen > 0 || parts[at].Digest {
		return false
	}
	for i := range f.conds {
		c := &f.conds[i]
		if c.loose || slices.ContainsFunc(parts, func(p row.KeyPart) bool { return p.Column == c.column && p.Padded > 0 }) {
			return false // what is read may be more than what is asked for
		}
		if len(c.list) > 1 && !c.between || !slices.ContainsFunc(parts[:at+1], func(p row.KeyPart) bool { return p.Column == c.column }) {
			return false
		}
	}
	return true
}

// only reports whether so many conditions give values to the parts of an index before a column, and bounds for this one, and say nothing else.
func (f *found) only(parts []row.KeyPart, ordinal, conditions int) bool {
	if len(f.conds) < conditions || !f.within(parts, ordinal) {
		return false
	}
	known, others := map[int]bool{}, map[int]bool{}
	for i := range f.conds {
		c := &f.conds[i]
		switch {
		case c.column == ordinal:
		case !c.between && (c.op == tree.OpEqual || c.op == tree.OpNullSafeEqual):
			known[c.column] = true
		default:
			others[c.column] = true // which says nothing more of a column with one value
		}
	}
	for column := range others {
		if !known[column] {
			return false
		}
	}
	return len(known) == slices.IndexFunc(parts, func(p row.KeyPart) bool { return p.Column == ordinal })
}

// anyIndex is the first index that the statement may use and that is like that, -1 for the primary key, less for none.
func (c *compiler) anyIndex(like func(parts []row.KeyPart) bool) int {
	tbl := c.scope.src.Table
	for i := -1; i < len(tbl.Indexes); i++ {
		if c.usable(i) && (i < 0 || tbl.Indexes[i].Stored) && like(tbl.Parts(i)) {
			return i
		}
	}
	return -2
}
