package wire

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

func FuzzHandshakeResponse(f *testing.F) {
	f.Add(responsePayload(testClientCaps, "root", []byte("12345678901234567890"), "db", pluginNative))
	f.Add(responsePayload(testClientCaps|mysql.CLIENT_CONNECT_ATTRS, "u", nil, "", ""))
	f.Add(responsePayload(mysql.CLIENT_PROTOCOL_41|mysql.CLIENT_SECURE_CONNECTION|mysql.CLIENT_SSL, "", nil, "", "")[:32])
	f.Fuzz(func(t *testing.T, packet []byte) {
		b := bytes.Clone(packet)
		r, err := parseHandshakeResponse(b)
		if err == nil && r.tlsRequest && len(b) != 32 {
			t.Fatalf("a TLS request of %d bytes", len(b))
		}
		if err == nil {
			require.LessOrEqual(t, len(r.user)+len(r.auth)+len(r.db)+len(r.plugin)+attributesSize(r.attributes), len(b))
		}
		auth := bytes.Clone(r.auth) // nothing of it shares the packet's memory, which the next packet overwrites
		for i := range b {
			b[i] ^= 0xff
		}
		require.Equal(t, auth, r.auth)
	})
}

func attributesSize(m map[string]string) int {
	n := 0
	for k, v := range m {
		n += len(k) + len(v)
	}
	return n
}

func FuzzChangeUser(f *testing.F) {
	f.Add([]byte("root\x00\x03abcdb\x00\x2d\x00mysql_native_password\x00"), mysql.CLIENT_PLUGIN_AUTH)
	f.Fuzz(func(t *testing.T, b []byte, caps uint32) {
		r, err := parseChangeUser(b, caps)
		if err == nil {
			require.LessOrEqual(t, len(r.user)+len(r.auth)+len(r.db)+len(r.plugin)+attributesSize(r.attributes), len(b))
		}
	})
}

func FuzzStmtExecute(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, mysql.MYSQL_TYPE_LONGLONG, 0x80, mysql.MYSQL_TYPE_VAR_STRING, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 'h', 'i'}, 2)
	f.Add([]byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, mysql.MYSQL_TYPE_DATETIME, 0, 11, 232, 7, 1, 2, 3, 4, 5, 6, 0, 0, 0}, 1)
	f.Add([]byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, mysql.MYSQL_TYPE_TIME, 0, 12, 1, 1, 0, 0, 0, 4, 5, 6, 1, 0, 0, 0}, 1)
	f.Fuzz(func(t *testing.T, b []byte, params int) {
		if params < 0 || params > 1<<16-1 {
			return
		}
		c := payloadReader{b: b}
		if _, err := parseExecuteHead(&c); err != nil {
			return
		}
		vals, types, err := decodeParams(&c, params, nil, nil, false)
		if err != nil {
			return
		}
		require.Len(t, vals, params)
		// What was taken can be sent back, and reads the same.
		for i, v := range vals {
			if v.IsNull() {
				continue
			}
			col := result.Column{Type: types[i].kind}
			packet, err := col.AppendBinary(nil, v)
			require.NoError(t, err)
			sent := payloadReader{b: packet}
			again, err := sent.param(types[i])
			require.NoError(t, err)
			require.Empty(t, sent.b)
			if v.Kind() != result.KindDate && v.Kind() != result.KindDatetime && v.Kind() != result.KindTime {
				require.Equal(t, v.AppendText(nil), again.AppendText(nil))
				continue
			}
			// Zeros that a client has written out are dropped.
			twice, err := col.AppendBinary(nil, again)
			require.NoError(t, err)
			require.Equal(t, packet, twice)
		}
	})
}

func FuzzRegisterSlave(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 1, 'h', 1, 'u', 1, 'p', 0xea, 0x0c, 0, 0, 0, 0, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRegisterSlave(b)
		if err != nil {
			return
		}
		again := binary.LittleEndian.AppendUint32(nil, r.ServerID)
		for _, text := range []string{r.Host, r.User, r.Password} {
			again = append(append(again, byte(len(text))), text...)
		}
		again = binary.LittleEndian.AppendUint16(again, r.Port)
		again = binary.LittleEndian.AppendUint32(append(again, 0, 0, 0, 0), r.MasterID)
		require.LessOrEqual(t, len(again), len(b))
		twice, err := parseRegisterSlave(again)
		require.NoError(t, err)
		require.Equal(t, r, twice)
	})
}

func FuzzBinlogDump(f *testing.F) {
	f.Add([]byte{4, 0, 0, 0, 2, 0, 2, 0, 0, 0, 'b', 'i', 'n', 'l', 'o', 'g', '.', '0', '0', '0', '0', '0', '1'})
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := parseBinlogDump(b)
		if err != nil {
			return
		}
		require.Equal(t, string(b[10:]), d.File)
		require.Equal(t, binary.LittleEndian.Uint32(b), d.Position)
		require.True(t, d.ServerID != 0 || d.NonBlock)
	})
}
