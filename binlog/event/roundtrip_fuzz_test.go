package event_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// decodedBody decodes one of our own events.
func decodedBody[T any](t *testing.T, ev []byte) T {
	t.Helper()
	require.NoError(t, event.Finalize(ev, 4))
	require.NoError(t, event.Verify(ev))
	decoded, err := event.Decode(ev)
	require.NoError(t, err)
	body, ok := decoded.Body.(T)
	require.True(t, ok, "%T", decoded.Body)
	return body
}

// FuzzQueryRoundTrip: whatever a statement and its session are, they come back.
func FuzzQueryRoundTrip(f *testing.F) {
	f.Add("shop", "CREATE TABLE t (a INT)", "SYSTEM", "root", "localhost", uint32(1), uint64(1<<33), uint64(7), uint16(45), byte(0))
	f.Add("", "", "", "", "", uint32(0), uint64(0), uint64(0), uint16(0), byte(0))
	f.Add("d", "ALTER TABLE t ADD b INT", "+03:00", "u", "", uint32(1<<24|1<<30), uint64(1), uint64(1<<63), uint16(224), event.FLExtraCommitAlter)
	f.Fuzz(func(t *testing.T, schema, sql, zone, user, host string, flags2 uint32, mode, number uint64, id uint16, flags3 byte) {
		if len(schema) > 255 || len(zone) > 255 || len(user) > 255 || len(host) > 255 {
			return
		}
		q := event.Query{
			ThreadID: uint32(number), ExecTime: flags2, ErrorCode: id, Schema: schema, SQL: sql, Flags2: flags2, SQLMode: mode,
			Charset: [3]uint16{id, id, id}, TimeZone: zone, LCTimeNames: id, CharsetDatabase: id, TableMapForUpdate: number,
			XID: number, GTIDFlags3: flags3,
		}
		if user != "" {
			q.InvokerUser, q.InvokerHost = user, host
		}
		if number%2 == 1 {
			q.Microseconds, q.HasMicroseconds = uint32(number)%1000000, true
			q.AutoIncrementIncrement, q.AutoIncrementOffset = 2+id%100, id
		}
		if flags3&(event.FLExtraCommitAlter|event.FLExtraRollbackAlter) != 0 {
			q.AlterSeq = number
		}
		require.Equal(t, &q, decodedBody[*event.Query](t, event.AppendQuery(nil, meta, q)))
	})
}

// FuzzGTIDRoundTrip: a GTID event comes back, with all its flags.
func FuzzGTIDRoundTrip(f *testing.F) {
	f.Add(uint32(0), uint32(1), uint64(1), byte(0), uint64(0), byte(0), uint64(0))
	f.Add(uint32(5), uint32(9), uint64(1<<40), event.FLTransactional|event.FLDDL, uint64(77), event.FLExtraCommitAlter, uint64(3))
	f.Fuzz(func(t *testing.T, domain, server uint32, seq uint64, flags byte, commit uint64, extra byte, alter uint64) {
		g := event.GTIDInfo{GTID: gtid.GTID{Domain: domain, Server: server, Seq: seq}, Flags: flags &^ event.FLGroupCommitID, CommitID: commit, ExtraFlags: extra}
		if commit != 0 {
			g.Flags |= event.FLGroupCommitID
		}
		if flags&(event.FLPreparedXA|event.FLCompletedXA) != 0 {
			g.XID = []byte{1, 0, 0, 0, 2, 1, 'g', 't', 'b'}
		}
		if extra&event.FLExtraMultiEngine != 0 {
			g.ExtraEngines = byte(alter)
		}
		if extra&(event.FLExtraCommitAlter|event.FLExtraRollbackAlter) != 0 {
			g.AlterSeq = alter
		}
		require.Equal(t, &g, decodedBody[*event.GTIDInfo](t, event.AppendGTID(nil, meta, g)))
	})
}

// FuzzControlRoundTrip: the small events.
func FuzzControlRoundTrip(f *testing.F) {
	f.Add("binlog.000002", uint64(4), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	f.Add("", uint64(1<<63), []byte{})
	f.Fuzz(func(t *testing.T, text string, n uint64, data []byte) {
		require.Equal(t, &event.Rotate{Pos: n, File: text}, decodedBody[*event.Rotate](t, event.AppendRotate(nil, meta, n, text)))
		require.Equal(t, &event.Xid{XID: n}, decodedBody[*event.Xid](t, event.AppendXID(nil, meta, n)))
		require.Equal(t, text, string(decodedBody[*event.Annotate](t, event.AppendAnnotateRows(nil, meta, text)).SQL))
		require.Equal(t, &event.Checkpoint{File: text}, decodedBody[*event.Checkpoint](t, event.AppendBinlogCheckpoint(nil, meta, text)))
		p := decodedBody[*event.Private](t, event.AppendPrivate(nil, meta, event.PrivateKind(n), data))
		require.Equal(t, event.PrivateKind(n), p.Kind)
		require.True(t, bytes.Equal(data, p.Payload))

		var list []gtid.GTID
		var ids []uint64
		for b := data; len(b) >= 4; b = b[4:] {
			list = append(list, gtid.GTID{Domain: uint32(b[0]), Server: uint32(b[1]), Seq: uint64(b[2])<<40 | uint64(b[3])})
			ids = append(ids, n^uint64(b[3]))
		}
		got := decodedBody[*event.List](t, event.AppendGTIDList(nil, meta, list))
		require.Len(t, got.GTIDs, len(list))
		for i := range list {
			require.Equal(t, list[i], got.GTIDs[i])
		}
		back, err := event.RowIDs(nil, event.AppendRowIDs(nil, ids))
		require.NoError(t, err)
		require.Equal(t, ids, back)
		if back, err = event.RowIDs(nil, data); err == nil {
			again, err := event.RowIDs(nil, event.AppendRowIDs(nil, back))
			require.NoError(t, err)
			require.Equal(t, back, again)
		} else {
			require.ErrorIs(t, err, event.ErrMalformed)
		}
	})
}

// FuzzDecoder reads an arbitrary stream: events and rest add up, and a format description
// decides about the checksums of what follows.
func FuzzDecoder(f *testing.F) {
	var stream []byte
	addRecorded(f, func(ev []byte) {
		if len(stream) < 4000 {
			stream = append(stream, ev...)
		}
		f.Add(ev)
	})
	f.Add(stream)
	f.Fuzz(func(t *testing.T, b []byte) {
		var d event.Decoder
		for rest := b; len(rest) > 0; {
			ev, tail, err := event.Next(rest)
			if err != nil {
				return
			}
			require.Less(t, len(tail), len(rest))
			was := d.Checksum
			decoded, err := d.Decode(ev)
			if err != nil {
				require.Equal(t, was, d.Checksum)
			} else if format, ok := decoded.Body.(*event.Format); ok {
				require.Equal(t, format.Checksum, d.Checksum)
			}
			rest = tail
		}
	})
}
