package catalog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// MetaSpan is the range of keys that Load reads.
func MetaSpan() (lower, upper []byte) { return TableSpan(MetaTable) }

// Load reads the catalog that an engine holds. it iterates over MetaSpan; Load
// does not close it.
func Load(it Iterator, coll Collations) (*Snapshot, error) {
	s := Empty()
	for ok := it.First(); ok; ok = it.Next() {
		_, part, rest, ok := ParsePrefix(it.Key())
		if !ok {
			return nil, fmt.Errorf("%w: %x in the meta space", ErrCorruptKey, it.Key())
		}
		if err := s.load(part, rest, it.Value(), coll); err != nil {
			return nil, err
		}
	}
	if err := it.Error(); err != nil {
		return nil, fmt.Errorf("load catalog: %w", err)
	}
	return s, nil
}

func (s *Snapshot) load(part uint32, rest, value []byte, coll Collations) error {
	var err error
	switch part {
	case MetaNextID:
		if len(value) != 4 {
			return fmt.Errorf("%w: next table id of %d bytes", ErrCorruptKey, len(value))
		}
		s.nextTableID = max(s.nextTableID, binary.BigEndian.Uint32(value))
	case MetaDatabases:
		d := &DatabaseDef{}
		if err = json.Unmarshal(value, d); err == nil {
			s.databases[fold(d.Name)] = d
		}
	case MetaTables:
		d := &TableDef{}
		if err = json.Unmarshal(value, d); err == nil {
			var t *Table
			if t, err = NewTable(d, coll); err == nil {
				s.byID[d.ID], s.tables[foldTable(d.DB, d.Name)] = t, t
				s.nextTableID = max(s.nextTableID, d.ID+1)
			}
		}
	case MetaObjects:
		o := &ObjectDef{}
		if err = json.Unmarshal(value, o); err == nil {
			s.objects[foldObject(o.Kind, o.DB, o.Name)] = o
		}
	}
	if err != nil {
		return fmt.Errorf("load catalog entry %x: %w", rest, err)
	}
	return nil
}

// KeySpace is a range of keys that belongs to one index of a table, or to the
// whole table.
type KeySpace struct {
	Table uint32
	Index uint32 // meaningless if Whole
	Whole bool   // the table and all of its indexes
}

// Span is the range of keys.
func (k KeySpace) Span() (lower, upper []byte) {
	if k.Whole {
		return TableSpan(k.Table)
	}
	return IndexSpan(k.Table, k.Index)
}

// Orphans finds key spaces in the engine that the catalog does not know: what
// a bulk writer left behind when the server died before the DDL was logged. It
// must be called after the log has been replayed, since the log may hold
// the DDL that refers to them. it iterates over the whole engine; Orphans does
// not close it.
func (s *Snapshot) Orphans(it Iterator) ([]KeySpace, error) {
	var out []KeySpace
	_, next := MetaSpan()
	for next != nil && it.SeekGE(next) {
		id, index, _, ok := ParsePrefix(it.Key())
		if !ok {
			return nil, fmt.Errorf("%w: %x", ErrCorruptKey, it.Key())
		}
		k := KeySpace{Table: id, Index: index}
		t := s.byID[id]
		k.Whole = t == nil
		if k.Whole || !t.HasIndex(index) {
			out = append(out, k)
		}
		_, next = k.Span()
	}
	return out, it.Error()
}

// HasIndex reports whether the engine keeps an index with this id for the table.
func (t *Table) HasIndex(id uint32) bool {
	if id == RowsIndex {
		return true
	}
	for i := range t.Indexes {
		if t.Indexes[i].Def.ID == id {
			return t.Indexes[i].Stored
		}
	}
	return false
}
