package engines

import "github.com/duramendb/duramen/catalog"

// TableSize is about how many bytes a table's rows and its indexes take in the engine; 0 where it cannot tell.
func (e *Engine) TableSize(t *catalog.Table) (rows, indexes uint64) {
	rows = e.size(t, -1)
	for i := range t.Indexes {
		if t.Indexes[i].Stored {
			indexes += e.size(t, i)
		}
	}
	return rows, indexes
}

// size is that of an index, or of the rows for -1.
func (e *Engine) size(t *catalog.Table, index int) uint64 {
	n, err := e.Stored.Size(t.Span(index))
	if err != nil {
		return 0
	}
	return n
}

// sampledRows are those that the mean size of a row is taken of.
const sampledRows = 1000

// RowSize is the mean size of the first rows of a table; 0 without rows.
func (e *Engine) RowSize(t *catalog.Table) uint64 {
	it, err := e.Stored.NewIter(t.Span(-1))
	if err != nil {
		return 0
	}
	var rows, bytes uint64
	for ok := it.First(); ok && rows < sampledRows; ok = it.Next() {
		rows++
		bytes += uint64(len(it.Key()) + len(it.Value()))
	}
	if err := it.Close(); err != nil || rows == 0 {
		return 0
	}
	return bytes / rows
}
