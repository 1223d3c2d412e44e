package txn

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
)

// counter is the auto-increment counter of a table: the lowest value not given out.
type counter struct {
	mu   sync.Mutex
	next uint64
}

// reserve takes count values and returns the first.
func (c *counter) reserve(count, increment, offset uint64) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	increment, count = max(increment, 1), max(count, 1)
	first := max(c.next, 1)
	if increment > 1 {
		offset = max(offset, 1)
		if first > offset {
			if r := (first - offset) % increment; r != 0 {
				if first > math.MaxUint64-(increment-r) {
					return 0, ErrAutoIncrementExhausted
				}
				first += increment - r
			}
		} else { // as MariaDB computes it, which lets an offset above the increment wrap around
			for range 2 { // InnoDB, and the server above it
				first = (first-1+increment-offset)/increment*increment + offset
			}
			first += (max(c.next, first) - first + increment - 1) / increment * increment
		}
	}
	if (count - 1) > (math.MaxUint64-first)/increment {
		return 0, ErrAutoIncrementExhausted
	}
	last := first + (count-1)*increment
	if last == math.MaxUint64 { // the mark of a counter that has ended
		return 0, ErrAutoIncrementExhausted
	}
	at := last
	if increment > 1 && offset > increment { // as MariaDB, which leaves such an offset out here
		at -= last % increment
	}
	c.next = math.MaxUint64
	if increment < math.MaxUint64-at {
		c.next = at + increment // also when the session that comes next counts otherwise
	}
	return first, nil
}

// raise lets the counter go on with the number after value.
func (c *counter) raise(value uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value >= c.next {
		c.next = min(value, math.MaxUint64-1) + 1
	}
}

func (c *counter) set(next uint64) {
	c.mu.Lock()
	c.next = next
	c.mu.Unlock()
}

func (c *counter) peek() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(c.next, 1)
}

// counter finds the table's counter. The first time it is made from what the
// definition, the engine's counter key and the rows say.
func (m *Manager) counter(tbl *catalog.Table) (*counter, error) {
	m.counters.Lock()
	defer m.counters.Unlock()
	if c := m.counters.byTable[tbl.ID()]; c != nil {
		return c, nil
	}
	c := &counter{next: max(tbl.Def.AutoIncrement, 1)}
	stored, ok, err := read(m.cfg.Engine, catalog.CounterKey(tbl.ID()))
	if err != nil {
		return nil, err
	}
	if ok {
		// It also knows of a later ALTER TABLE ... AUTO_INCREMENT.
		if c.next, err = catalog.DecodeCounter(stored); err != nil {
			return nil, err
		}
	}
	highest, err := m.maxAutoIncrement(tbl)
	if err != nil {
		return nil, err
	}
	c.raise(highest)
	m.counters.byTable[tbl.ID()] = c
	return c, nil
}

// maxAutoIncrement is the highest value in the table: in the last entry of the
// index that starts with the column, or else found by a look at all rows.
func (m *Manager) maxAutoIncrement(tbl *catalog.Table) (uint64, error) {
	col := tbl.AutoIncrement
	if col < 0 {
		return 0, nil
	}
	if !tbl.Keyless() && tbl.Primary[0].Column == col {
		return m.lastAutoIncrement(tbl, -1)
	}
	for i := range tbl.Indexes {
		if tbl.Indexes[i].Stored && tbl.Indexes[i].Parts[0].Column == col {
			return m.lastAutoIncrement(tbl, i)
		}
	}
	it, err := m.cfg.Engine.NewIter(tbl.Span(-1))
	if err != nil {
		return 0, err
	}
	defer closeIter(it)
	var highest uint64
	for ok := it.First(); ok; ok = it.Next() {
		v, err := tbl.AutoIncrementValue(it.Value())
		if err != nil {
			return 0, err
		}
		highest = max(highest, v)
	}
	return highest, it.Error()
}

func (m *Manager) lastAutoIncrement(tbl *catalog.Table, index int) (uint64, error) {
	it, err := m.cfg.Engine.NewIter(tbl.Span(index))
	if err != nil {
		return 0, err
	}
	defer closeIter(it)
	if !it.Last() {
		return 0, it.Error()
	}
	if index < 0 {
		return tbl.AutoIncrementValue(it.Value())
	}
	rowKey, err := tbl.EntryRowKey(nil, index, it.Key(), it.Value())
	if err != nil {
		return 0, err
	}
	image, ok, err := read(m.cfg.Engine, rowKey)
	if err != nil || !ok {
		return 0, err // removed in between: then a counter key was written with it
	}
	return tbl.AutoIncrementValue(image)
}

func closeIter(it engine.Iterator) { _ = it.Close() } // its error was asked for before

// touchCounter notes that the transaction has to persist the counter.
func (t *Txn) touchCounter(tbl *catalog.Table) (*counter, error) {
	if c := t.touched[tbl.ID()]; c != nil {
		return c, nil
	}
	c, err := t.m.counter(tbl)
	if err != nil {
		return nil, fmt.Errorf("auto-increment counter of %s.%s: %w", tbl.Def.DB, tbl.Def.Name, err)
	}
	if t.touched == nil {
		t.touched = map[uint32]*counter{}
	}
	t.touched[tbl.ID()] = c
	return c, nil
}

// NextAutoIncrement reserves count values and returns the first: they follow
// each other at distance increment and are offset modulo increment
// (auto_increment_increment, auto_increment_offset; 0 means 1). Values are
// not given back by a rollback.
func (t *Txn) NextAutoIncrement(tbl *catalog.Table, count, increment, offset uint64) (first uint64, err error) {
	if err := t.writable(); err != nil {
		return 0, err
	}
	c, err := t.touchCounter(tbl)
	if err != nil {
		return 0, err
	}
	return c.reserve(count, increment, offset)
}

// PeekAutoIncrement is the next value without taking it (SHOW TABLE STATUS).
func (t *Txn) PeekAutoIncrement(tbl *catalog.Table) (uint64, error) {
	c, err := t.m.counter(tbl)
	if err != nil {
		return 0, err
	}
	return c.peek(), nil
}

// SetAutoIncrement makes next the table's next value (ALTER TABLE ...
// AUTO_INCREMENT), as part of this transaction's change of the catalog; it never goes
// below what the table holds. The caller holds the table's metadata lock exclusively.
func (t *Txn) SetAutoIncrement(tbl *catalog.Table, next uint64) error {
	if err := t.writable(); err != nil {
		return err
	}
	c, err := t.touchCounter(tbl)
	if err != nil {
		return err
	}
	highest, err := t.m.maxAutoIncrement(tbl)
	if err != nil {
		return err
	}
	if highest >= next {
		next = min(highest, math.MaxUint64-1) + 1
	}
	c.set(next)
	return t.ChangeCatalog(catalog.Change{Counters: map[uint32]uint64{tbl.ID(): next}})
}

// observeAutoIncrement raises the counter above the value in an inserted row.
func (t *Txn) observeAutoIncrement(tbl *catalog.Table, image []byte) error {
	if tbl.AutoIncrement < 0 {
		return nil
	}
	v, err := tbl.AutoIncrementValue(image)
	if err != nil || v == 0 {
		return err
	}
	c, err := t.touchCounter(tbl)
	if err != nil {
		return err
	}
	c.raise(v)
	return nil
}

// observeChanged raises the counter above the value that an updated row has been given.
func (t *Txn) observeChanged(tbl *catalog.Table, before, after []byte) error {
	if tbl.AutoIncrement < 0 {
		return nil
	}
	was, err := tbl.AutoIncrementValue(before)
	if err != nil {
		return err
	}
	if is, err := tbl.AutoIncrementValue(after); err != nil || is == was {
		return err
	}
	return t.observeAutoIncrement(tbl, after)
}

// newRowID hands out a hidden row id. The first time the last row of the
// table says where to go on; ids of deleted last rows may come again after a restart.
func (m *Manager) newRowID(tbl *catalog.Table) (uint64, error) {
	m.counters.Lock()
	defer m.counters.Unlock()
	n := m.counters.rowIDs[tbl.ID()]
	if n == nil {
		n = new(atomic.Uint64)
		it, err := m.cfg.Engine.NewIter(tbl.Span(-1))
		if err != nil {
			return 0, err
		}
		defer closeIter(it)
		if it.Last() {
			last, err := tbl.RowID(it.Key())
			if err != nil {
				return 0, err
			}
			n.Store(last)
		} else if err := it.Error(); err != nil {
			return 0, err
		}
		m.counters.rowIDs[tbl.ID()] = n
	}
	return n.Add(1), nil
}
