package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/types"
)

// Virtual are VIRTUAL columns: they are computed for each row that is read. Their expressions read that row alone, as the first one of a frame of
// their own, whose Env is theirs.
type Virtual struct {
	Env     *types.Env
	Columns []Generated // each reads only those before it
}

// virtual binds the columns of a plan that are computed when a row is read.
func (c *compiler) virtual(p *Select) (err error) {
	if !p.Source.Table.Virtual || len(p.below) == 0 && c.fromIndex(p) {
		return nil
	}
	need := map[int]bool{}
	for _, used := range []map[int]bool{p.Used, p.below} {
		for at := range used {
			need[at] = true
		}
	}
	p.Virtual, err = virtual(c.b, p.Source, need)
	return err
}

// virtual binds those of the columns that are computed when a row is read, and those that they are made of; nil if there are none.
func virtual(b *bind.Binder, src *Source, need map[int]bool) (*Virtual, error) {
	own := *src
	own.Place = 0
	var d *definition
	v := &Virtual{}
	for at := len(own.Table.Columns) - 1; at >= 0; at-- {
		if !need[at] || own.Table.Columns[at].Def.Generated == "" {
			continue
		}
		if d == nil {
			var err error
			if d, err = newDefinition(b, &own, 0, nil); err != nil {
				return nil, err
			}
			v.Env = d.b.Env
		}
		g, err := d.column(at)
		if err != nil {
			return nil, err
		}
		for read := range d.scope.used {
			need[read] = true
		}
		if own.Table.Columns[at].Virtual() { // what a STORED column is made of is computed, too
			v.Columns = append(v.Columns, g)
		}
	}
	if len(v.Columns) == 0 {
		return nil, nil //nolint:nilnil // see above
	}
	slices.Reverse(v.Columns)
	return v, nil
}

// inIndexes are the columns that are computed when a row is read, and are in indexes; nil if there are none.
func inIndexes(b *bind.Binder, src *Source) (*Virtual, error) {
	need := map[int]bool{}
	for i := range src.Table.Indexes {
		for _, p := range src.Table.Parts(i) {
			need[p.Column] = true
		}
	}
	return virtual(b, src, need)
}

// fromIndex reports whether MariaDB reads all columns of a plan out of an index, which has them as they were when the row was written: then
// nothing is said about how they are computed.
func (c *compiler) fromIndex(p *Select) bool {
	t := p.Source.Table
	if at := p.Access.Index; at >= 0 { // it takes one that covers the columns, if there is a choice
		for i := range t.Indexes {
			if t.Indexes[i].Stored && c.usable(i) && t.Parts(i)[0].Column == t.Parts(at)[0].Column && c.covers(i, p.Used) {
				return true
			}
		}
		return false
	}
	if p.Sorted || p.Access.Row != nil || len(p.Access.Spans) != 1 || p.Access.Spans[0].Lower != nil || p.Access.Spans[0].Upper != nil {
		return false
	}
	for i := range t.Indexes {
		if t.Indexes[i].Stored && c.usable(i) && c.covers(i, p.Used) {
			return true
		}
	}
	return false
}

// covers reports whether an index has all of some columns.
func (c *compiler) covers(index int, columns map[int]bool) bool {
	t := c.scope.src.Table
	parts := t.Parts(index)
	if !t.Keyless() {
		parts = slices.Concat(parts, t.Parts(-1))
	}
	have := map[int]bool{}
	for _, p := range parts {
		have[p.Column] = have[p.Column] || p.PrefixLen == 0
	}
	for at := range columns {
		if !have[at] {
			return false
		}
	}
	return true
}
