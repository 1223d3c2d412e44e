package txn

import (
	"bytes"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
)

// lookup reads rows of one table out of a read view by their keys: those of the entries that a cursor finds in an index. Keys that
// ascend, as those of one value of an index do, it seeks with an iterator, which goes on from where it is and lends its values. Keys in
// any other order it gets: a Get ends where it has found the row, while a seek looks for it in everything that there is, which takes twice
// as long for rows that were changed a short time ago.
type lookup struct {
	snap engine.Snapshot
	tbl  *catalog.Table

	last      []byte // the key before
	ascending int    // keys since one that was not after the one before it
	it        engine.Iterator
}

// ascendingMin is the number of keys in order from which on an iterator is used: having one costs as much as two or three Gets.
const ascendingMin = 4

// get returns the row; it is valid until the next call.
func (l *lookup) get(key []byte) (image []byte, ok bool, err error) {
	if bytes.Compare(key, l.last) > 0 {
		l.ascending++
	} else {
		l.ascending = 0
	}
	l.last = append(l.last[:0], key...)
	if l.ascending < ascendingMin {
		return read(l.snap, key)
	}
	if l.it == nil {
		lower, upper := l.tbl.Span(-1)
		if l.it, err = l.snap.NewIter(lower, upper); err != nil {
			return nil, false, err
		}
	}
	if !l.it.SeekGE(key) || !bytes.Equal(l.it.Key(), key) {
		return nil, false, l.it.Error()
	}
	image = l.it.Value()
	return image, true, l.it.Error()
}

func (l *lookup) close() error {
	if l.it == nil {
		return nil
	}
	err := l.it.Close()
	l.it = nil
	return err
}
