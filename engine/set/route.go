package set

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/catalog"
)

// everywhere is the place of what all engines hold.
const everywhere = -1

// place is the index of the engine that holds a key, or everywhere.
func (s *Set) place(key []byte) (int, error) {
	table, part, rest, ok := catalog.ParsePrefix(key)
	switch {
	case !ok:
		return 0, fmt.Errorf("%w: key %x", ErrNoPlace, key)
	case table != catalog.MetaTable:
	case part == catalog.MetaCounters && len(rest) == 4:
		table = binary.BigEndian.Uint32(rest)
	case part == catalog.MetaPositions:
		return 0, fmt.Errorf("%w: replication position %x", ErrNoPlace, key) // see Part
	default:
		return everywhere, nil
	}
	return s.placeOf(table)
}

// Holder is the number of the engine that holds a table, in the order of Engines, 0 if Place was not told of it.
func (s *Set) Holder(table uint32) int {
	i, _ := s.places.of(table)
	return max(i, 0)
}

func (s *Set) placeOf(table uint32) (int, error) {
	i, ok := s.places.of(table)
	if !ok {
		return 0, fmt.Errorf("%w: nobody has told of table %d", ErrNoPlace, table)
	}
	return i, nil
}

// span is place for all keys from lower to upper (exclusive). Of counters, which several engines hold, it may be
// given only those in all of the meta space: what a single engine holds of them.
func (s *Set) span(lower, upper []byte) (int, error) {
	if len(lower) >= 4 && upper != nil {
		table := binary.BigEndian.Uint32(lower)
		_, end := catalog.TableSpan(table)
		switch {
		case end != nil && bytes.Compare(upper, end) > 0:
		case table == catalog.MetaTable:
			return everywhere, nil
		default:
			return s.placeOf(table)
		}
	}
	return 0, fmt.Errorf("%w: from %x to %x", ErrNoPlace, lower, upper)
}

// reader is the index of the engine to read from.
func reader(place int) int { return max(place, 0) }
