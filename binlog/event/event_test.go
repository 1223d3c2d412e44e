package event_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
)

var meta = event.Meta{Timestamp: 1700000000, ServerID: 7}

// TestRecordedBinlogs is TestMariaDBBinlog without a MariaDB: the recorded
// files decode, and encode to the same bytes.
func TestRecordedBinlogs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "binlog.*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		checkEvents(t, data, nil)
	}
}

// samples has one event of every type that we write.
func samples() map[string][]byte {
	g := gtid.GTID{Domain: 1, Server: 7, Seq: 1 << 40}
	return map[string][]byte{
		"format":     event.AppendFormatDescription(nil, meta, "10.11.14-MariaDB", 5),
		"list":       event.AppendGTIDList(nil, meta, []gtid.GTID{{Domain: 0, Server: 1, Seq: 2}, g}),
		"empty list": event.AppendGTIDList(nil, meta, nil),
		"checkpoint": event.AppendBinlogCheckpoint(nil, meta, "binlog.000001"),
		"gtid":       event.AppendGTID(nil, meta, event.GTIDInfo{GTID: g, Flags: event.FLTransactional}),
		"group gtid": event.AppendGTID(nil, meta, event.GTIDInfo{GTID: g, CommitID: 9}),
		"query": event.AppendQuery(nil, meta, event.Query{
			ThreadID: 1, ExecTime: 2, ErrorCode: 3, Schema: "d", SQL: "CREATE TABLE t (a INT)", SQLMode: 1 << 33,
			Flags2: event.Flags2ExplicitTimestamp, Charset: [3]uint16{45, 45, 8}, AutoIncrementIncrement: 2, AutoIncrementOffset: 1,
			TimeZone: "SYSTEM", LCTimeNames: 4, CharsetDatabase: 8, TableMapForUpdate: 3, InvokerUser: "u", InvokerHost: "h",
			Microseconds: 123456, HasMicroseconds: true, XID: 77, GTIDFlags3: event.FLExtraCommitAlter, AlterSeq: 6,
		}),
		"annotate": event.AppendAnnotateRows(nil, meta, "INSERT INTO t VALUES (1)"),
		"table map": event.AppendTableMap(nil, meta, &event.TableMapInfo{
			TableID: 1<<48 - 2, Schema: "d", Table: "t", Metadata: event.RowMetadataFull,
			Columns: []event.ColumnMeta{
				{Type: mysql.MYSQL_TYPE_LONG, Unsigned: true, Name: "a"},
				{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 300, Nullable: true, Charset: 45, Name: "b"},
				{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.EnumMeta(300), Charset: 8, Name: "c", Values: []string{"x", strings.Repeat("y", 300)}},
			},
			PrimaryKey: []event.KeyColumn{{Column: 0}, {Column: 1, Prefix: 10}},
		}),
		"rows": event.AppendRows(nil, meta, &event.RowsInfo{
			TableID: 5, Flags: event.RowsStmtEnd, Kind: event.UpdateRowsV1, Columns: 1, Rows: []byte{0xfe, 1, 0, 0, 0, 0xfe, 2, 0, 0, 0},
		}),
		"partial rows": event.AppendRows(nil, meta, &event.RowsInfo{
			TableID: 5, Kind: event.UpdateRowsV1, Columns: 9, BitmapBefore: []byte{1, 0}, BitmapAfter: []byte{2, 1}, Rows: []byte{0xfe, 1},
		}),
		"xid":                    event.AppendXID(nil, meta, math.MaxUint64),
		"rotate":                 event.AppendRotate(nil, meta, 4, "binlog.000002"),
		"stop":                   event.AppendStop(nil, meta),
		"heartbeat":              event.AppendHeartbeat(nil, meta, "binlog.000001", 1234),
		"heartbeat beyond 4 GiB": event.AppendHeartbeat(nil, meta, "binlog.000001", 5<<32+1234),
		"private":                event.AppendPrivate(nil, meta, event.PrivateCatalog, []byte("{}")),
	}
}

func TestSamples(t *testing.T) {
	for name, ev := range samples() {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, event.Verify(ev), event.ErrChecksum)
			require.NoError(t, event.Finalize(ev, 1<<32+100))
			require.NoError(t, event.Verify(ev))
			decoded, err := event.Decode(ev)
			require.NoError(t, err)
			require.EqualValues(t, 100+len(ev), decoded.Header.LogPos)
			require.Equal(t, meta.Timestamp, decoded.Header.Timestamp)
			require.Equal(t, event.ChecksumSize, decoded.ChecksumSize)
			if again := encode(decoded); again != nil {
				require.NoError(t, event.Finalize(again, 1<<32+100))
				require.Equal(t, ev, again)
			}
			// No damage of one bit and no cut goes unnoticed.
			for i := range ev {
				damaged := append([]byte(nil), ev...)
				damaged[i] ^= 1 << (i % 8)
				if name == "format" && i == 17 {
					continue // the in-use flag is not covered; tested below
				}
				require.Error(t, event.Verify(damaged), "byte %d", i)
				_, err := event.Decode(ev[:i])
				require.Error(t, err)
			}
		})
	}
}

func TestInUse(t *testing.T) {
	ev := event.AppendFormatDescription(nil, event.Meta{ServerID: 1, Flags: event.FlagInUse}, strings.Repeat("v", 80), 0)
	require.NoError(t, event.Finalize(ev, 4))
	require.NoError(t, event.Verify(ev))
	event.SetInUse(ev, false)
	require.NoError(t, event.Verify(ev))
	h, err := event.ParseHeader(ev)
	require.NoError(t, err)
	require.Zero(t, h.Flags)
	event.SetInUse(ev, true)
	require.NoError(t, event.Verify(ev))
	decoded, err := event.Decode(ev)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("v", 50), decoded.Body.(*event.Format).ServerVersion)
	require.True(t, decoded.Body.(*event.Format).Checksum)
}

func TestFinalizeGroup(t *testing.T) {
	var group []byte
	for _, ev := range samples() {
		group = append(group, ev...)
	}
	require.NoError(t, event.Finalize(group, 4))
	pos := 4
	for rest := group; len(rest) > 0; {
		ev, tail, err := event.Next(rest)
		require.NoError(t, err)
		require.NoError(t, event.Verify(ev))
		h, err := event.ParseHeader(ev)
		require.NoError(t, err)
		pos += len(ev)
		require.EqualValues(t, pos, h.LogPos)
		rest = tail
	}
	require.ErrorIs(t, event.Finalize(group[:len(group)-1], 4), event.ErrShort)
	require.ErrorIs(t, event.Finalize(make([]byte, 30), 4), event.ErrMalformed)
}

func TestNext(t *testing.T) {
	ev := event.AppendStop(nil, meta)
	for n := range ev {
		_, _, err := event.Next(ev[:n])
		require.ErrorIs(t, err, event.ErrShort)
	}
	first, rest, err := event.Next(append(ev, 1, 2))
	require.NoError(t, err)
	require.Equal(t, ev, first)
	require.Equal(t, []byte{1, 2}, rest)
	binary.LittleEndian.PutUint32(ev[9:], 18)
	_, _, err = event.Next(ev)
	require.ErrorIs(t, err, event.ErrMalformed)
}

func TestPrivate(t *testing.T) {
	ids := []uint64{1, 1 << 50, 0}
	ev := event.AppendPrivate(nil, meta, event.PrivateRowIDs, event.AppendRowIDs(nil, ids))
	require.True(t, event.IsPrivate(ev))
	require.False(t, event.IsPrivate(event.AppendStop(nil, meta)))
	decoded, err := event.Decode(ev)
	require.NoError(t, err)
	require.Equal(t, event.FlagIgnorable, decoded.Header.Flags)
	p := decoded.Body.(*event.Private)
	require.Equal(t, event.PrivateRowIDs, p.Kind)
	got, err := event.RowIDs(nil, p.Payload)
	require.NoError(t, err)
	require.Equal(t, ids, got)
	for n := range p.Payload {
		_, err := event.RowIDs(nil, p.Payload[:n])
		require.ErrorIs(t, err, event.ErrMalformed)
	}
	// An ignorable event of somebody else is not ours.
	other, start := event.Begin(nil, meta, event.Ignorable)
	other = event.End(append(other, "MYSQL"...), start)
	decoded, err = event.Decode(other)
	require.NoError(t, err)
	require.IsType(t, &event.Opaque{}, decoded.Body)
}

func TestDecoderWithoutChecksum(t *testing.T) {
	var d event.Decoder
	fde := event.AppendFormatDescription(nil, meta, "10.11.14-MariaDB", 0)
	fde[len(fde)-event.ChecksumSize-1] = 0
	_, err := d.Decode(fde)
	require.NoError(t, err)
	require.False(t, d.Checksum)
	xid := event.AppendXID(nil, meta, 42)
	xid = xid[:len(xid)-event.ChecksumSize]
	binary.LittleEndian.PutUint32(xid[9:], uint32(len(xid)))
	ev, err := d.Decode(xid)
	require.NoError(t, err)
	require.Equal(t, &event.Xid{XID: 42}, ev.Body)

	fde[len(fde)-event.ChecksumSize-1] = 1
	_, err = d.Decode(fde)
	require.NoError(t, err)
	require.True(t, d.Checksum)
}

// TestTableMapRoundTrip: whatever the columns, the decoded table map encodes
// to the same bytes.
func TestTableMapRoundTrip(t *testing.T) {
	column := rapid.Custom(func(t *rapid.T) event.ColumnMeta {
		c := event.ColumnMeta{
			Type: rapid.SampledFrom([]byte{
				mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_GEOMETRY,
				mysql.MYSQL_TYPE_NEWDECIMAL, mysql.MYSQL_TYPE_BIT, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET, mysql.MYSQL_TYPE_STRING,
			}).Draw(t, "type"),
			Nullable: rapid.Bool().Draw(t, "nullable"),
			Unsigned: rapid.Bool().Draw(t, "unsigned"),
			Charset:  rapid.SampledFrom([]uint16{8, 45, 63, 224, 1070}).Draw(t, "charset"),
			Name:     rapid.StringN(1, 20, 64).Draw(t, "name"),
			Values:   rapid.SliceOfN(rapid.StringN(0, 10, 30), 1, 5).Draw(t, "values"),
		}
		switch c.Type {
		case mysql.MYSQL_TYPE_STRING:
			c.Meta = mysql.StringMeta(rapid.IntRange(0, 1023).Draw(t, "length"))
		case mysql.MYSQL_TYPE_ENUM:
			c.Meta = mysql.EnumMeta(rapid.IntRange(1, 1000).Draw(t, "members"))
		case mysql.MYSQL_TYPE_SET:
			c.Meta = mysql.SetMeta(rapid.IntRange(1, 64).Draw(t, "members"))
		case mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_GEOMETRY:
			c.Meta = 4
		default:
			c.Meta = uint16(rapid.IntRange(0, 0x4141).Draw(t, "meta"))
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		info := &event.TableMapInfo{
			TableID: rapid.Uint64Max(1<<48-1).Draw(t, "id"), Schema: "d", Table: "t",
			Columns:  rapid.SliceOfN(column, 0, 300).Draw(t, "columns"),
			Metadata: rapid.SampledFrom([]event.RowMetadata{0, 1, 2}).Draw(t, "metadata"),
		}
		ev := event.AppendTableMap(nil, meta, info)
		decoded, err := event.Decode(ev)
		require.NoError(t, err)
		got := decoded.Body.(*event.TableMapInfo)
		require.Len(t, got.Columns, len(info.Columns))
		for i := range got.Columns {
			require.Equal(t, info.Columns[i].Nullable, got.Columns[i].Nullable)
		}
		require.Equal(t, ev, event.AppendTableMap(nil, meta, got))
		require.Equal(t, info.TableID, got.TableID)
	})
}
