package tables

import (
	"io"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/txn"
)

// onePartition is the partition of a table: it is never divided.
type onePartition struct{ done bool }

func (*onePartition) Key() []byte { return []byte{0} }

func (p *onePartition) Next(*sql.Context) (sql.Partition, error) {
	if p.done {
		return nil, io.EOF
	}
	p.done = true
	return p, nil
}

func (*onePartition) Close(*sql.Context) error { return nil }

// Partitions implements sql.Table.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) { return &onePartition{}, nil }

// PartitionRows implements sql.Table: a scan of the whole table.
func (t *Table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	return t.scan(ctx, -1, []span{{}}, false, nil)
}

// accessMode is how the running statement reads this table.
func (t *Table) accessMode(s Session) Access {
	if t.access != nil {
		return *t.access
	}
	if isDDL(s.Statement().AST) {
		// A clause of ALTER TABLE has to see what the clauses before it have written,
		// which is in the engine but not in any snapshot.
		return Access{Mode: txn.Latest}
	}
	if t.asked != nil {
		return *t.asked
	}
	return s.Access(t.Database(), t.Name())
}

// nameMode is how a scan locks the table's name. The look at a row for a foreign key, at an editor's table, does not wait for LOCK
// TABLES, as in MariaDB: the row's own lock is enough.
func nameMode(edited bool, a Access) txn.LockMode {
	switch {
	case edited:
		return txn.Describe
	case a.Mode == txn.LockExclusive:
		return txn.IntentExclusive
	}
	return txn.IntentShared
}

// Read is the table as a reference to it in a statement wants its rows read.
func (t *Table) Read(a Access) *Table {
	n := *t
	n.asked = &a
	return &n
}

// newest is the current version of the table with the same projection.
func (t *Table) newest(ctx *sql.Context) (*Table, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	if cur.v == t.v {
		return t, nil
	}
	n := &Table{alterable: *cur, access: t.access}
	n.columns, err = projectionOn(cur.v, t.columns.names)
	return n, err
}

func isDDL(ast sqlparser.Statement) bool {
	switch ast.(type) {
	case *sqlparser.DDL, *sqlparser.AlterTable:
		return true
	}
	return false
}

// scan reads spans of an index. filter, if not nil, leaves rows out.
func (t *Table) scan(ctx *sql.Context, indexAt int, spans []span, reverse bool, filter sql.Expression) (sql.RowIter, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	if isDDL(s.Statement().AST) && indexAt < 0 {
		// A clause of ALTER TABLE may read a table that a clause before it has changed.
		if t, err = t.newest(ctx); err != nil {
			return nil, err
		}
	}
	a := t.accessMode(s)
	src, err := t.use(ctx, s, nameMode(t.edited, a))
	if err != nil {
		return nil, err
	}
	it := &rowIter{
		t: t, src: src, spans: spans, filter: filter,
		spec:     txn.ScanSpec{Table: t.v.Table, Index: indexAt, Reverse: reverse},
		ordinals: t.columns.ordinals,
		stmt:     s.Statement(),
		zone:     t.v.ZoneOf(ctx),
	}
	it.spec.Mode, it.spec.Wait = a.Mode, a.Wait
	if it.ordinals == nil {
		it.ordinals = t.v.All
	}
	if t.access == nil {
		it.stmt.manySpans = it.stmt.manySpans || len(spans) > 1
		it.steady = len(spans) > 1 || it.stmt.rescans()
		it.collects = it.stmt.joinsItself(t.v.Def().Name)
	}
	it.ids = t.v.Table.Keyless() && a.Mode != txn.Snapshot
	if r, ok := src.(txnRows); ok && (a.Mode == txn.LockShared || a.Mode == txn.LockExclusive) && a.Wait != txn.SkipLocked {
		it.tx = r.Txn
	}
	return it, nil
}

// rowIter reads the rows of some spans of one index.
type rowIter struct {
	t        *Table
	src      rows
	spec     txn.ScanSpec
	spans    []span
	at       int // spans begun
	cur      cursor
	ordinals []int
	filter   sql.Expression
	stmt     *Statement
	// ids says that stmt remembers the row ids of a table without primary key;
	// steady, that spans which are opened late must not show what the statement
	// has changed meanwhile.
	ids, steady bool
	collects    bool // all rows of a span are read before the first is used
	zone        *relation.Zone
	read        int
	// tx is set for a scan whose ranges the statement keeps (see txn.Passed); passed and passedAt
	// say where the last one is.
	tx       *txn.Txn
	passed   *txn.Passed
	passedAt int
	onRow    bool // cur stands on a row
}

// Next implements sql.RowIter.
func (i *rowIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		if i.cur == nil {
			r, err := i.open(ctx)
			if err != nil || r != nil {
				return r, err
			}
			continue
		}
		if i.read++; i.read&15 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !i.cur.Next() {
			err := i.cur.Err()
			if cerr := i.cur.Close(); err == nil {
				err = cerr
			}
			i.cur, i.onRow = nil, false
			if err != nil {
				return nil, err
			}
			continue
		}
		i.onRow = true
		r, err := i.row(ctx, i.cur.RowKey(), i.cur.Image())
		if err != nil || r != nil {
			return r, err
		}
	}
}

// open begins the next span. A span that is one primary key is read at once.
func (i *rowIter) open(ctx *sql.Context) (sql.Row, error) {
	if i.at == len(i.spans) {
		return nil, io.EOF
	}
	at := i.at
	i.at++
	if i.spec.Reverse {
		at = len(i.spans) - 1 - at
	}
	s := i.spans[at]
	if i.tx != nil {
		i.passed, i.passedAt = i.stmt.passing(i.tx, i.spec.Table, i.spec.Index, s)
	}
	var changed *changedRows
	if i.steady {
		changed = i.stmt.changes(i.spec.Table, false)
	}
	if s.point && i.spec.Index < 0 && !i.spec.Table.Keyless() && changed == nil {
		image, ok, err := i.src.Get(ctx, i.spec.Table, s.lower, Access{i.spec.Mode, i.spec.Wait})
		if err != nil || !ok {
			return nil, err
		}
		return i.row(ctx, s.lower, image)
	}
	i.spec.Lower, i.spec.Upper = s.lower, s.upper
	cur, err := scanBefore(ctx, i.src, i.spec, changed)
	if err == nil && i.collects {
		cur, err = hold(ctx, cur)
	}
	if err != nil {
		return nil, err
	}
	i.cur = cur
	return nil, nil // the rows are the cursor's
}

// row makes the SQL row of an image; nil if the filter leaves it out.
func (i *rowIter) row(ctx *sql.Context, rowKey, image []byte) (sql.Row, error) {
	v := i.t.v
	if i.ids {
		id, err := v.Table.RowID(rowKey)
		if err != nil {
			return nil, err
		}
		i.stmt.seen(v.Table.ID(), image, id)
	}
	if i.filter == nil {
		return v.Decode(image, i.ordinals, i.zone)
	}
	full, err := v.Decode(image, v.All, i.zone)
	if err != nil {
		return nil, err
	}
	res, err := i.filter.Eval(ctx, full)
	if err != nil || !sql.IsTrue(res) {
		return nil, err
	}
	return i.t.columns.of(full), nil
}

// Close implements sql.RowIter.
func (i *rowIter) Close(*sql.Context) error {
	if i.cur == nil {
		return nil
	}
	if i.tx != nil && i.onRow {
		i.passed.CutShort(i.passedAt, i.cur.Key(), i.spec.Reverse)
	}
	err := i.cur.Close()
	i.cur, i.at = nil, len(i.spans)
	return err
}

// IndexedTable is a table that is read through an index.
type IndexedTable struct {
	*Table
	lookup sql.IndexLookup
}

var (
	_ sql.IndexedTable     = (*IndexedTable)(nil)
	_ sql.ReferenceChecker = (*IndexedTable)(nil)
	_ sql.StatisticsTable  = (*IndexedTable)(nil)
)

// SetReferenceCheck implements sql.ReferenceChecker: the lookup looks for the
// parent of a row, which must stay until the transaction ends.
func (t *IndexedTable) SetReferenceCheck() error {
	n := *t.Table
	n.access = &Access{Mode: txn.LockShared}
	t.Table = &n
	return nil
}

// WithProjections implements sql.ProjectedTable.
func (t *IndexedTable) WithProjections(ctx *sql.Context, names []string) (sql.Table, error) {
	n, err := t.Table.WithProjections(ctx, names)
	if err != nil {
		return nil, err
	}
	return &IndexedTable{Table: n.(*Table), lookup: t.lookup}, nil
}

// lookupPartition carries the lookup to PartitionRows.
type lookupPartition struct {
	onePartition
	lookup sql.IndexLookup
}

func (p *lookupPartition) Next(*sql.Context) (sql.Partition, error) {
	if p.done {
		return nil, io.EOF
	}
	p.done = true
	return p, nil
}

// LookupPartitions implements sql.IndexedTable.
func (t *IndexedTable) LookupPartitions(_ *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	return &lookupPartition{lookup: lookup}, nil
}

// PartitionRows implements sql.Table.
func (t *IndexedTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	lookup := t.lookup
	if lp, ok := p.(*lookupPartition); ok {
		lookup = lp.lookup
	}
	if lookup.VectorOrderAndLimit.OrderBy != nil {
		return t.nearest(ctx, lookup.VectorOrderAndLimit)
	}
	idx, ranges, err := t.rangesOf(lookup)
	switch {
	case err != nil:
		return nil, err
	case idx == nil:
		return t.Table.PartitionRows(ctx, p)
	case idx.IsSpatial():
		return t.intersecting(ctx, idx, ranges)
	}
	spans, filter, err := idx.read(ctx, ranges)
	if err != nil {
		return nil, err
	}
	return t.scan(ctx, idx.ordinal, spans, lookup.IsReverse, filter)
}

func (v *version) indexNamed(name string) (*index, error) {
	for _, idx := range v.indexes {
		if idx.name == name {
			return idx, nil
		}
	}
	return nil, sql.ErrIndexNotFound.New(name)
}

// nearest is a lookup by ORDER BY distance: all rows, sorted. Vector indexes
// keep no entries of their own.
func (t *IndexedTable) nearest(ctx *sql.Context, o sql.OrderAndLimit) (sql.RowIter, error) {
	full := *t.Table
	full.columns = projection{}
	in, err := full.scan(ctx, -1, []span{{}}, false, nil)
	if err != nil {
		return nil, err
	}
	sf := sql.SortFields{{Column: o.OrderBy, Order: sql.Ascending}}
	var sorted sql.RowIter
	if o.Limit != nil {
		limit, err := iters.GetInt64Value(ctx, o.Limit)
		if err != nil {
			return nil, err
		}
		sorted = iters.NewTopRowsIter(sf, limit, o.CalcFoundRows, in, 0)
	} else {
		sorted = iters.NewSortIter(sf, in)
	}
	return &projectIter{sorted, &t.columns}, nil
}

type projectIter struct {
	sql.RowIter
	columns *projection
}

func (i *projectIter) Next(ctx *sql.Context) (sql.Row, error) {
	r, err := i.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	return i.columns.of(r), nil
}

// intersecting is a lookup in a spatial index: all rows whose bounding box
// meets that of the lookup. Spatial indexes keep no entries of their own.
func (t *IndexedTable) intersecting(ctx *sql.Context, idx *index, ranges sql.MySQLRangeCollection) (sql.RowIter, error) {
	low, ok := sql.GetMySQLRangeCutKey(ranges[0][0].LowerBound).(types.Point)
	if !ok {
		return nil, sql.ErrInvalidGISData.New()
	}
	high, ok := sql.GetMySQLRangeCutKey(ranges[0][0].UpperBound).(types.Point)
	if !ok {
		return nil, sql.ErrInvalidGISData.New()
	}
	box := &inBox{column: idx.exprs[0], minX: low.X, minY: low.Y, maxX: high.X, maxY: high.Y}
	return t.scan(ctx, -1, []span{{}}, false, box)
}

// inBox is the filter of a spatial lookup.
type inBox struct {
	expression.UnaryExpressionStub
	column                 sql.Expression
	minX, minY, maxX, maxY float64
}

func (b *inBox) Eval(ctx *sql.Context, r sql.Row) (any, error) {
	v, err := b.column.Eval(ctx, r)
	if err != nil || v == nil {
		return nil, err
	}
	g, err := types.UnwrapGeometry(ctx, v)
	if err != nil {
		return nil, err
	}
	minX, minY, maxX, maxY := g.BBox()
	return math.Max(minX, b.minX) <= math.Min(maxX, b.maxX) && math.Max(minY, b.minY) <= math.Min(maxY, b.maxY), nil
}

func (b *inBox) String() string                                                       { return "in bounding box" }
func (b *inBox) Type(*sql.Context) sql.Type                                           { return types.Boolean }
func (b *inBox) IsNullable(*sql.Context) bool                                         { return true }
func (b *inBox) Children() []sql.Expression                                           { return nil }
func (b *inBox) Resolved() bool                                                       { return true }
func (b *inBox) WithChildren(*sql.Context, ...sql.Expression) (sql.Expression, error) { return b, nil }
