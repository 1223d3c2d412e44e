package wire

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// prepare prepares a text and returns its number, with the definitions that follow.
func (c *rawClient) prepare(sql string) (id uint32, definitions []string) {
	c.t.Helper()
	head := c.command(mysql.COM_STMT_PREPARE, []byte(sql)...)
	require.Equal(c.t, byte(0), head[0], "%q", head)
	columns, params := int(binary.LittleEndian.Uint16(head[5:])), int(binary.LittleEndian.Uint16(head[7:]))
	for _, n := range []int{params, columns} {
		for i := 0; n > 0 && i <= n; i++ { // an EOF packet follows
			definitions = append(definitions, string(c.read()))
		}
	}
	return binary.LittleEndian.Uint32(head[1:]), definitions
}

// execute runs a statement with one parameter, and returns the answer's packets up to the end of its rows.
func (c *rawClient) execute(id uint32, kind byte, value ...byte) (packets []string) {
	c.t.Helper()
	arg := append(binary.LittleEndian.AppendUint32(nil, id), 0, 1, 0, 0, 0, 0, 1, kind, 0)
	c.start(mysql.COM_STMT_EXECUTE, append(arg, value...)...)
	for ends := 0; ends < 2; {
		p := c.read()
		require.NotEqual(c.t, byte(0xff), p[0], "%q", p)
		packets = append(packets, string(p))
		if p[0] == 0xfe {
			ends++
		}
	}
	return packets
}

const (
	definitionOfText    = "\x03def\x00\x00\x00\x01p\x00\x0c\x2d\x00\x00\x00\x00\x00\xfd\x00\x00\x00\x00\x00"
	definitionOfInteger = "\x03def\x00\x00\x00\x01p\x00\x0c\x2d\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00"
	eofOfColumns        = "\xfe\x00\x00\x02\x00" // autocommit
	eofPacket           = "\xfe\x00\x00\x00\x00"
)

// TestDefinitionsKept: executions get the same definitions whether they are made or kept, and others when the columns change.
func TestDefinitionsKept(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps, "")
	id, _ := c.prepare("echo ?")
	text := []string{"\x01", definitionOfText, eofOfColumns, "\x00\x00\x01x", eofPacket}
	number := []string{"\x01", definitionOfInteger, eofOfColumns, "\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00", eofPacket}
	for range 3 {
		require.Equal(t, text, c.execute(id, mysql.MYSQL_TYPE_STRING, 1, 'x'))
	}
	for range 2 {
		require.Equal(t, number, c.execute(id, mysql.MYSQL_TYPE_LONG, 7, 0, 0, 0))
		require.Equal(t, text, c.execute(id, mysql.MYSQL_TYPE_STRING, 1, 'x'))
	}
}

// TestCacheMetadata: a client that knows the definitions from before does not get them again; each column count says whether they follow.
// These are the bytes of MariaDB 10.11, but for the columns.
func TestCacheMetadata(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := dial(t, addr)
	response := responsePayload(testClientCaps, "root", nil, "", pluginNative)
	binary.LittleEndian.PutUint32(response[28:], mysql.MARIADB_CLIENT_CACHE_METADATA|1<<31)
	c.send(response)
	require.Equal(t, byte(0), c.read()[0])
	require.Equal(t, "\x01\x01", string(c.command(mysql.COM_QUERY, []byte("select 0")...)), "a text is told its columns each time")
	for range 3 {
		c.read()
	}
	id, _ := c.prepare("echo ?")
	text := []string{"\x01\x01", definitionOfText, eofOfColumns, "\x00\x00\x01x", eofPacket}
	known := []string{"\x01\x00", eofOfColumns, "\x00\x00\x01x", eofPacket}
	number := []string{"\x01\x01", definitionOfInteger, eofOfColumns, "\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00", eofPacket}
	require.Equal(t, text, c.execute(id, mysql.MYSQL_TYPE_STRING, 1, 'x'), "it was prepared with another column")
	require.Equal(t, known, c.execute(id, mysql.MYSQL_TYPE_STRING, 1, 'x'))
	require.Equal(t, number, c.execute(id, mysql.MYSQL_TYPE_LONG, 7, 0, 0, 0))
	require.Equal(t, text, c.execute(id, mysql.MYSQL_TYPE_STRING, 1, 'x'))
	require.Equal(t, byte(0), c.command(mysql.COM_STMT_RESET, byte(id), 0, 0, 0)[0])
	require.Equal(t, known, c.execute(id, mysql.MYSQL_TYPE_STRING, 1, 'x'), "COM_STMT_RESET changes no column")

	// A client of MySQL has something else in these bytes.
	c = dial(t, addr)
	response = responsePayload(testClientCaps|mysql.CLIENT_MYSQL, "root", nil, "", pluginNative)
	binary.LittleEndian.PutUint32(response[28:], mysql.MARIADB_CLIENT_CACHE_METADATA)
	c.send(response)
	require.Equal(t, byte(0), c.read()[0])
	require.Equal(t, "\x01", string(c.command(mysql.COM_QUERY, []byte("select 0")...)))
}
