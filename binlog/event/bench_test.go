package event_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
)

// transaction appends the events of one update of one row, as sysbench makes them.
func transaction(dst, image []byte, tm *event.TableMapInfo) []byte {
	dst = event.AppendGTID(dst, meta, event.GTIDInfo{GTID: gtid.GTID{Server: 7, Seq: 42}, Flags: event.FLTransactional | event.FLAllowParallel, CommitID: 5})
	dst = event.AppendAnnotateRows(dst, meta, "UPDATE sbtest1 SET c='0123456789' WHERE id=4711")
	dst = event.AppendTableMap(dst, meta, tm)
	dst, start := event.BeginRows(dst, meta, &event.RowsInfo{TableID: 18, Flags: event.RowsStmtEnd, Kind: event.UpdateRowsV1, Columns: 4})
	dst = append(dst, image...)
	dst = append(dst, image...)
	dst = event.End(dst, start)
	return event.AppendXID(dst, meta, 42)
}

func sysbenchTable() *event.TableMapInfo {
	return &event.TableMapInfo{TableID: 18, Schema: "sbtest", Table: "sbtest1", Columns: []event.ColumnMeta{
		{Type: mysql.MYSQL_TYPE_LONG}, {Type: mysql.MYSQL_TYPE_LONG},
		{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(480)}, {Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(240)},
	}}
}

func TestEncodingAllocatesNothing(t *testing.T) {
	buf, image, tm := make([]byte, 0, 4096), bytes.Repeat([]byte("x"), 190), sysbenchTable()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		group := transaction(buf, image, tm)
		if err := event.Finalize(group, 4); err != nil {
			t.Fatal(err)
		}
	}))
}

func BenchmarkTransaction(b *testing.B) {
	buf, image, tm := make([]byte, 0, 4096), bytes.Repeat([]byte("x"), 190), sysbenchTable()
	b.ReportAllocs()
	b.SetBytes(int64(len(transaction(buf, image, tm))))
	for b.Loop() {
		group := transaction(buf, image, tm)
		if err := event.Finalize(group, 4); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFinalize(b *testing.B) {
	group := transaction(nil, bytes.Repeat([]byte("x"), 190), sysbenchTable())
	b.ReportAllocs()
	b.SetBytes(int64(len(group)))
	for b.Loop() {
		if err := event.Finalize(group, 4); err != nil {
			b.Fatal(err)
		}
	}
}
