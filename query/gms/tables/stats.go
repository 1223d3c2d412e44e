package tables

import (
	"context"
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
	if n, ok := t.p.counts.get(t.v.Table.ID()); ok {
		return n, false, nil
	}
	src, err := t.rows(ctx)
	if err != nil {
		return 0, false, err
	}
	cur, err := src.Scan(ctx, scanOf(t.v.Table))
	if err != nil {
		return 0, false, err
	}
	n, err := t.p.counts.count(cur, t.v.Table)
	return n, false, err
}

// get is what is known of a table.
func (c *rowCounts) get(table uint32) (n uint64, ok bool) {
	e, ok := c.byID.Load(table)
	if !ok {
		return 0, false
	}
	known := e.(*rowCount)
	return uint64(max(known.rows.Load(), 0)), time.Now().Before(known.until)
}

// scanOf is the scan by which the rows of a table are counted.
func scanOf(tbl *catalog.Table) txn.ScanSpec {
	return txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest}
}

// count counts the rows of a table, up to countedRowsMax, and closes their cursor.
func (c *rowCounts) count(cur cursor, tbl *catalog.Table) (uint64, error) {
	defer cur.Close()
	known := &rowCount{until: time.Now().Add(countAge)}
	n := int64(0)
	for n < countedRowsMax && cur.Next() {
		n++
	}
	if err := cur.Err(); err != nil {
		return 0, err
	}
	known.rows.Store(n)
	c.byID.Store(tbl.ID(), known)
	return uint64(n), nil
}

// Estimate is how many rows a table has, about, for a transaction that may count them.
func (p *Provider) Estimate(ctx context.Context, tx *txn.Txn, tbl *catalog.Table) (n uint64, err error) {
	n, ok := p.counts.get(tbl.ID())
	if !ok {
		cur, err := tx.Scan(ctx, scanOf(tbl))
		if err != nil {
			return 0, err
		}
		if n, err = p.counts.count(cur, tbl); err != nil {
			return 0, err
		}
	}
	n, _, _ = p.sizes(tbl, n)
	return n, nil
}

// sizes are what the rows and the indexes of a table take. There are so many rows, or more if nobody has counted them all.
func (p *Provider) sizes(tbl *catalog.Table, counted uint64) (rows, data, indexes uint64) {
	engine := p.engines.Of(tbl.Def.Engine)
	data, indexes = engine.TableSize(tbl)
	if size := engine.RowSize(tbl); counted >= countedRowsMax && size > 0 {
		counted = max(counted, data/size)
	}
	return counted, data, indexes
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
	return p.sizes(tbl, rows)
}
