package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
)

// loginExtended logs in as root with MariaDB's extended capabilities.
func loginExtended(t *testing.T, addr string, extended uint32) *rawClient {
	t.Helper()
	c := dial(t, addr)
	response := responsePayload(testClientCaps, "root", nil, "", pluginNative)
	binary.LittleEndian.PutUint32(response[28:], extended)
	c.send(response)
	require.Equal(t, byte(0), c.read()[0])
	return c
}

// bulk sends COM_STMT_BULK_EXECUTE and returns its answer.
func (c *rawClient) bulk(id uint32, flags uint16, rest string) []byte {
	c.t.Helper()
	arg := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint32(nil, id), flags)
	return c.command(mysql.COM_STMT_BULK_EXECUTE, append(arg, rest...)...)
}

// TestBulkExecute: the errors are those of MariaDB 10.11.
func TestBulkExecute(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := loginExtended(t, addr, mysql.MARIADB_CLIENT_STMT_BULK_OPERATIONS)
	id, _ := c.prepare("echo ? ?")
	const types = "\x03\x00\xfd\x00"
	require.Equal(t, 1210, errorNumber(t, c.bulk(id, 0, "\x00\x51\x00\x00\x00\x00\x01x")), "no types were sent")
	require.Equal(t, "\x00\x03\x07\x00\x00\x00\x00", string(c.bulk(id, bulkSendTypes, types+"\x00\x01\x00\x00\x00\x00\x01x"+"\x01\x01"+"\x02\x03")))
	require.Equal(t, "\x00\x01\x00\x00\x00\x00\x00", string(c.bulk(id, 0, "\x00\x51\x00\x00\x00\x00\x01x")), "the types of before")
	for name, tc := range map[string]struct {
		flags uint16
		rest  string
		want  int
	}{
		"no set":             {bulkSendTypes, types, 1210},
		"half of the types":  {bulkSendTypes, types[:3], 1835},
		"half of a set":      {bulkSendTypes, types + "\x00\x51\x00\x00\x00\x00\x01x" + "\x00\x51", 1210},
		"an unknown mark":    {bulkSendTypes, types + "\x00\x51\x00\x00\x00\x07\x01x", 1210},
		"result of each set": {bulkSendTypes | 64, types + "\x01\x01", 1295},
		"unknown flag":       {bulkSendTypes | 1, types + "\x01\x01", 1295},
		"unknown type":       {bulkSendTypes, "\xf5\x00\xfd\x00" + "\x00\x51\x00\x00\x00\x00\x01x", 1210},
	} {
		require.Equal(t, tc.want, errorNumber(t, c.bulk(id, tc.flags, tc.rest)), name)
	}
	require.Equal(t, 1243, errorNumber(t, c.bulk(id+1, bulkSendTypes, types)))
	require.Equal(t, 1835, errorNumber(t, c.command(mysql.COM_STMT_BULK_EXECUTE, 1, 0, 0)))
	none, _ := c.prepare("echo")
	require.Equal(t, 1295, errorNumber(t, c.bulk(none, bulkSendTypes, "")))
	other := login(t, addr, testClientCaps, "")
	id, _ = other.prepare("echo ? ?")
	require.Equal(t, 1295, errorNumber(t, other.bulk(id, bulkSendTypes, types+"\x01\x01")), "not a client that has the capability")
}

// FuzzStmtBulkExecute: there are no more sets than bytes, and every value was sent.
func FuzzStmtBulkExecute(f *testing.F) {
	f.Add([]byte("\x03\x00\xfd\x00\x00\x01\x00\x00\x00\x00\x01x\x01\x01\x02\x03"), uint8(2), uint16(128))
	f.Add([]byte("\x00\x01"), uint8(1), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, params uint8, flags uint16) {
		s := &stmt{Stmt: &query.Stmt{ParamCount: int(params)}}
		sets, err := s.sets(&payloadReader{b: b}, flags, false)
		if err != nil {
			return
		}
		rest := len(b) - 2*int(params)
		for {
			values, marks, err := sets()
			if errors.Is(err, io.EOF) {
				require.GreaterOrEqual(t, rest, 0)
				return
			}
			if err != nil {
				_, _, again := sets()
				require.Error(t, again, "nothing follows an error")
				require.NotErrorIs(t, again, io.EOF)
				return
			}
			require.Len(t, values, int(params))
			for i := range values {
				require.True(t, marks[i] == query.MarkValue || values[i].IsNull())
				rest -= 1 + len(values[i].Raw())
			}
		}
	})
}

// The number -1 is the statement that was prepared last, for clients that do not wait for its number.
func TestLastStatement(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := loginExtended(t, addr, mysql.MARIADB_CLIENT_STMT_BULK_OPERATIONS)
	const set = "\x03\x00\xfd\x00" + "\x00\x51\x00\x00\x00\x00\x01x"
	require.Equal(t, 1243, errorNumber(t, c.bulk(lastStmt, bulkSendTypes, set)), "there is none")
	first, _ := c.prepare("echo ? ?")
	require.Equal(t, byte(0), c.bulk(lastStmt, bulkSendTypes, set)[0])
	second, _ := c.prepare("echo")
	require.Equal(t, 1295, errorNumber(t, c.bulk(lastStmt, bulkSendTypes, "")), "the one without parameters")
	require.Equal(t, byte(0), c.bulk(first, bulkSendTypes, set)[0])
	c.start(mysql.COM_STMT_CLOSE, 0xff, 0xff, 0xff, 0xff)
	require.Equal(t, 1243, errorNumber(t, c.bulk(second, bulkSendTypes, "")), "it is closed")
	require.Equal(t, 1243, errorNumber(t, c.bulk(lastStmt, bulkSendTypes, "")))
	c.prepare("echo ? ?")
	require.Equal(t, 1064, errorNumber(t, c.command(mysql.COM_STMT_PREPARE, []byte("fail")...)))
	require.Equal(t, 1243, errorNumber(t, c.bulk(lastStmt, bulkSendTypes, set)), "the last one has failed")
}
