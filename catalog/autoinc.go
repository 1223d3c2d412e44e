package catalog

import (
	"fmt"
	"math"

	"github.com/duramendb/duramen/row"
)

// AutoIncrementValue is the value of the AUTO_INCREMENT column in a row image;
// 0 if the table has none, or the value is not positive.
func (t *Table) AutoIncrementValue(image []byte) (uint64, error) {
	if t.AutoIncrement < 0 {
		return 0, nil
	}
	vals, err := row.DecodeSome(nil, t.Columns, image, []int{t.AutoIncrement})
	if err != nil {
		return 0, fmt.Errorf("auto-increment column of %s.%s: %w", t.Def.DB, t.Def.Name, err)
	}
	for _, v := range vals {
		switch v := v.(type) {
		case int64:
			return uint64(max(v, 0)), nil
		case uint64:
			return v, nil
		case float32:
			return floatValue(float64(v)), nil
		case float64:
			return floatValue(v), nil
		}
	}
	return 0, nil
}

func floatValue(f float64) uint64 {
	switch {
	case !(f >= 1):
		return 0
	case f >= math.MaxUint64:
		return math.MaxUint64
	}
	return uint64(f)
}

// Counters collects auto-increment values while a log is replayed, so that
// the stored counters end up above every value the log ever gave out.
type Counters struct{ next map[uint32]uint64 }

// Observe notes the value in an inserted row.
func (c *Counters) Observe(t *Table, image []byte) error {
	if t.AutoIncrement < 0 {
		return nil
	}
	v, err := t.AutoIncrementValue(image)
	if err != nil || v == 0 {
		return err
	}
	if c.next == nil {
		c.next = map[uint32]uint64{}
	}
	if v < math.MaxUint64 {
		v++
	}
	c.next[t.Def.ID] = max(c.next[t.Def.ID], v)
	return nil
}

// Forget drops what was noted for a table: it was dropped, or its counter was set.
func (c *Counters) Forget(table uint32) { delete(c.next, table) }

// Flush writes the counters that are higher than the stored ones (which stored
// finds) and forgets them.
func (c *Counters) Flush(stored func(key []byte) (value []byte, ok bool, err error), w Writer) error {
	for id, next := range c.next {
		key := CounterKey(id)
		value, ok, err := stored(key)
		if err != nil {
			return err
		}
		if ok {
			old, err := DecodeCounter(value)
			if err != nil {
				return err
			}
			if old >= next {
				continue
			}
		}
		if err := w.Set(key, EncodeCounter(next)); err != nil {
			return err
		}
	}
	clear(c.next)
	return nil
}
