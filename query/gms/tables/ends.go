package tables

import (
	"bytes"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
)

// MAX and MIN of a column by which an index is sorted are the values at the ends of the index.
// NULLs, which sort before all values, are no part of what is read.

// End reads the column at a place of the table's schema through an index that begins with it,
// from one end: the only column of the first row is the least value that is not NULL, with last
// the greatest. There is no row if all are NULL. The iterator is nil if there is no such index.
func (t *Table) End(ctx *sql.Context, at int, last bool) (sql.RowIter, error) {
	column := t.columns.ordinal(at)
	if !t.v.sortsByValue(column) {
		return nil, nil // documented
	}
	for _, idx := range t.v.indexes {
		if idx.parts[0].Column == column && idx.ordered() && !idx.descends() {
			return t.only(column).scan(ctx, idx.ordinal, []span{idx.notNull(idx.v.Table.Prefix(idx.ordinal))}, last, nil)
		}
	}
	return nil, nil // documented
}

// End is Table.End for the rows of a lookup. Its index is usable if its columns before the
// one that is asked for have one value each.
func (t *IndexedTable) End(ctx *sql.Context, lookup sql.IndexLookup, at int, last bool) (sql.RowIter, error) {
	idx, ranges, err := t.rangesOf(lookup)
	column := t.columns.ordinal(at)
	if err != nil || idx == nil || len(ranges) == 0 || !idx.ordered() || idx.descends() || !t.v.sortsByValue(column) {
		return nil, err
	}
	place := slices.IndexFunc(idx.parts, func(p catalog.IndexPart) bool { return p.Column == column })
	if place < 0 || place > 0 && len(ranges) > 1 {
		return nil, nil // documented
	}
	key := t.v.Table.Prefix(idx.ordinal)
	for n, part := range t.v.Table.Parts(idx.ordinal)[:place] {
		if n >= len(ranges[0]) {
			return nil, nil // documented
		}
		b, exact, err := idx.bounds(ctx, key, part, ranges[0][n])
		if err != nil || !exact || b.single == nil {
			return nil, err
		}
		key = b.single
	}
	spans, filter, err := idx.read(ctx, ranges)
	if err != nil {
		return nil, err
	}
	return t.only(column).scan(ctx, idx.ordinal, within(spans, idx.notNull(key)), last, filter)
}

// only is the table with one column.
func (t *Table) only(column int) *Table {
	n := *t
	n.columns = onlyColumn(t.v, column)
	return &n
}

// sortsByValue reports whether index entries of a column come in the order in which MAX compares.
// That of ENUM and SET compares names, but their entries have the order of the definition.
func (v *version) sortsByValue(column int) bool {
	switch v.Schema.Schema[column].Type.Type() {
	case query.Type_INT8, query.Type_INT16, query.Type_INT24, query.Type_INT32, query.Type_INT64,
		query.Type_UINT8, query.Type_UINT16, query.Type_UINT24, query.Type_UINT32, query.Type_UINT64,
		query.Type_FLOAT32, query.Type_FLOAT64, query.Type_DECIMAL,
		query.Type_DATE, query.Type_DATETIME, query.Type_TIMESTAMP, query.Type_TIME, query.Type_YEAR,
		query.Type_CHAR, query.Type_VARCHAR, query.Type_BINARY, query.Type_VARBINARY:
		return true
	}
	return false
}

// descends reports whether a part of the index is sorted from the greatest value to the least.
func (i *index) descends() bool {
	return slices.ContainsFunc(i.v.Table.Parts(i.ordinal), func(p row.KeyPart) bool { return p.Desc })
}

// notNull is the part of the index whose entries begin with key and do not have NULL next.
func (i *index) notNull(key []byte) span {
	return span{lower: catalog.PrefixEnd(row.AppendKeyNull(bytes.Clone(key), false)), upper: catalog.PrefixEnd(key)}
}

// within cuts spans down to what lies in another one.
func within(spans []span, in span) []span {
	out := make([]span, 0, len(spans))
	for _, s := range spans {
		if bytes.Compare(s.lower, in.lower) < 0 {
			s.lower = in.lower
		}
		if s.upper == nil || in.upper != nil && bytes.Compare(s.upper, in.upper) > 0 {
			s.upper = in.upper
		}
		if s.upper == nil || bytes.Compare(s.lower, s.upper) < 0 {
			out = append(out, s)
		}
	}
	return out
}

// rangesOf gives the index of a lookup in this version of the table, nil if the lookup has none
// with ranges.
func (t *IndexedTable) rangesOf(lookup sql.IndexLookup) (*index, sql.MySQLRangeCollection, error) {
	idx, isIndex := lookup.Index.(*index)
	ranges, areRanges := lookup.Ranges.(sql.MySQLRangeCollection)
	if !isIndex || !areRanges || lookup.VectorOrderAndLimit.OrderBy != nil {
		return nil, nil, nil
	}
	if idx.v == t.v {
		return idx, ranges, nil
	}
	idx, err := t.v.indexNamed(idx.name) // resolved with another version of the table
	return idx, ranges, err
}

// read gives the spans to read for ranges, and the filter for the rows in them; nil for none.
func (i *index) read(ctx *sql.Context, ranges sql.MySQLRangeCollection) ([]span, sql.Expression, error) {
	spans, exact, err := i.spans(ctx, ranges)
	if err != nil || exact {
		return spans, nil, err
	}
	filter, err := expression.NewRangeFilterExpr(ctx, i.extended()[:len(ranges[0])], ranges)
	return spans, filter, err
}
