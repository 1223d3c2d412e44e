package catalog

import (
	"bytes"
	"fmt"

	"github.com/duramendb/duramen/row"
)

// Entry is one key and value of a secondary index.
type Entry struct {
	Key   []byte // full key
	Value []byte // see the package comment
	// Unique says that Key alone identifies the entry: it is of a unique
	// index and holds no NULL, so a second row with this Key is a duplicate.
	Unique bool
	// PartsLen is the length of the prefix and index key within Key.
	PartsLen int
}

// Entry makes the entry of index i for the row (rowKey, image).
func (t *Table) Entry(i int, image, rowKey []byte) (Entry, error) {
	return t.EntryIn(make([]byte, 0, len(t.Indexes[i].prefix)+len(rowKey)+24), i, image, rowKey)
}

// EntryIn is Entry with the memory for the key, which is overwritten.
func (t *Table) EntryIn(buf []byte, i int, image, rowKey []byte) (Entry, error) {
	ix := &t.Indexes[i]
	key := append(buf[:0], ix.prefix...)
	key, hasNull, err := row.AppendKey(key, t.Columns, ix.Parts, image)
	if err != nil {
		return Entry{}, fmt.Errorf("index %s of %s.%s: %w", ix.Def.Name, t.Def.DB, t.Def.Name, err)
	}
	e := Entry{Key: key, PartsLen: len(key)}
	if ix.Unique && !hasNull {
		e.Unique = true
		e.Value = rowKey[PrefixLen:]
		return e, nil
	}
	e.Key = append(e.Key, rowKey[PrefixLen:]...)
	return e, nil
}

// EntryRowKey appends the full key of the row that an entry of index i
// refers to.
func (t *Table) EntryRowKey(dst []byte, i int, key, value []byte) ([]byte, error) {
	dst = append(dst, t.rowsPrefix...)
	if len(value) > 0 {
		return append(dst, value...), nil
	}
	rest, err := t.entrySuffix(i, key)
	if err != nil {
		return nil, err
	}
	return append(dst, rest...), nil
}

// entrySuffix is the part of an ordinary entry's key after the index key.
func (t *Table) entrySuffix(i int, key []byte) ([]byte, error) {
	ix := &t.Indexes[i]
	if !bytes.HasPrefix(key, ix.prefix) {
		return nil, fmt.Errorf("%w: index %s of %s.%s: %x", ErrCorruptKey, ix.Def.Name, t.Def.DB, t.Def.Name, key)
	}
	if t.Keyless() {
		if len(key) < PrefixLen+8 {
			return nil, fmt.Errorf("%w: index %s of %s.%s: %x", ErrCorruptKey, ix.Def.Name, t.Def.DB, t.Def.Name, key)
		}
		return key[len(key)-8:], nil
	}
	rest := key[PrefixLen:]
	for _, p := range ix.Parts {
		var err error
		if rest, err = row.SkipKey(rest, t.Columns[p.Column], p); err != nil {
			return nil, fmt.Errorf("%w: index %s of %s.%s: %x: %w", ErrCorruptKey, ix.Def.Name, t.Def.DB, t.Def.Name, key, err)
		}
	}
	return rest, nil
}

// Matches reports whether the row (rowKey, image) has exactly this entry in
// index i.
func (t *Table) Matches(i int, key, value, image, rowKey []byte) (bool, error) {
	e, err := t.Entry(i, image, rowKey)
	if err != nil {
		return false, err
	}
	return bytes.Equal(e.Key, key) && bytes.Equal(e.Value, value), nil
}

// Emit receives one change of a key; a nil value deletes the key. The slices
// are the receiver's to keep, but value may share memory with the images.
type Emit func(key, value []byte) error

// KeyChange is one change of a key, in the order in which changes must be
// made: a key may first be deleted and then set.
type KeyChange struct {
	Key   []byte
	Value []byte // nil deletes
	Index int    // place in Table.Indexes, -1 for the row
	// Unique says that Key alone identifies an entry of a unique index (see Entry).
	Unique bool
	// Unchanged says that the entry is there already and stays: nothing is to be done.
	Unchanged bool
}

// Changes appends the changes of keys that turn the row image before into
// after. A nil before is an insert, a nil after is a delete. rowKey is the row's
// full key (of the before image if there is one); it may be nil unless the
// table is keyless. An index changes only where its key or the row's key
// does; other entries are listed as unchanged. A row key that stays is not copied: it is rowKey, if that is given. Removals come before puts, and the
// row before its index entries, which come as Ranked has the indexes.
func (t *Table) Changes(dst []KeyChange, before, after, rowKey []byte) ([]KeyChange, error) {
	oldKey, newKey, err := t.rowKeys(before, after, rowKey)
	if err != nil {
		return nil, err
	}
	if before != nil && (after == nil || !bytes.Equal(oldKey, newKey)) {
		dst = append(dst, KeyChange{Key: oldKey, Index: -1})
	}
	var stack [4]KeyChange
	puts := stack[:0]
	if after != nil {
		puts = append(puts, KeyChange{Key: newKey, Value: after, Index: -1})
	}
	for _, i := range t.Ranked {
		if !t.Indexes[i].Stored {
			continue
		}
		var olde, newe Entry
		if before != nil && after != nil && bytes.Equal(oldKey, newKey) && row.SameParts(t.Columns, t.Indexes[i].Parts, before, after) {
			if newe, err = t.Entry(i, after, newKey); err != nil {
				return nil, err
			}
			puts = append(puts, KeyChange{Key: newe.Key, Value: newe.value(), Index: i, Unique: newe.Unique, Unchanged: true})
			continue
		}
		if before != nil {
			if olde, err = t.Entry(i, before, oldKey); err != nil {
				return nil, err
			}
		}
		if after != nil {
			if newe, err = t.Entry(i, after, newKey); err != nil {
				return nil, err
			}
		}
		same := before != nil && after != nil && bytes.Equal(olde.Key, newe.Key)
		if same && bytes.Equal(olde.Value, newe.Value) {
			puts = append(puts, KeyChange{Key: newe.Key, Value: newe.value(), Index: i, Unique: newe.Unique, Unchanged: true})
			continue
		}
		if before != nil && !same {
			dst = append(dst, KeyChange{Key: olde.Key, Index: i, Unique: olde.Unique})
		}
		if after != nil {
			puts = append(puts, KeyChange{Key: newe.Key, Value: newe.value(), Index: i, Unique: newe.Unique})
		}
	}
	return append(dst, puts...), nil
}

var emptyValue = []byte{}

// value is Value, but not nil.
func (e *Entry) value() []byte {
	if e.Value == nil {
		return emptyValue
	}
	return e.Value
}

// Mutations emits what Changes lists, without what is unchanged.
func (t *Table) Mutations(before, after, rowKey []byte, emit Emit) error {
	var stack [8]KeyChange
	changes, err := t.Changes(stack[:0], before, after, rowKey)
	if err != nil {
		return err
	}
	for i := range changes {
		if changes[i].Unchanged {
			continue
		}
		if err := emit(changes[i].Key, changes[i].Value); err != nil {
			return err
		}
	}
	return nil
}

// rowKeys finds the full row keys of both images.
func (t *Table) rowKeys(before, after, rowKey []byte) (oldKey, newKey []byte, err error) {
	if t.Keyless() {
		if rowKey == nil {
			return nil, nil, fmt.Errorf("catalog: %s.%s has no primary key and no row id was given", t.Def.DB, t.Def.Name)
		}
		return rowKey, rowKey, nil
	}
	if before != nil {
		if oldKey = rowKey; oldKey == nil {
			if oldKey, err = t.PrimaryKey(nil, before); err != nil {
				return nil, nil, err
			}
		}
	}
	if after != nil {
		if before == nil && rowKey != nil {
			return nil, rowKey, nil
		}
		if before != nil && row.SameParts(t.Columns, t.Primary, before, after) {
			return oldKey, oldKey, nil
		}
		if newKey, err = t.PrimaryKey(nil, after); err != nil {
			return nil, nil, err
		}
	}
	return oldKey, newKey, nil
}
