package event_test

import (
	"bytes"
	"compress/zlib"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
)

// rawEvent makes an event of any type and body.
func rawEvent(t event.Type, body ...[]byte) []byte {
	dst, start := event.Begin(nil, meta, t)
	for _, b := range body {
		dst = append(dst, b...)
	}
	return event.End(dst, start)
}

func compress(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	out.Write([]byte{0x80 | 1, byte(len(b))})
	w := zlib.NewWriter(&out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// TestForeignEvents: events that MariaDB 10.11 writes only in rare set-ups, or
// only MySQL does.
func TestForeignEvents(t *testing.T) {
	id, images := []byte{5, 0, 0, 0, 0, 0, 1, 0}, []byte{0xfe, 1, 0xfe, 2}
	tableMap := &event.TableMapInfo{Columns: []event.ColumnMeta{{Type: mysql.MYSQL_TYPE_TINY}}}
	for _, tt := range []struct {
		ev   []byte
		want any
		info string
	}{
		{
			rawEvent(event.UpdateRowsV2, id, []byte{4, 0, 'x', 'y'}, []byte{1, 1, 1}, images),
			&event.RowsInfo{TableID: 5, Flags: 1, Kind: event.UpdateRowsV2, Columns: 1, BitmapBefore: []byte{1}, BitmapAfter: []byte{1}, Rows: images, Extra: []byte("xy")},
			"table_id: 5 flags: STMT_END_F",
		}, {
			rawEvent(event.DeleteRowsCompressed, id, []byte{2, 0}, []byte{1, 1}, compress(t, images)),
			&event.RowsInfo{TableID: 5, Flags: 1, Kind: event.DeleteRowsCompressed, Columns: 1, BitmapBefore: []byte{1}, Rows: images, Extra: []byte{}},
			"table_id: 5 flags: STMT_END_F",
		},
		{rawEvent(event.Incident, []byte{1, 0, 4}, []byte("lost")), &event.IncidentInfo{Number: 1, Message: "lost"}, "#1 (LOST_EVENTS): lost"},
		{rawEvent(event.Incident, []byte{1, 0, 0}), &event.IncidentInfo{Number: 1}, "#1 (LOST_EVENTS)"},
		{
			rawEvent(event.StartEncryption, []byte{1, 2, 0, 0, 0}, []byte("nonce of 12b")),
			&event.EncryptionInfo{Scheme: 1, KeyVersion: 2, Nonce: []byte("nonce of 12b")}, "",
		},
		{
			rawEvent(event.Heartbeat, []byte{4, 3, 0, 0, 1, 0, 0, 0}, []byte("binlog.000007")),
			&event.HeartbeatInfo{File: "binlog.000007", Pos: 1<<32 + 0x304}, "",
		},
		{
			rawEvent(event.MySQLGTID, []byte{1}, []byte("0123456789abcdef"), []byte{5, 1, 0, 0, 0, 0, 0, 0}, []byte("clocks and times")),
			&event.MySQLGTIDInfo{Flags: 1, GTID: gtid.MySQL{Source: gtid.UUID([]byte("0123456789abcdef")), Number: 0x105}}, "30313233-3435-3637-3839-616263646566:261",
		},
		{
			rawEvent(event.MySQLPreviousGTIDs, gtid.Set{{1}: {{Start: 1, End: 6}}}.AppendBinary(nil)), &event.PreviousGTIDs{Set: gtid.Set{{1}: {{Start: 1, End: 6}}}},
			"01000000-0000-0000-0000-000000000000:1-5",
		},
		{rawEvent(event.MySQLPreviousGTIDs, []byte{1, 0, 0, 0, 0, 0, 0, 1}), &event.Opaque{Data: []byte{1, 0, 0, 0, 0, 0, 0, 1}}, ""},
		{rawEvent(event.MySQLAnonymousGTID, []byte("?")), &event.Opaque{Data: []byte("?")}, ""},
		{rawEvent(200, []byte("?")), &event.Opaque{Data: []byte("?")}, ""},
	} {
		got, err := event.Decode(tt.ev)
		require.NoError(t, err)
		require.Equal(t, tt.want, got.Body)
		require.Equal(t, tt.info, event.Describe(got))
		if rows, ok := got.Body.(*event.RowsInfo); ok {
			it, seen := rows.Iter(tableMap), 0
			for it.Next() {
				seen++
			}
			require.NoError(t, it.Err())
			require.Equal(t, map[bool]int{true: 1, false: 2}[rows.IsUpdate()], seen)
		}
	}
}

// TestCompressedBodies: what a compressed body announces is not trusted.
func TestCompressedBodies(t *testing.T) {
	good := compress(t, []byte("0123456789"))
	head := []byte{5, 0, 0, 0, 0, 0, 1, 0, 1, 1}
	_, err := event.Decode(rawEvent(event.WriteRowsCompressedV1, head, good))
	require.NoError(t, err)
	for name, bad := range map[string][]byte{
		"empty":        {},
		"not marked":   append([]byte{0x01}, good[1:]...),
		"algorithm":    append([]byte{0x91}, good[1:]...),
		"no length":    {0x84, 0, 0},
		"too short":    append([]byte{0x81, 9}, good[2:]...),
		"too long":     append([]byte{0x81, 11}, good[2:]...),
		"huge":         append([]byte{0x84, 0xff, 0xff, 0xff, 0xff}, good[2:]...),
		"cut":          good[:len(good)-6],
		"no zlib data": {0x81, 10, 1, 2, 3},
	} {
		_, err := event.Decode(rawEvent(event.WriteRowsCompressedV1, head, bad))
		require.ErrorIs(t, err, event.ErrMalformed, name)
	}
}
