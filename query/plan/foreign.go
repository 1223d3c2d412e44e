package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/relation"
)

// Keys is what foreign keys ask of a statement. A nil Keys is that of one that changes nothing that is part of any.
type Keys struct {
	All *relation.ForeignKeys
	// Uses are the other tables of which rows are read, or changed.
	Uses []KeyUse
	// Returns says that cascades come back to the table of the statement, Sets which of its columns they set, by their ordinals.
	Returns bool
	Sets    map[int]bool
}

// KeyUse is a table of which foreign keys read rows; Write says that they change them.
type KeyUse struct {
	Table *relation.Table
	Write bool
}

// Same reports whether two statements use the same versions of tables.
func (k *Keys) Same(other *Keys) bool {
	if k == nil || other == nil {
		return k == other
	}
	return k.Returns == other.Returns && slices.EqualFunc(k.Uses, other.Uses, func(a, b KeyUse) bool {
		return a.Table.Table == b.Table.Table && a.Write == b.Write
	})
}

// Changed says how the rows of a table change.
type Changed struct {
	Insert, Delete bool
	// Columns are those that an UPDATE sets, by their ordinals; nil without one.
	Columns map[int]bool
}

// KeysOf finds what foreign keys ask when rows of a table change. refused is why that is not understood; "" if it is.
func KeysOf(all *relation.ForeignKeys, t *relation.Table, how Changed) (keys *Keys, refused string) {
	if len(all.Own(t)) == 0 && len(all.To(t)) == 0 {
		return nil, ""
	}
	r := &reach{all: all, base: t, keys: &Keys{All: all, Sets: map[int]bool{}}, seen: map[reached]bool{}}
	if how.Insert {
		for _, f := range all.Own(t) {
			r.references(f)
		}
	}
	if how.Delete {
		r.deleted(t)
	}
	if how.Columns != nil {
		r.updated(t, how.Columns)
	}
	if !r.any {
		return nil, ""
	}
	return r.keys, r.refused
}

// reach walks over the foreign keys that a statement may come to.
type reach struct {
	all     *relation.ForeignKeys
	base    *relation.Table
	keys    *Keys
	seen    map[reached]bool
	any     bool
	refused string
}

// reached is a way on which the walk has come to a table.
type reached struct {
	by      *relation.Foreign
	deletes bool
}

// use notes that a foreign key reads, or changes, rows of a table.
func (r *reach) use(f *relation.Foreign, t *relation.Table, write bool) {
	if r.any = true; f.Unknown != "" {
		r.refused = f.Unknown
	}
	if t == nil || t.ID() == r.base.ID() {
		return
	}
	for i := range r.keys.Uses {
		if u := &r.keys.Uses[i]; u.Table.ID() == t.ID() {
			u.Write = u.Write || write
			return
		}
	}
	r.keys.Uses = append(r.keys.Uses, KeyUse{Table: t, Write: write})
}

// references notes that a row may come to refer to another one.
func (r *reach) references(f *relation.Foreign) { r.use(f, f.Parent, false) }

// deleted follows the rows that refer to rows which are deleted.
func (r *reach) deleted(t *relation.Table) {
	for _, f := range r.all.To(t) {
		if f.OnDelete == relation.Restrict {
			r.use(f, f.Child, false)
			continue
		}
		r.use(f, f.Child, true)
		if key := (reached{f, true}); r.first(key) {
			if f.OnDelete == relation.Cascade {
				r.comes(f, nil)
				r.deleted(f.Child)
			} else {
				r.cascadedUpdate(f)
			}
		}
	}
}

// updated follows the rows that refer to rows of which columns are set, and the rows that those refer to then.
func (r *reach) updated(t *relation.Table, columns map[int]bool) {
	sets := func(list []int) bool { return slices.ContainsFunc(list, func(at int) bool { return columns[at] }) }
	moves := false // to another key by which rows are kept, which is part of the entries of all indexes
	for _, p := range t.Clustered() {
		moves = moves || columns[p.Column]
	}
	for _, f := range r.all.Own(t) {
		inKey := f.Unknown != "" && sets(f.Columns) || moves
		if f.Unknown == "" {
			for _, p := range t.Parts(f.ChildIndex) {
				inKey = inKey || columns[p.Column]
			}
		}
		if inKey {
			r.references(f)
		}
	}
	for _, f := range r.all.To(t) {
		if !sets(f.ParentColumns) {
			continue
		}
		if f.OnUpdate == relation.Restrict {
			r.use(f, f.Child, false)
			continue
		}
		r.use(f, f.Child, true)
		if r.first(reached{by: f}) {
			r.cascadedUpdate(f)
		}
	}
}

func (r *reach) cascadedUpdate(f *relation.Foreign) {
	columns := map[int]bool{}
	for _, at := range f.Columns {
		columns[at] = true
	}
	r.comes(f, columns)
	r.updated(f.Child, columns)
}

// comes looks whether a table is one whose rows cascades may change: MariaDB has no constraints and no generated columns over what they set, and
// looks at no others.
func (r *reach) comes(f *relation.Foreign, columns map[int]bool) {
	t := f.Child
	if err := changeable(&Source{Table: t}); err != nil {
		r.refused = "cascades into a table with special columns or indexes"
	}
	if t.ID() == r.base.ID() {
		r.keys.Returns = true
		for at := range columns {
			r.keys.Sets[at] = true
		}
	}
	var texts []string
	for i := range t.Def.Columns {
		texts = append(texts, t.Def.Columns[i].Generated)
	}
	for i := range t.Def.Checks {
		texts = append(texts, t.Def.Checks[i].Expression)
	}
	for at := range columns {
		name := strings.ToLower(t.Columns[at].Def.Name)
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), name) }) {
			r.refused = fmt.Sprintf("cascades into column %s, of which the table makes other things", t.Columns[at].Def.Name)
		}
	}
}

func (r *reach) first(key reached) bool {
	was := r.seen[key]
	r.seen[key] = true
	return !was
}

// Columns are those that an UPDATE may change, by their ordinals.
func (w *Changes) Columns(t *relation.Table) map[int]bool {
	out := map[int]bool{}
	for i := range w.Sets {
		out[w.Sets[i].Column] = true
	}
	for _, at := range w.OnUpdate {
		out[at] = true
	}
	for i := range t.Columns {
		if t.Columns[i].Def.Generated != "" {
			out[i] = true
		}
	}
	return out
}
