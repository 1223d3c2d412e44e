package plan

import (
	"slices"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
)

// Explained is how a table is read, in the words of EXPLAIN.
type Explained struct {
	// Type is "const", "ref", "range", "index", "ALL", or "" where no row is read.
	Type string
	// Possible are the indexes of which the conditions say something, and Key is the one that is read: places in the table's Indexes, -1 for the primary
	// key. None is where rows are read in no key's order.
	Possible []int
	Key      int
	// KeyLen is how many bytes MariaDB counts for the columns of the key that say what is read, or for all of them where all of it is; 0 for none.
	KeyLen int
	// Fixed is how many of these columns have one value each, in "const" and "ref".
	Fixed int
	// Rows is how many are read, if that is known; else -1. All says that it is all of the table.
	Rows int
	All  bool
	// Extra are the words of that column.
	Extra []string
}

// None is no key.
const None = -2

// Explain says how the rows of a statement on one table are read.
func (p *Select) Explain() (e Explained) {
	e.Key, e.Rows = None, -1
	a := &p.Access
	switch {
	case p.Group != nil && p.Group.NoRows:
		e.Extra = []string{"Select tables optimized away"}
		return e
	case a.Row == nil && len(a.Spans) == 0:
		e.Extra = []string{"Impossible WHERE"}
		return e
	}
	f := p.choice.f
	tbl := p.Source.Table
	if !tbl.Keyless() && f.c.read(f, -1).score > 0 {
		e.Possible = append(e.Possible, -1)
	}
	for i := range tbl.Indexes {
		if tbl.Indexes[i].Stored && f.c.usable(i) && f.c.read(f, i).score > 0 {
			e.Possible = append(e.Possible, i)
		}
	}
	e.Key = a.Index
	w := &p.choice.way
	switch {
	case w.one:
		e.Type, e.Rows = "const", 1
	case a.Points:
		e.Type, e.Rows = "range", len(a.Spans)
	case len(a.Spans) == 1 && a.Spans[0].Lower == nil && a.Spans[0].Upper == nil:
		e.All = true
		if e.Type = "index"; a.Index < 0 && !p.Sorted {
			e.Type, e.Key = "ALL", None
		}
	case len(a.Spans) == 1 && w.onlyValues():
		e.Type = "ref"
	default:
		e.Type = "range"
	}
	if e.Key != None {
		used := w.used()
		if e.Type == "const" || e.Type == "ref" {
			e.Fixed = used
		}
		e.KeyLen = keyLen(tbl, e.Key, used)
	}
	if len(p.Where) > 0 && e.Type != "const" {
		e.Extra = append(e.Extra, "Using where")
	}
	if p.Group != nil && len(p.Group.Keys) > 0 || p.Distinct && e.Type != "const" {
		e.Extra = append(e.Extra, "Using temporary")
	}
	if len(p.Order) > 0 && !p.Sorted {
		e.Extra = append(e.Extra, "Using filesort")
	}
	slices.SortStableFunc(e.Possible, func(a, b int) int { return keyRank(tbl, a) - keyRank(tbl, b) })
	return e
}

// keyRank is where an index stands among a table's, as MariaDB has them: unique ones first, among them those without NULL, and then those of whole columns.
func keyRank(tbl *relation.Table, index int) (rank int) {
	const others, nullable, partial = 4, 2, 1
	if index < 0 {
		return -1
	}
	if !tbl.Indexes[index].Unique {
		return others
	}
	for _, part := range tbl.Parts(index) {
		if tbl.Columns[part.Column].Def.Nullable {
			rank |= nullable
		}
		if part.PrefixLen > 0 {
			rank |= partial
		}
	}
	return rank
}

// used is how many parts of the index say what is read.
func (w *way) used() int {
	score := w.score % scoreOfUnique
	if w.Index < 0 {
		score--
	}
	used := score / scoreOfPart
	if score%scoreOfPart > 0 { // the range of the next one
		used++
	}
	return used
}

// keyLen is the length of the first parts of an index, of all for 0, as MariaDB's EXPLAIN counts it (KEY_PART_INFO::store_length): a byte for what may be NULL, and
// two for the length of what has one.
func keyLen(tbl *relation.Table, index, used int) (n int) {
	parts := tbl.Parts(index)
	if used == 0 || used > len(parts) {
		used = len(parts)
	}
	for _, part := range parts[:used] {
		c := &tbl.Columns[part.Column]
		if c.Def.Nullable {
			n++
		}
		t := &c.Type
		switch {
		case t.Kind == types.Enum || t.Kind == types.Set || !t.Kind.IsString():
			n += mysql.FixedSize(c.Def.Type, c.Def.Meta)
			continue
		case t.Kind != types.Char:
			n += 2
		}
		chars := int(t.Length)
		if part.PrefixLen > 0 {
			chars = part.PrefixLen
		}
		n += chars * t.Collation.Set().MaxLen()
	}
	return n
}

// onlyValues reports whether parts of the index have values, and none a range.
func (w *way) onlyValues() bool {
	score := w.score
	if w.Index < 0 {
		score--
	}
	return score%scoreOfPart == 0
}
