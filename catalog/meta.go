package catalog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// MetaTable is the table id of the meta space.
const MetaTable uint32 = 0

// Parts of the meta space: the second four bytes of a key whose table id is 0.
const (
	// MetaMark is the engine's: its log position and format.
	MetaMark uint32 = 0
	// MetaNextID holds, under the empty key, the next table id: 4 bytes big endian.
	MetaNextID uint32 = 1
	// MetaDatabases: folded name -> DatabaseDef as JSON.
	MetaDatabases uint32 = 2
	// MetaTables: 4 bytes table id, big endian -> TableDef as JSON.
	MetaTables uint32 = 3
	// MetaObjects: kind 0x00 folded db 0x00 folded name -> ObjectDef as JSON.
	MetaObjects uint32 = 4
	// MetaCounters: 4 bytes table id, big endian -> next auto-increment value, 8 bytes big endian.
	MetaCounters uint32 = 5
	// MetaPositions: 4 bytes replication domain, big endian -> up to where it was applied (package commit/protocol/twopc). As the
	// counters they are in one engine each; no definition refers to them.
	MetaPositions uint32 = 6
)

// Writer receives changes of keys; engine.Batch is one.
type Writer interface {
	Set(key, value []byte) error
	Delete(key []byte) error
	DeleteRange(lower, upper []byte) error
}

// Iterator is the part of engine.Iterator that loading needs.
type Iterator interface {
	First() bool
	SeekGE(key []byte) bool
	Next() bool
	Valid() bool
	Key() []byte
	Value() []byte
	Error() error
	Close() error
}

// CounterKey is the key of a table's auto-increment counter.
func CounterKey(table uint32) []byte {
	return binary.BigEndian.AppendUint32(AppendPrefix(nil, MetaTable, MetaCounters), table)
}

// PositionKey is the key of a replication domain's position.
func PositionKey(domain uint32) []byte {
	return binary.BigEndian.AppendUint32(AppendPrefix(nil, MetaTable, MetaPositions), domain)
}

// InOneEngine says that a part of the meta space is not the same in all engines.
func InOneEngine(part uint32) bool {
	return part == MetaMark || part == MetaCounters || part == MetaPositions
}

// EncodeCounter and DecodeCounter are the value of a counter key.
func EncodeCounter(next uint64) []byte { return binary.BigEndian.AppendUint64(nil, next) }

// DecodeCounter reads what EncodeCounter wrote.
func DecodeCounter(b []byte) (uint64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: auto-increment counter of %d bytes", ErrCorruptKey, len(b))
	}
	return binary.BigEndian.Uint64(b), nil
}

func databaseKey(name string) []byte {
	return append(AppendPrefix(nil, MetaTable, MetaDatabases), fold(name)...)
}

func tableKey(id uint32) []byte {
	return binary.BigEndian.AppendUint32(AppendPrefix(nil, MetaTable, MetaTables), id)
}

func objectKey(kind, db, name string) []byte {
	k := append(AppendPrefix(nil, MetaTable, MetaObjects), kind...)
	k = append(append(k, 0), fold(db)...)
	return append(append(k, 0), fold(name)...)
}

// WriteChange writes c into an engine that holds version s: the definitions,
// and the removal of the key spaces of tables and indexes that c takes away.
// It goes into the same batch as the log position, before the row changes of
// the same transaction. Writing it again changes nothing.
func (s *Snapshot) WriteChange(w Writer, c Change) error {
	for _, k := range c.DropObjects {
		if err := w.Delete(objectKey(k.Kind, k.DB, k.Name)); err != nil {
			return err
		}
	}
	for _, id := range c.DropTables {
		if err := dropTable(w, id); err != nil {
			return err
		}
	}
	for _, name := range c.DropDatabases {
		if err := w.Delete(databaseKey(name)); err != nil {
			return err
		}
	}
	for i := range c.Databases {
		if err := setJSON(w, databaseKey(c.Databases[i].Name), &c.Databases[i]); err != nil {
			return err
		}
	}
	for _, d := range c.Tables {
		if err := s.writeTable(w, d); err != nil {
			return err
		}
	}
	for i := range c.Objects {
		o := &c.Objects[i]
		if err := setJSON(w, objectKey(o.Kind, o.DB, o.Name), o); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Counters)) {
		if err := w.Set(CounterKey(id), EncodeCounter(c.Counters[id])); err != nil {
			return err
		}
	}
	next := c.nextTableID(s.nextTableID)
	if next == s.nextTableID && s.version > 0 {
		return nil
	}
	return w.Set(AppendPrefix(nil, MetaTable, MetaNextID), binary.BigEndian.AppendUint32(nil, next))
}

func dropTable(w Writer, id uint32) error {
	if err := w.Delete(tableKey(id)); err != nil {
		return err
	}
	if err := w.Delete(CounterKey(id)); err != nil {
		return err
	}
	return w.DeleteRange(TableSpan(id))
}

// writeTable stores a definition and removes the entries of indexes that the
// previous definition had and this one has not.
func (s *Snapshot) writeTable(w Writer, d *TableDef) error {
	if old := s.byID[d.ID]; old != nil {
		kept := map[uint32]bool{}
		for i := range d.Indexes {
			kept[d.Indexes[i].ID] = true
		}
		for i := range old.Def.Indexes {
			if id := old.Def.Indexes[i].ID; !kept[id] {
				if err := w.DeleteRange(IndexSpan(d.ID, id)); err != nil {
					return err
				}
			}
		}
	}
	return setJSON(w, tableKey(d.ID), d)
}

func setJSON(w Writer, key []byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("catalog entry: %w", err)
	}
	return w.Set(key, b)
}
