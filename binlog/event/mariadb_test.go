package event_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
	"github.com/duramendb/duramen/test/peer"
)

// update keeps what MariaDB wrote as test data of the tests that need no MariaDB.
var update = flag.Bool("update", false, "rewrite testdata/mariadb")

// TestMariaDBBinlog lets a real MariaDB write all the kinds of events it has
// and compares: our Info column with its own, and the bytes of every event that
// we can write with what we make of the decoded one.
func TestMariaDBBinlog(t *testing.T) {
	s := peer.StartMariaDB(t, peer.Options{Binlog: true, ServerID: 7})
	db := s.DB("")
	defer db.Close()
	db.SetMaxOpenConns(1)
	script, err := os.ReadFile(filepath.Join("testdata", "statements.sql"))
	require.NoError(t, err)
	for _, stmt := range statements(script) {
		exec(t, db, stmt)
	}
	names := peer.MustRows(t, db, "SHOW BINARY LOGS")
	require.GreaterOrEqual(t, len(names), 3)
	seen := map[event.Type]int{}
	for _, line := range names[:len(names)-1] {
		name := strings.Trim(strings.Fields(line)[0], `"`)
		compareFile(t, db, filepath.Join(s.Dir, name), name, seen)
	}
	for _, typ := range []event.Type{
		event.FormatDescription, event.GTIDList, event.BinlogCheckpoint, event.GTIDEvent, event.QueryEvent,
		event.AnnotateRows, event.TableMap, event.WriteRowsV1, event.UpdateRowsV1, event.DeleteRowsV1, event.XID,
		event.XAPrepare, event.Intvar, event.Rand, event.UserVar, event.QueryCompressed, event.WriteRowsCompressedV1,
		event.UpdateRowsCompressedV1, event.DeleteRowsCompressedV1, event.RotateEvent,
		event.BeginLoadQuery, event.ExecuteLoadQuery,
	} {
		require.NotZero(t, seen[typ], "MariaDB wrote no %s event", typ)
	}

	name := strings.Trim(strings.Fields(names[len(names)-1])[0], `"`)
	s.Stop() // the last file ends with STOP
	data, err := os.ReadFile(filepath.Join(s.Dir, name))
	require.NoError(t, err)
	last := checkEvents(t, data, nil)
	require.IsType(t, &event.Stop{}, last.Body)
}

func exec(t *testing.T, db *sql.DB, stmt string) {
	t.Helper()
	_, err := db.ExecContext(context.Background(), stmt)
	require.NoError(t, err, stmt)
}

// statements splits a script: one statement per line, "--" lines are comments.
func statements(script []byte) []string {
	var out []string
	for sc := bufio.NewScanner(bytes.NewReader(script)); sc.Scan(); {
		if line := strings.TrimSpace(sc.Text()); line != "" && !strings.HasPrefix(line, "--") {
			out = append(out, line)
		}
	}
	return out
}

func compareFile(t *testing.T, db *sql.DB, path, name string, seen map[event.Type]int) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	rows, err := db.Query("SHOW BINLOG EVENTS IN '" + name + "'")
	require.NoError(t, err)
	defer rows.Close()
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "mariadb", name), data, 0o644))
	}
	checkEvents(t, data, func(pos int, ev event.Event) {
		require.True(t, rows.Next(), "MariaDB shows no event at %s:%d", name, pos)
		var file, typ, info string
		var start, server, end int64
		require.NoError(t, rows.Scan(&file, &start, &typ, &server, &end, &info))
		require.EqualValues(t, start, pos)
		require.EqualValues(t, end, ev.Header.LogPos)
		require.EqualValues(t, server, ev.Header.ServerID)
		require.Equal(t, typ, ev.Header.Type.String())
		require.Equal(t, info, event.Describe(ev))
		seen[ev.Header.Type]++
	})
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())
}

// checkEvents decodes a whole file, encodes again what can be encoded, and
// returns the last event.
func checkEvents(t *testing.T, file []byte, visit func(pos int, ev event.Event)) event.Event {
	t.Helper()
	require.True(t, bytes.HasPrefix(file, []byte(event.Magic)))
	var last event.Event
	maps := map[uint64]*event.TableMapInfo{}
	for rest := file[len(event.Magic):]; len(rest) > 0; {
		pos := len(file) - len(rest)
		raw, tail, err := event.Next(rest)
		require.NoError(t, err)
		require.NoError(t, event.Verify(raw))
		ev, err := event.Decode(raw)
		require.NoError(t, err, "%d %x", pos, raw)
		if again := encode(ev); again != nil {
			require.NoError(t, event.Finalize(again, uint64(pos)))
			require.Equal(t, raw, again, "%s at %d: %s", ev.Header.Type, pos, event.Describe(ev))
		}
		switch b := ev.Body.(type) {
		case *event.TableMapInfo:
			maps[b.TableID] = b
		case *event.RowsInfo:
			checkRows(t, maps[b.TableID], b)
		}
		if visit != nil {
			visit(pos, ev)
		}
		last, rest = ev, tail
	}
	return last
}

// encode writes a decoded event once more; nil if it is of a type that we
// never write.
func encode(ev event.Event) []byte {
	m := event.Meta{Timestamp: ev.Header.Timestamp, ServerID: ev.Header.ServerID, Flags: ev.Header.Flags}
	switch b := ev.Body.(type) {
	case *event.Format:
		return event.AppendFormatDescription(nil, m, b.ServerVersion, b.Created)
	case *event.List:
		return event.AppendGTIDList(nil, m, b.GTIDs)
	case *event.Checkpoint:
		return event.AppendBinlogCheckpoint(nil, m, b.File)
	case *event.GTIDInfo:
		return event.AppendGTID(nil, m, *b)
	case *event.Query:
		if ev.Header.Type == event.QueryEvent {
			return event.AppendQuery(nil, m, *b)
		}
	case *event.Annotate:
		return event.AppendAnnotateRows(nil, m, string(b.SQL))
	case *event.TableMapInfo:
		return event.AppendTableMap(nil, m, b)
	case *event.RowsInfo:
		if b.Kind == ev.Header.Type && b.Kind <= event.DeleteRowsV1 {
			return event.AppendRows(nil, m, b)
		}
	case *event.Xid:
		return event.AppendXID(nil, m, b.XID)
	case *event.Rotate:
		return event.AppendRotate(nil, m, b.Pos, b.File)
	case *event.Stop:
		return event.AppendStop(nil, m)
	}
	return nil
}

// checkRows decodes every full image and encodes its values again.
func checkRows(t *testing.T, tm *event.TableMapInfo, r *event.RowsInfo) {
	t.Helper()
	require.NotNil(t, tm)
	cols := columnsOf(tm)
	full := row.Bitmap(allOf(len(cols)))
	it := r.Iter(tm)
	for it.Next() {
		for i, image := range [][]byte{it.Before(), it.After()} {
			present := r.BitmapBefore
			if i == 1 && r.IsUpdate() {
				present = r.BitmapAfter
			}
			if image == nil || !bytes.Equal(present, full) {
				continue
			}
			vals, err := rowtest.Decode(cols, image)
			require.NoError(t, err)
			again, err := row.Encode(nil, cols, vals)
			require.NoError(t, err)
			require.Equal(t, image, again, "%s.%s: %v", tm.Schema, tm.Table, vals)
		}
	}
	require.NoError(t, it.Err())
}

// columnsOf are the columns of a table map for package row.
func columnsOf(tm *event.TableMapInfo) []row.Column {
	cols := make([]row.Column, len(tm.Columns))
	for i, c := range tm.Columns {
		cols[i] = row.Column{
			Name: c.Name, Type: c.Type, Meta: c.Meta, Nullable: c.Nullable, Unsigned: c.Unsigned,
			Collation: c.Charset, EnumValues: c.Values,
		}
	}
	return cols
}

func allOf(n int) []bool {
	all := make([]bool, n)
	for i := range all {
		all[i] = true
	}
	return all
}
