package twopc

import (
	"bytes"
	"encoding/binary"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
)

// Changes of keys, as they stand in a prepare record: a byte that says which, then one or two strings.
const (
	changeSet         = 's'
	changeDelete      = 'd'
	changeDeleteRange = 'r'
)

// changes is a batch that keeps what is put into it as bytes of a record.
type changes struct{ record []byte }

var _ engine.Batch = (*changes)(nil)

// Set notes a value.
func (c *changes) Set(key, value []byte) error {
	c.record = appendText(appendText(append(c.record, changeSet), key), value)
	return nil
}

// Delete notes a deletion.
func (c *changes) Delete(key []byte) error {
	c.record = appendText(append(c.record, changeDelete), key)
	return nil
}

// DeleteRange notes one of many keys.
func (c *changes) DeleteRange(lower, upper []byte) error {
	c.record = appendText(appendText(append(c.record, changeDeleteRange), lower), upper)
	return nil
}

// Len is the size of the record.
func (c *changes) Len() int { return len(c.record) }

// Discard does nothing.
func (c *changes) Discard() {}

// redoer puts prepared changes into batches of an engine.
type redoer struct {
	engine engine.Engine
	batch  engine.Batch
	// counters are the auto-increment counters that were met, as they are after the batch.
	counters map[string]uint64
}

func newRedoer(e engine.Engine) *redoer { return &redoer{engine: e, counters: map[string]uint64{}} }

// redo adds the changes of a transaction.
func (r *redoer) redo(p *preparedTxn) error {
	if r.batch == nil {
		r.batch = r.engine.NewBatch()
	}
	f := fields{b: p.changes}
	for len(f.b) > 0 && !f.bad {
		var err error
		switch kind := f.byte(); kind {
		case changeSet:
			key, value := f.bytes(), f.bytes()
			if value, err = r.counter(key, value, p.catalog); err == nil && !f.bad {
				err = r.batch.Set(key, value)
			}
		case changeDelete:
			err = r.batch.Delete(f.bytes())
		case changeDeleteRange:
			lower, upper := f.bytes(), f.bytes()
			err = r.batch.DeleteRange(lower, upper)
		default:
			return errRecord
		}
		if err != nil {
			return err
		}
	}
	return f.err()
}

// counter is the value for an auto-increment counter. Two transactions may prepare in one order and commit in the other;
// a counter must not go back then. A change of the catalog excludes other writers, and may set it to anything.
func (r *redoer) counter(key, value []byte, exact bool) ([]byte, error) {
	table, part, rest, ok := catalog.ParsePrefix(key)
	if !ok || table != catalog.MetaTable || part != catalog.MetaCounters || len(rest) != 4 {
		return value, nil
	}
	n, err := catalog.DecodeCounter(value)
	if err != nil {
		return nil, err
	}
	if !exact {
		before, known := r.counters[string(key)]
		if !known {
			old, there, release, err := r.engine.Get(key)
			if err != nil {
				return nil, err
			}
			if there {
				before, err = catalog.DecodeCounter(old)
				release()
				if err != nil {
					return nil, err
				}
			}
		}
		n = max(n, before)
	}
	r.counters[string(key)] = n
	return catalog.EncodeCounter(n), nil
}

// size is how much waits for apply.
func (r *redoer) size() int {
	if r.batch == nil {
		return 0
	}
	return r.batch.Len()
}

// apply makes the changes visible, with the mark.
func (r *redoer) apply(m engine.Mark) error {
	batch := r.batch
	if batch == nil {
		batch = r.engine.NewBatch()
	}
	r.batch = nil
	return r.engine.Apply(batch, m)
}

func (r *redoer) discard() {
	if r.batch != nil {
		r.batch.Discard()
		r.batch = nil
	}
}

// beginPrepare starts a prepare record.
func beginPrepare(xid uint64, ddl bool) []byte {
	flags := byte(0)
	if ddl {
		flags = flagCatalog
	}
	record := binary.AppendUvarint([]byte{recordPrepare}, xid)
	return append(record, flags)
}

func parsePrepare(f *fields) (xid uint64, p *preparedTxn, err error) {
	xid = f.number()
	p = &preparedTxn{catalog: f.byte()&flagCatalog != 0}
	p.changes = bytes.Clone(f.b)
	return xid, p, f.err()
}
