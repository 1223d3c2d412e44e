package relation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// Action is what becomes of the rows that refer to a row which is deleted, or whose key changes.
type Action uint8

// Actions. NO ACTION and SET DEFAULT are Restrict, as InnoDB has it.
const (
	Restrict Action = iota
	Cascade
	SetNull
)

// NoIndex is the place of an index that is not there.
const NoIndex = -2

// Foreign is a foreign key between versions of two tables.
type Foreign struct {
	Child, Parent *Table // Parent is nil if there is no such table
	// Columns are those of the child, ParentColumns those of the parent that they refer to, by their ordinals.
	Columns, ParentColumns []int
	// ChildIndex and ParentIndex are the places of the indexes by which rows are found, -1 for the primary key.
	ChildIndex, ParentIndex int
	// ChildLead and ParentLead are how many of the columns are parts of them: what follows are columns of the primary key, which InnoDB adds to
	// every index.
	ChildLead, ParentLead int
	// ChildRank and ParentRank are their ranks.
	ChildRank, ParentRank int
	// ChildKey and ParentKey are the columns as parts of keys: equal values have equal bytes in both.
	ChildKey, ParentKey []row.KeyPart
	OnDelete, OnUpdate  Action
	// Text is what messages say of it.
	Text string
	// Unknown is why rows cannot be checked here; "" if they can.
	Unknown string

	id string
}

// ForeignKeys are the foreign keys of one version of the catalog. They are immutable.
type ForeignKeys struct {
	own, refs map[uint32][]*Foreign // by the table's id
}

// Own are the foreign keys of a table, in the order in which InnoDB checks them: by their indexes, then by their names.
func (k *ForeignKeys) Own(t *Table) []*Foreign { return k.own[t.ID()] }

// To are the foreign keys that refer to a table, in the same order.
func (k *ForeignKeys) To(t *Table) []*Foreign { return k.refs[t.ID()] }

// ForeignKeysOf are those of a version of the catalog. version gives a table's.
func ForeignKeysOf(cat *catalog.Snapshot, version func(*catalog.Table) *Table) *ForeignKeys {
	k := &ForeignKeys{own: map[uint32][]*Foreign{}, refs: map[uint32][]*Foreign{}}
	for _, tbl := range cat.AllTables() {
		for i := range tbl.Def.ForeignKeys {
			def := &tbl.Def.ForeignKeys[i]
			child := version(tbl)
			var parent *Table
			if p := cat.TableLike(def.ParentDB, def.ParentTable); p == tbl {
				parent = child
			} else if p != nil {
				parent = version(p)
			}
			f := newForeign(def, child, parent)
			k.own[child.ID()] = append(k.own[child.ID()], f)
			if parent != nil && f.ParentIndex != NoIndex {
				k.refs[parent.ID()] = append(k.refs[parent.ID()], f)
			}
		}
	}
	for _, list := range k.own {
		slices.SortFunc(list, func(a, b *Foreign) int { return cmp.Or(cmp.Compare(a.ChildRank, b.ChildRank), cmp.Compare(a.id, b.id)) })
	}
	for _, list := range k.refs {
		slices.SortFunc(list, func(a, b *Foreign) int {
			return cmp.Or(cmp.Compare(a.ParentRank, b.ParentRank), cmp.Compare(a.id, b.id))
		})
	}
	return k
}

func newForeign(def *catalog.ForeignKeyDef, child, parent *Table) *Foreign {
	f := &Foreign{
		Child: child, Parent: parent, ParentIndex: NoIndex, OnDelete: actionOf(def.OnDelete), OnUpdate: actionOf(def.OnUpdate),
		Text: foreignText(child.Def, def), id: child.Def.DB + "/" + def.Name,
	}
	var ok bool
	if f.Columns, ok = ordinals(child, def.Columns); ok {
		f.ChildIndex, f.ChildLead = indexOn(child, f.Columns)
		f.ChildKey = keyOf(child, f.ChildIndex, f.Columns)
	}
	if !ok || f.ChildIndex == NoIndex {
		f.Unknown = "a foreign key without an index"
	} else {
		f.ChildRank = child.Rank(f.ChildIndex)
	}
	if parent == nil {
		return f
	}
	if f.ParentColumns, ok = ordinals(parent, def.ParentColumns); !ok || len(f.ParentColumns) != len(f.Columns) {
		f.Unknown = "a foreign key to columns that are not there"
		return f
	}
	f.ParentIndex, f.ParentLead = indexOn(parent, f.ParentColumns)
	f.ParentKey = keyOf(parent, f.ParentIndex, f.ParentColumns)
	if f.ParentIndex != NoIndex {
		f.ParentRank = parent.Rank(f.ParentIndex)
	}
	for i, at := range f.Columns {
		if !sameKey(&child.Columns[at], &parent.Columns[f.ParentColumns[i]]) || f.ChildKey[i].Padded != f.ParentKey[i].Padded {
			f.Unknown = "a foreign key between columns of two types"
		}
	}
	return f
}

func actionOf(text string) Action {
	switch strings.ToUpper(text) {
	case "CASCADE":
		return Cascade
	case "SET NULL":
		return SetNull
	}
	return Restrict
}

func ordinals(t *Table, names []string) ([]int, bool) {
	out := make([]int, len(names))
	for i, name := range names {
		if out[i] = t.Find(name); out[i] < 0 {
			return nil, false
		}
	}
	return out, true
}

// keyOf are columns as the parts of an index, and of the primary key behind it.
func keyOf(t *Table, index int, columns []int) []row.KeyPart {
	parts := t.Primary
	if index >= 0 {
		parts = slices.Concat(t.Table.Parts(index), parts)
	}
	out := make([]row.KeyPart, len(columns))
	for i, at := range columns {
		out[i].Column = at
		if n := slices.IndexFunc(parts, func(p row.KeyPart) bool { return p.Column == at }); n >= 0 {
			out[i].Padded = parts[n].Padded
		}
	}
	return out
}

// indexOn is the first index in InnoDB's order that begins with columns, in their order (dict_foreign_find_index in its dict0mem.h), and how many of
// them are its own.
func indexOn(t *Table, columns []int) (index, lead int) {
	begins := func(parts []row.KeyPart) int {
		for i, at := range columns {
			if i == len(parts) {
				return i
			}
			if parts[i].Column != at || parts[i].PrefixLen > 0 {
				return 0
			}
		}
		return len(columns)
	}
	if n := begins(t.Primary); n == len(columns) {
		return -1, n
	}
	for rank := range t.Indexes {
		i := t.AtRank(rank)
		if !t.Indexes[i].Stored {
			continue
		}
		if n := begins(t.Indexes[i].Parts); n == len(columns) || n > 0 && follows(t, columns[:n], columns[n:]) {
			return i, n
		}
	}
	return NoIndex, 0
}

// follows reports whether the columns of the primary key that are not among the parts of an index begin with others.
func follows(t *Table, parts, columns []int) bool {
	for _, p := range t.Primary {
		switch {
		case len(columns) == 0:
			return true
		case slices.Contains(parts, p.Column):
		case p.Column != columns[0] || p.PrefixLen > 0:
			return false
		default:
			columns = columns[1:]
		}
	}
	return len(columns) == 0
}

// sameKey reports whether equal values of two columns have the same bytes in keys.
func sameKey(a, b *Column) bool {
	if a.Unknown == "" && b.Unknown == "" && character(a) && character(b) {
		return a.Def.Collation == b.Def.Collation
	}
	if a.Unknown != "" || b.Unknown != "" || a.Type.Kind != b.Type.Kind || a.Type.Unsigned != b.Type.Unsigned || a.Def.Collation != b.Def.Collation {
		return false
	}
	switch k := a.Type.Kind; {
	case k.Integer():
		return true
	case k == types.Varchar:
		return true
	}
	return a.Def.Meta == b.Def.Meta && slices.Equal(a.Def.EnumValues, b.Def.EnumValues)
}

// character reports whether a column is a CHAR or a VARCHAR of characters: texts that are equal have the same bytes in keys of both.
func character(c *Column) bool {
	return (c.Type.Kind == types.Char || c.Type.Kind == types.Varchar) && !c.Type.Binary()
}

// ErrUnfit says that a value is too long for a column, or NULL where that cannot be.
var ErrUnfit = errors.New("a value does not fit into a column")

// Copy gives a column the value that a column of another table, or of another row, has. Both have types that a foreign key is understood between.
func (m *Image) Copy(column int, from *row.Reader, of *Column, at int) error {
	to := &m.table.Columns[column]
	text, present := from.Value(at)
	switch {
	case from.Err() != nil:
		return from.Err()
	case !present && !to.Type.Nullable:
		return ErrUnfit
	case !present || to.Type.Kind == types.Varchar || character(of) && character(to):
		full := text
		if present && character(of) && of.Type.Kind == types.Char {
			full = inFull(text, of)
		}
		if present && to.Type.Collation.Set().Len(full) > int(to.Type.Length) {
			return ErrUnfit
		}
		if to.Type.Kind == types.Varchar {
			text = full
		}
		return m.Set(column, types.Value{Null: !present, Text: text})
	case of.Def.Meta != to.Def.Meta:
		return fmt.Errorf("column %s: %w", to.Def.Name, row.ErrType)
	}
	start, end, _ := from.Place(at)
	m.cells[column] = cell{set: true, start: len(m.bytes), end: len(m.bytes) + end - start}
	m.bytes = append(m.bytes, from.Image()[start:end]...)
	return nil
}

// inFull is a text of a CHAR column with the spaces that InnoDB keeps behind it: as many as there are characters fewer, or in sets whose characters have one
// byte or more, bytes.
func inFull(text []byte, of *Column) []byte {
	set := of.Type.Collation.Set()
	space, _ := set.Append(nil, ' ')
	text = slices.Clone(text)
	for len(text) < int(of.Type.Length)*len(space) {
		text = append(text, space...)
	}
	return text
}

// foreignText is a foreign key as errors 1451 and 1452 show it.
func foreignText(def *catalog.TableDef, f *catalog.ForeignKeyDef) string {
	quote := func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
	list := func(names []string) string {
		quoted := make([]string, len(names))
		for i, n := range names {
			quoted[i] = quote(n)
		}
		return strings.Join(quoted, ", ")
	}
	parent := quote(f.ParentTable)
	if !strings.EqualFold(f.ParentDB, def.DB) {
		parent = quote(f.ParentDB) + "." + parent
	}
	text := quote(def.DB) + "." + quote(def.Name) + ", CONSTRAINT " + quote(f.Name) + " FOREIGN KEY (" + list(f.Columns) + ") REFERENCES " +
		parent + " (" + list(f.ParentColumns) + ")"
	for _, rule := range [2][2]string{{"DELETE", f.OnDelete}, {"UPDATE", f.OnUpdate}} {
		switch action := strings.ToUpper(rule[1]); action {
		case "CASCADE", "SET NULL", "NO ACTION":
			text += " ON " + rule[0] + " " + action
		}
	}
	return text
}
