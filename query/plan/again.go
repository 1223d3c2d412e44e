package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
)

// choice is how a way to read the table was chosen. It is used by several sessions at once.
type choice struct {
	f    *found
	way  way
	keys *keys // nil where it is not that simple
}

// Again makes now the plan for the parameters that f has, which are of the same types as before; false if they ask for another way to read the table, on
// which other decisions depend.
func (p *Select) Again(f *eval.Frame, now *Select) bool {
	if *now = *p; !now.Limit.again(f) {
		return false
	}
	before := p.choice
	if before == nil {
		return true
	}
	if k := before.keys; k != nil {
		if k.access(f, now) {
			now.Where = k.where
			return true
		}
		now.Access = p.Access
	}
	best := before.f.under(f).choose(now)
	return best.like(&before.way) && now.Sorted == p.Sorted && now.Access.Reverse == p.Access.Reverse
}

// under are the same conditions over the parameters of a frame.
func (f *found) under(frame *eval.Frame) *found {
	b, c, now := *f.c.b, *f.c, *f
	b.Scratch, c.b, now.c = frame, &b, &c
	return &now
}

// like reports whether two ways differ in nothing but the keys.
func (w *way) like(other *way) bool {
	const several = 2
	return w.Index == other.Index && w.score == other.score && w.fixed == other.fixed && w.one == other.one &&
		(w.Row == nil) == (other.Row == nil) && w.Points == other.Points && min(len(w.Spans), several) == min(len(other.Spans), several)
}

// Again is Select.Again for what is changed; sel becomes the plan of the rows.
func (w *Write) Again(f *eval.Frame, now *Write, sel *Select) bool {
	*now = *w
	now.Select = sel
	return w.Select.Again(f, sel)
}

// Lasting reports whether what was bound can be run again with other parameters: whether it has nothing that was made of the way to read the table but the
// VIRTUAL columns, which are the same of all ways that are alike. adds is nil of other statements.
func Lasting(p *Select, adds *Insert) bool {
	if p.Outer != nil || p.Matches != nil || p.Group != nil && p.Group.fixed() {
		return false
	}
	return adds == nil || adds.Query == nil && adds.Each == nil
}

// fixed reports whether it was decided how to find the least and greatest values without the others.
func (g *Group) fixed() bool {
	return g.NoRows || g.Rollup || slices.ContainsFunc(g.Ends, func(end *Access) bool { return end != nil })
}
