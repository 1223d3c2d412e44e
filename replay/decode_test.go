package replay

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/mysql"
)

// recorder is a sink that notes what it is given. It has the tables by id.
type recorder struct {
	tables map[uint64]*catalog.Table
	calls  []string
}

func (r *recorder) note(format string, args ...any) error {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
	return nil
}

func (r *recorder) announce(bytes uint64) error { return r.note("announce %d", bytes) }

func (r *recorder) begin(info *event.GTIDInfo) error {
	if info == nil {
		return r.note("begin")
	}
	return r.note("begin %s", info.GTID)
}

func (r *recorder) table(info *event.TableMapInfo) (*catalog.Table, error) {
	return r.tables[info.TableID], nil
}

func (r *recorder) row(c *rowChange) error {
	return r.note("%s %d before %x%x after %x%x key %t", c.table.Def.Name, c.kind,
		c.before.columns, c.before.bytes, c.after.columns, c.after.bytes, c.key != nil)
}

func (r *recorder) define(c catalog.Change) error           { return r.note("define %s", c.Databases[0].Name) }
func (r *recorder) reposition(p gtid.Reposition) error      { return r.note("position %s", p) }
func (r *recorder) execute(g gtid.MySQL) error              { return r.note("execute %s", g) }
func (r *recorder) setExecuted(c gtid.ExecutedChange) error { return r.note("executed %s", c) }
func (r *recorder) end(at logpos.Pos) error                 { return r.note("end in event %d", 1+at.Offset/spacing) }

// spacing is how far the events of a test are from each other.
const spacing = 1000

var testMeta = event.Meta{Timestamp: 1, ServerID: 7}

// numbers is a table of two INT columns, with a primary key on the first one or without a key.
func numbers(t *testing.T, id uint32, name string, keyless bool) *catalog.Table {
	column := catalog.ColumnDef{SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
	def := &catalog.TableDef{ID: id, DB: "d", Name: name, Engine: "InnoDB", Columns: []catalog.ColumnDef{column, column}}
	def.Columns[0].Name, def.Columns[1].Name = "a", "b"
	if !keyless {
		def.Primary = []catalog.IndexPart{{Column: 0}}
	}
	s, err := catalog.Empty().Apply(catalog.Change{Databases: []catalog.DatabaseDef{{Name: "d"}}, Tables: []*catalog.TableDef{def}}, nil)
	require.NoError(t, err)
	return s.TableByID(id)
}

func gtidEvent(seq uint64, flags byte) []byte {
	return event.AppendGTID(nil, testMeta, event.GTIDInfo{GTID: gtid.GTID{Server: 7, Seq: seq}, Flags: flags})
}

func mapEvent(id uint64, columns int) []byte {
	info := &event.TableMapInfo{TableID: id, Schema: "d", Table: "t"}
	for range columns {
		info.Columns = append(info.Columns, event.ColumnMeta{Type: mysql.MYSQL_TYPE_LONG})
	}
	return event.AppendTableMap(nil, testMeta, info)
}

func rows(id uint64, kind event.Type, before, after []byte, images ...byte) []byte {
	return event.AppendRows(nil, testMeta, &event.RowsInfo{TableID: id, Kind: kind, Columns: 2, BitmapBefore: before, BitmapAfter: after, Rows: images})
}

func private(kind event.PrivateKind, payload []byte) []byte {
	return event.AppendPrivate(nil, testMeta, kind, payload)
}

func xid() []byte { return event.AppendXID(nil, testMeta, 1) }

func query(sql string) []byte { return event.AppendQuery(nil, testMeta, event.Query{SQL: sql}) }

// TestDecoder gives the decoder events one by one and looks at what the sink gets.
func TestDecoder(t *testing.T) {
	made := catalog.Change{Databases: []catalog.DatabaseDef{{Name: "made"}}}
	change, err := made.Marshal()
	require.NoError(t, err)
	insert := rows(1, event.WriteRowsV1, nil, nil, 0, 1, 0, 0, 0, 2, 0, 0, 0)
	keyless := rows(2, event.WriteRowsV1, nil, nil, 0, 3, 0, 0, 0, 4, 0, 0, 0)
	for _, c := range []struct {
		name   string
		events [][]byte
		want   []string
		err    string // part of the error of the last event; "" for none
	}{
		{"insert, and an update and a deletion with partial images",
			[][]byte{gtidEvent(1, 0), mapEvent(1, 2), insert,
				rows(1, event.UpdateRowsV1, []byte{1}, []byte{2}, 0, 1, 0, 0, 0, 0, 9, 0, 0, 0),
				rows(1, event.DeleteRowsV1, []byte{1}, nil, 0, 1, 0, 0, 0), xid()},
			[]string{"begin 0-7-1", "keyed 0 before  after 030001000000" + "02000000 key false",
				"keyed 1 before 010001000000 after 020009000000 key false", "keyed 2 before 010001000000 after  key false", "end in event 6"}, ""},
		{"keyless rows wait for their ids",
			[][]byte{gtidEvent(2, 0), mapEvent(2, 2), keyless, private(event.PrivateRowIDs, event.AppendRowIDs(nil, []uint64{77})), xid()},
			[]string{"begin 0-7-2", "keyless 0 before  after 030003000000" + "04000000 key true", "end in event 5"}, ""},
		{"keyless rows without ids", [][]byte{gtidEvent(2, 0), mapEvent(2, 2), keyless, xid()}, []string{"begin 0-7-2"}, "without row ids"},
		{"too few ids", [][]byte{gtidEvent(2, 0), mapEvent(2, 2), keyless, private(event.PrivateRowIDs, event.AppendRowIDs(nil, nil))},
			[]string{"begin 0-7-2"}, "0 row ids for more rows"},
		{"tables that are not the sink's", [][]byte{gtidEvent(3, 0), mapEvent(9, 1), rows(9, event.DeleteRowsV1, nil, nil, 0, 1, 0, 0, 0, 1, 0, 0, 0), xid()},
			[]string{"begin 0-7-3", "end in event 4"}, ""},
		{"a local group", [][]byte{private(event.PrivateLocal, append(mapEvent(1, 2), insert...))},
			[]string{"begin", "keyed 0 before  after 030001000000" + "02000000 key false", "end in event 1"}, ""},
		{"a position of a replica", [][]byte{private(event.PrivateLocal, private(event.PrivateSlavePos, []byte("0-3-5")))},
			[]string{"begin", "position 0-3-5", "end in event 1"}, ""},
		{"a position that is none", [][]byte{private(event.PrivateLocal, private(event.PrivateSlavePos, []byte("0-3")))}, []string{"begin"}, "malformed GTID"},
		{"what a MySQL calls a group", [][]byte{gtidEvent(9, 0), private(event.PrivateMySQLGTID, gtid.MySQL{Source: gtid.UUID{1}, Number: 5}.AppendTo(nil)), mapEvent(1, 2), insert, xid()},
			[]string{"begin 0-7-9", "execute 01000000-0000-0000-0000-000000000000:5", "keyed 0 before  after 030001000000" + "02000000 key false", "end in event 5"}, ""},
		{"what it does not", [][]byte{gtidEvent(9, 0), private(event.PrivateMySQLGTID, []byte{1})}, []string{"begin 0-7-9"}, "a MySQL GTID of 1 bytes"},
		{"a set", [][]byte{private(event.PrivateLocal, private(event.PrivateExecuted, []byte("+01000000-0000-0000-0000-000000000000:1-5")))},
			[]string{"begin", "executed +01000000-0000-0000-0000-000000000000:1-5", "end in event 1"}, ""},
		{"a set that is none", [][]byte{private(event.PrivateLocal, private(event.PrivateExecuted, []byte("1-5")))}, []string{"begin"}, "malformed GTID"},
		{"a definition", [][]byte{gtidEvent(4, event.FLStandalone), private(event.PrivateCatalog, change), query("CREATE DATABASE made")},
			[]string{"begin 0-7-4", "define made", "end in event 3"}, ""},
		{"two groups", [][]byte{gtidEvent(5, 0), query("SAVEPOINT a"), query("COMMIT"), gtidEvent(6, 0), xid()},
			[]string{"begin 0-7-5", "end in event 3", "begin 0-7-6", "end in event 5"}, ""},
		{"a table map holds for its group only", [][]byte{gtidEvent(7, 0), mapEvent(1, 2), xid(), gtidEvent(8, 0), insert},
			[]string{"begin 0-7-7", "end in event 3", "begin 0-7-8"}, "without a table map"},
		{"a group in a group", [][]byte{gtidEvent(1, 0), gtidEvent(2, 0)}, []string{"begin 0-7-1"}, "inside another one"},
		{"rows between groups", [][]byte{mapEvent(1, 2)}, nil, "outside of a group"},
		{"other columns", [][]byte{gtidEvent(1, 0), mapEvent(1, 3)}, []string{"begin 0-7-1"}, "has 2 columns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{tables: map[uint64]*catalog.Table{1: numbers(t, 1, "keyed", false), 2: numbers(t, 2, "keyless", true)}}
			d := newDecoder(r)
			for i, ev := range c.events {
				require.NoError(t, event.Finalize(ev, 0))
				at := logpos.At(1, uint64(i)*spacing)
				done, err := d.event(ev, at)
				last := i == len(c.events)-1
				if last && c.err != "" {
					require.ErrorContains(t, err, c.err)
					require.ErrorIs(t, err, ErrContent)
					break
				}
				require.NoError(t, err)
				require.True(t, done || !last, "the last event completes its group")
			}
			require.Equal(t, c.want, r.calls)
		})
	}
}
