package position

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

func options() Options {
	o := Options{Server: target.Spec{Name: "mariadb", Kind: target.MariaDB, Engines: []string{"InnoDB", "ROCKSDB"}}, Rows: 10, Transactions: 4, Rounds: 2}
	o.EnsureDefaults()
	return o
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Options)
		fails  string
	}{
		{"defaults", func(*Options) {}, ""},
		{"no rows", func(o *Options) { o.Rows = -1 }, "-1 rows"},
		{"one transaction", func(o *Options) { o.Transactions = 1 }, "1 transactions"},
		{"no rounds", func(o *Options) { o.Rounds = -1 }, "-1 rounds"},
		{"another profile", func(o *Options) { o.Profiles = []string{"nobinlog"} }, "want sync or nosync"},
		{"another server", func(o *Options) { o.Server.Kind = target.MySQL }, "has to be a MariaDB"},
		{"one engine", func(o *Options) { o.Server.Engines = o.Server.Engines[:1] }, "apt-get install mariadb-plugin-rocksdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			c.change(&o)
			if err := o.Validate(); c.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.fails)
			}
		})
	}
}

// The store does what a replica would: rows, and transactions in the log.
func TestFollower(t *testing.T) {
	o := options()
	for _, c := range o.contenders() {
		if _, ours := followers[c.Position]; ours {
			t.Run(c.Profile+" "+c.Position, func(t *testing.T) { testFollower(t, &o, c) })
		}
	}
}

func testFollower(t *testing.T, o *Options, c Contender) {
	f, err := openFollower(t.Context(), o, t.TempDir(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.close()) })
	for i, set := range sets {
		tbl := f.table(set)
		require.Equal(t, kindNames()[i], tbl.Def.Engine)
		var transactions []transaction
		for n := range 3 {
			image, err := row.Encode(nil, tbl.Columns, []any{n, n, text("a", n)})
			require.NoError(t, err)
			transactions = append(transactions, transaction{statement: "UPDATE t", after: image})
		}
		commits := f.store.Pipeline().Stats().Commits
		elapsed, err := f.apply(t.Context(), set, transactions)
		require.NoError(t, err)
		require.Positive(t, elapsed)
		require.EqualValues(t, 3, f.store.Pipeline().Stats().Commits-commits)
		x := f.store.Txns().Begin(txn.Options{})
		for n, tr := range transactions {
			key, err := tbl.PrimaryKey(nil, tr.after)
			require.NoError(t, err)
			got, found, err := x.Get(t.Context(), tbl, key, txn.Snapshot, txn.Wait)
			require.NoError(t, err)
			require.True(t, found, n)
			require.Equal(t, tr.after, got)
		}
		x.Rollback()
		missing, err := row.Encode(nil, tbl.Columns, []any{o.Rows, 0, ""})
		require.NoError(t, err)
		_, err = f.apply(t.Context(), set, []transaction{{after: missing}})
		require.ErrorContains(t, err, "transaction 1: "+table(set)+" has no such row")
	}
	// The position is that of the last transaction; those whose rows are in the other engine have it in a foreign one.
	keeping := followers[c.Position]
	for i, e := range f.store.Engine().Engines() {
		rows, err := twopc.Positions(e)
		require.NoError(t, err)
		if keeping.set != sets[i] {
			require.Empty(t, rows)
			continue
		}
		require.Len(t, rows, 1)
		require.Equal(t, "0-2-7", rows[0].GTID.String()) // one did not commit
	}
	foreign := uint64(0)
	if keeping.set != "" {
		foreign = 3
	}
	require.Equal(t, foreign, f.store.PositionStats().Foreign)
}

// logFile writes a log with an insertion, an update of our table and one of another, with or without the end.
func logFile(t *testing.T, cut int) string {
	m := event.Meta{Timestamp: 1, ServerID: 1}
	number := []event.ColumnMeta{{Type: mysql.MYSQL_TYPE_TINY}}
	info := func(table string) *event.TableMapInfo {
		return &event.TableMapInfo{TableID: 7, Schema: target.Database, Table: table, Columns: number}
	}
	rows := func(kind event.Type, images ...byte) *event.RowsInfo {
		return &event.RowsInfo{TableID: 7, Flags: event.RowsStmtEnd, Kind: kind, Columns: 1, Rows: images}
	}
	ev := event.AppendFormatDescription([]byte(logMagic), m, "10.11.19-MariaDB", 0)
	ev = event.AppendTableMap(ev, m, info("first1"))
	ev = event.AppendRows(ev, m, rows(event.WriteRowsV1, 0xfe, 1))
	ev = event.AppendAnnotateRows(ev, m, "UPDATE first1")
	ev = event.AppendTableMap(ev, m, info("first1"))
	ev = event.AppendRows(ev, m, rows(event.UpdateRowsV1, 0xfe, 1, 0xfe, 2))
	ev = event.AppendTableMap(ev, m, info("second1"))
	ev = event.AppendRows(ev, m, rows(event.UpdateRowsV1, 0xfe, 1, 0xfe, 3))
	path := filepath.Join(t.TempDir(), "binlog.000001")
	require.NoError(t, os.WriteFile(path, ev[:len(ev)-cut], 0o644))
	return path
}

func TestReadLog(t *testing.T) {
	l := &preparedLog{set: load.First}
	require.NoError(t, l.readFile(logFile(t, 0)))
	require.Equal(t, []transaction{{statement: "UPDATE first1", after: []byte{0xfe, 2}}}, l.transactions)

	require.ErrorContains(t, l.readFile(logFile(t, 1)), "it ends within an event")
	path := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o644))
	require.ErrorContains(t, l.readFile(path), "it is not a binary log")
}

// Any number of rounds changes each row that it touches.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []string{text("loaded", 1), text("a", 1), text("b", 1), text("a", 11), text("b", 1111)} {
		require.Len(t, s, textBytes-1)
		require.False(t, seen[s])
		seen[s] = true
	}
}

func TestTables(t *testing.T) {
	o := options()
	o.Profiles = []string{"sync"}
	slice := func(position, data, engine string, round, rate int) Slice {
		return Slice{
			Contender: Contender{Profile: "sync", Position: position}, Data: data, Engine: engine, Round: round, Transactions: rate, Elapsed: time.Second,
			Syncs: device.Count{N: uint64(3 * rate), Known: true}, CPU: device.Count{N: uint64(50_000 * rate), Known: true},
		}
	}
	r := &Result{Options: o, Slices: []Slice{
		slice(load.First, load.First, "InnoDB", 1, 1000), slice(load.Second, load.First, "InnoDB", 1, 500), slice(None, load.First, "RocksDB", 1, 2000),
		slice(load.First, load.First, "InnoDB", 2, 1000), slice(load.Second, load.First, "InnoDB", 2, 400),
		slice(load.Second, load.Second, "ROCKSDB", 1, 100),
		slice(TwoPCFirst, load.First, "RocksDB", 1, 800), slice(TwoPCSecond, load.First, "RocksDB", 1, 200), slice(TwoPCFirst, load.Second, "BTREE", 1, 70),
		slice(TwoPCSecond, load.Second, "BTREE", 1, 100),
	}}
	tables := r.Tables()
	require.Equal(t, []string{"profile", "data in", "position in InnoDB", "position in ROCKSDB", "position in both (auto)", "Duramen", "Duramen 2pc, position in RocksDB", "Duramen 2pc, position in BTREE"}, tables[0].Columns)
	require.Equal(t, [][]string{
		{"sync", "InnoDB (Duramen: RocksDB)", "1,000 (1,000-1,000)", "450 (400-500)", "-", "2,000 (2,000-2,000)", "800 (800-800)", "200 (200-200)"},
		{"sync", "ROCKSDB", "-", "100 (100-100)", "-", "-", "70 (70-70)", "100 (100-100)"},
	}, tables[0].Rows)
	require.Equal(t, [][]string{
		{"sync", "InnoDB (Duramen: RocksDB)", "1", "0.45 (0.40-0.50)", "-", "2.00 (2.00-2.00)", "1", "0.25 (0.25-0.25)"},
		{"sync", "ROCKSDB", "-", "1", "-", "-", "0.70 (0.70-0.70)", "1"},
	}, tables[1].Rows)
	require.Equal(t, "3 / - / - / 50", tables[2].Rows[0][2])
	var svg strings.Builder
	f := r.Figure()
	require.NoError(t, f.SVG(&svg))
	require.Contains(t, svg.String(), "position in ROCKSDB")
}
