package tables

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

const (
	// countedRowsMax is where counting the rows of a table ends: a larger table
	// counts as that large, which is all that the planner needs to know.
	countedRowsMax = 20000
	// countAge is how long a count is good for. Between counts it follows the
	// rows that statements insert and delete.
	countAge = time.Minute
	// inlineMax is what InnoDB keeps of a long string inside its row.
	inlineMax = 768
)

// rowCounts estimates the number of rows of tables, for the planner and for
// SHOW TABLE STATUS. It knows nothing of transactions.
type rowCounts struct{ byID sync.Map } // table id -> *rowCount

type rowCount struct {
	rows  atomic.Int64
	until time.Time
}

func (c *rowCounts) add(table uint32, n int64) {
	if e, ok := c.byID.Load(table); ok {
		e.(*rowCount).rows.Add(n)
	}
}

// Counted notes that a statement that ran without go-mysql-server has changed the number of a table's rows by n.
func (p *Provider) Counted(table uint32, n int64) { p.counts.add(table, n) }

// RowCount implements sql.StatisticsTable. The count is an estimate.
func (t *Table) RowCount(ctx *sql.Context) (uint64, bool, error) {
	if t.temp != nil {
		return t.temp.count(), true, nil
	}
	id := t.v.Table.ID()
	if e, ok := t.p.counts.byID.Load(id); ok {
		if c := e.(*rowCount); time.Now().Before(c.until) {
			return uint64(max(c.rows.Load(), 0)), false, nil
		}
	}
	src, err := t.rows(ctx)
	if err != nil {
		return 0, false, err
	}
	cur, err := src.Scan(ctx, txn.ScanSpec{Table: t.v.Table, Index: -1, Mode: txn.Latest})
	if err != nil {
		return 0, false, err
	}
	defer cur.Close()
	c := &rowCount{until: time.Now().Add(countAge)}
	n := int64(0)
	for n < countedRowsMax && cur.Next() {
		n++
	}
	if err := cur.Err(); err != nil {
		return 0, false, err
	}
	c.rows.Store(n)
	t.p.counts.byID.Store(id, c)
	return uint64(n), false, nil
}

// DataLength implements sql.StatisticsTable.
func (t *Table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _, err := t.RowCount(ctx)
	if err != nil {
		return 0, err
	}
	var width uint64
	for _, col := range t.v.Schema.Schema {
		switch s := col.Type.(type) {
		case sql.StringType:
			width += uint64(min(s.MaxByteLength(), inlineMax))
		case sql.EnumType:
			width += 2
		case types.TimeType:
			width += 16
		default:
			width += 8
		}
	}
	return n * width, nil
}

// Stats are estimates of a table's rows, and of what they and the indexes take, for information_schema; zero if they cannot be had.
func (p *Provider) Stats(ctx *sql.Context, tbl *catalog.Table) (rows, data, indexes uint64) {
	v, err := p.versions.of(tbl)
	if err != nil {
		return 0, 0, 0
	}
	t := &Table{alterable: alterable{p: p, v: v}}
	rows, _, err = t.RowCount(ctx)
	if err != nil {
		return 0, 0, 0
	}
	engine := t.Engine()
	data, indexes = engine.TableSize(tbl)
	if size := engine.RowSize(tbl); rows >= countedRowsMax && size > 0 { // nobody has counted them all
		rows = max(rows, data/size)
	}
	return rows, data, indexes
}
