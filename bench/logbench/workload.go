package logbench

import (
	"encoding/binary"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/txn"
)

// imageBytes is the size of a row, like one of sysbench's.
const imageBytes = 190

// keys is how many different rows are updated.
const keys = 100_000

// timestamp stands in all events; the log does not look at it.
const timestamp = 1_700_000_000

// updateEvents are the events of a transaction that updates one row, without
// the GTID event: the statement, table map, update with both images, XID.
func updateEvents() []byte {
	m := event.Meta{Timestamp: timestamp, ServerID: 1}
	info := &event.TableMapInfo{TableID: 1, Schema: "sbtest", Table: "sbtest1", Columns: []event.ColumnMeta{
		{Type: mysql.MYSQL_TYPE_LONG}, {Type: mysql.MYSQL_TYPE_LONG},
		{Type: mysql.MYSQL_TYPE_STRING, Meta: 0xfe78}, {Type: mysql.MYSQL_TYPE_STRING, Meta: 0xfe3c},
	}}
	ev := event.AppendAnnotateRows(nil, m, "UPDATE sbtest1 SET k=k+1 WHERE id=50123")
	ev = event.AppendTableMap(ev, m, info)
	ev = event.AppendRows(ev, m, &event.RowsInfo{
		TableID: 1, Flags: event.RowsStmtEnd, Kind: event.UpdateRowsV1, Columns: 4, Rows: make([]byte, 2*imageBytes),
	})
	return event.AppendXID(ev, m, 42)
}

// transactionBytes is what such a transaction takes in the log.
func transactionBytes() int {
	g := event.AppendGTID(nil, event.Meta{Timestamp: timestamp, ServerID: 1}, event.GTIDInfo{
		GTID: gtid.GTID{Server: 1, Seq: 1}, Flags: event.FLTransactional,
	})
	return len(g) + len(updateEvents())
}

// committer is one client: it updates rows of its own.
type committer struct {
	key    [16]byte
	row    uint64
	stride uint64
	value  []byte
	events []byte
	req    txn.CommitRequest
	write  func(engine.Batch) error
}

func newCommitter(n, of int) *committer {
	c := &committer{row: uint64(n), stride: uint64(of), value: make([]byte, imageBytes), events: updateEvents()}
	binary.BigEndian.PutUint32(c.key[:], 1) // as the catalog numbers tables and indexes
	c.write = func(b engine.Batch) error { return b.Set(c.key[:], c.value) }
	return c
}

// next makes the client's next transaction. It is valid until the next call.
func (c *committer) next() *txn.CommitRequest {
	c.row = (c.row + c.stride) % keys
	binary.BigEndian.PutUint64(c.key[8:], c.row)
	c.req = txn.CommitRequest{Flags: event.FLTransactional, Timestamp: timestamp, Events: c.events, Write: c.write}
	return &c.req
}
