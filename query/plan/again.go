package plan

import "slices"

// choice is how a way to read the table was chosen.
type choice struct {
	f   *found
	way way
}

// Again is the plan for the values that the parameters in the binder's frame have now, which are of the same types as before. It is nil if they ask for
// another way to read the table, on which other decisions depend.
func (p *Select) Again() *Select {
	before := p.choice
	if before == nil {
		return p
	}
	now := *p
	best := before.f.choose(&now)
	if !best.like(&before.way) || now.Sorted != p.Sorted || now.Access.Reverse != p.Access.Reverse {
		return nil
	}
	return &now
}

// like reports whether two ways differ in nothing but the keys.
func (w *way) like(other *way) bool {
	const several = 2
	return w.Index == other.Index && w.score == other.score && w.fixed == other.fixed && w.one == other.one &&
		(w.Row == nil) == (other.Row == nil) && min(len(w.Spans), several) == min(len(other.Spans), several)
}

// Again is Select.Again for what is changed.
func (w *Write) Again() *Write {
	p := w.Select.Again()
	if p == nil {
		return nil
	}
	now := *w
	now.Select = p
	return &now
}

// Lasting reports whether what was bound can be run again with other parameters: whether it has nothing that was made of the way to read the table, or that
// the table's definition computes. changes and adds are nil of other statements.
func Lasting(p *Select, changes *Write, adds *Insert) bool {
	if p.Virtual != nil || p.Outer != nil || p.Matches != nil || p.Group != nil && p.Group.fixed() {
		return false
	}
	for i := range p.Source.Table.Columns {
		if (changes != nil || adds != nil) && DefaultOf(p.Source.Table, i).Computed {
			return false
		}
	}
	if changes != nil && (changes.Rules != nil || changes.All != nil) {
		return false
	}
	return adds == nil || adds.Query == nil && adds.Each == nil && adds.Rules == nil && adds.Indexed == nil
}

// fixed reports whether it was decided how to find the least and greatest values without the others.
func (g *Group) fixed() bool {
	return g.NoRows || g.Rollup || slices.ContainsFunc(g.Ends, func(end *Access) bool { return end != nil })
}
