package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
)

const testDir = "/data"

var testMeta = event.Meta{Timestamp: 1_700_000_000, ServerID: 1}

func logOptions(fs vfs.FS) binlog.Options {
	return binlog.Options{FS: fs, Dir: testDir, ServerID: 1, MaxSize: 16 << 10, Logger: slog.New(slog.DiscardHandler)}
}

func openLog(t testing.TB, fs vfs.FS) *binlog.Log {
	t.Helper()
	l, _, err := binlog.Open(logOptions(fs))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func commit(t testing.TB, l *binlog.Log, groups []byte) {
	t.Helper()
	require.NoError(t, l.Reserve(int64(len(groups))))
	_, end, err := l.Append(groups)
	require.NoError(t, err)
	require.NoError(t, l.Sync())
	l.SetVisible(end)
}

// item is the table of the tests: an unsigned key, a text, an ENUM.
func itemTable() *catalog.TableDef {
	return &catalog.TableDef{ID: 7, DB: "shop", Name: "item", Columns: []catalog.ColumnDef{
		{Name: "id", SQLType: "int(10) unsigned", Type: mysql.MYSQL_TYPE_LONG, Unsigned: true},
		{Name: "na`me", SQLType: "varchar(20)", Nullable: true, Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 80, Collation: 45},
		{Name: "kind", SQLType: "enum('a','b')", Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.EnumMeta(2), EnumValues: []string{"a", "b"}},
	}}
}

func beginGroup(seq uint64, flags byte) []byte {
	return event.AppendGTID(nil, testMeta, event.GTIDInfo{GTID: gtid.GTID{Server: 1, Seq: seq}, Flags: flags})
}

// createItem is the group of a CREATE TABLE, with its catalog record.
func createItem(t testing.TB, seq uint64) []byte {
	t.Helper()
	change := catalog.Change{Tables: []*catalog.TableDef{itemTable()}}
	payload, err := change.Marshal()
	require.NoError(t, err)
	b := beginGroup(seq, event.FLStandalone|event.FLDDL)
	b = event.AppendPrivate(b, testMeta, event.PrivateCatalog, payload)
	return event.AppendQuery(b, testMeta, event.Query{Schema: "shop", SQL: "CREATE TABLE item (id INT UNSIGNED PRIMARY KEY)"})
}

func tableEvents(b []byte, id uint64, db, table string) []byte {
	info := &event.TableMapInfo{TableID: id, Schema: db, Table: table}
	for _, c := range itemTable().Columns {
		info.Columns = append(info.Columns, event.ColumnMeta{Type: c.Type, Meta: c.Meta, Nullable: c.Nullable})
	}
	return event.AppendTableMap(b, testMeta, info)
}

// image is a row with that id, a name (nil: NULL) and kind b.
func image(id uint32, name *string) []byte {
	b := []byte{0xf8, byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	if name == nil {
		b[0] |= 2
	} else {
		b = append(append(b, byte(len(*name))), *name...)
	}
	return append(b, 2)
}

func rowsEvent(b []byte, id uint64, kind event.Type, images ...[]byte) []byte {
	return event.AppendRows(b, testMeta, &event.RowsInfo{TableID: id, Flags: event.RowsStmtEnd, Kind: kind, Columns: 3, Rows: bytes.Join(images, nil)})
}

// insert is a transaction with one row in shop.item, and one in other.thing.
func insert(seq uint64, id uint32, name string) []byte {
	b := beginGroup(seq, event.FLTransactional)
	b = event.AppendAnnotateRows(b, testMeta, "INSERT INTO item VALUES (1)")
	b = tableEvents(b, 7, "shop", "item")
	b = rowsEvent(b, 7, event.WriteRowsV1, image(id, &name))
	b = event.AppendAnnotateRows(b, testMeta, "INSERT INTO other.thing VALUES (1)")
	b = tableEvents(b, 8, "other", "thing")
	b = rowsEvent(b, 8, event.WriteRowsV1, image(id, nil))
	return event.AppendXID(b, testMeta, seq)
}

func openSet(t testing.TB, fs vfs.FS, paths ...string) *Set {
	t.Helper()
	if len(paths) == 0 {
		paths = []string{testDir}
	}
	set, err := Open(fs, paths, "")
	require.NoError(t, err)
	return set
}

func show(t testing.TB, set *Set, o ShowOptions) string {
	t.Helper()
	var out bytes.Buffer
	o.Logger = slog.New(slog.DiscardHandler)
	require.NoError(t, Show(context.Background(), set, o, &out))
	return out.String()
}

// records are the objects of show --json.
func records(t testing.TB, set *Set, o ShowOptions) []Record {
	t.Helper()
	o.JSON = true
	var list []Record
	for line := range strings.Lines(show(t, set, o)) {
		var r Record
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		list = append(list, r)
	}
	return list
}

// verify returns the reports, by file.
func verify(t testing.TB, set *Set, o VerifyOptions) (map[string]Report, int) {
	t.Helper()
	o.JSON = true
	o.pauseForTesting = time.Microsecond
	var out bytes.Buffer
	problems, err := Verify(context.Background(), set, o, &out)
	require.NoError(t, err)
	list := map[string]Report{}
	count := 0
	for dec := json.NewDecoder(&out); ; {
		var r Report
		if err := dec.Decode(&r); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
		list[r.File] = r
		count += len(r.Problems)
	}
	require.Equal(t, problems, count)
	return list, problems
}

func read(t testing.TB, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(fs.PathJoin(testDir, name))
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return b
}

func write(t testing.TB, fs vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fs.Create(fs.PathJoin(testDir, name), vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(bytes.Clone(b))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
