package wire

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// open asks for a cursor over so many rows of a text.
func (c *rawClient) open(id uint32, text string, rows int) []byte {
	c.t.Helper()
	arg := append(binary.LittleEndian.AppendUint32(nil, id), mysql.CURSOR_TYPE_READ_ONLY, 1, 0, 0, 0, 0, 1, mysql.MYSQL_TYPE_STRING, 0, mysql.MYSQL_TYPE_LONG, 0)
	arg = binary.LittleEndian.AppendUint32(appendLenencBytes(arg, text), uint32(rows))
	return c.command(mysql.COM_STMT_EXECUTE, arg...)
}

// fetch asks for rows; it returns how many came, and the packet after them.
func (c *rawClient) fetch(id, count uint32) (rows int, end string) {
	c.t.Helper()
	p := c.command(mysql.COM_STMT_FETCH, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, id), count)...)
	for ; p[0] == 0; p = c.read() {
		rows++
	}
	return rows, string(p)
}

const (
	cursorOpen = "\xfe\x00\x00\x42\x00" // autocommit, a cursor
	cursorLast = "\xfe\x00\x00\x82\x00" // autocommit, the last row was sent
)

// TestCursor: the packets are those of MariaDB 10.11.
func TestCursor(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps, "")
	id, _ := c.prepare("echo ? ?")
	columns := func() {
		t.Helper()
		for range 2 {
			c.read()
		}
		require.Equal(t, "\xfe\x00\x00\x40\x00", string(c.read()), "the status that the query ended with, and a cursor")
	}
	noCursor := func() {
		t.Helper()
		_, end := c.fetch(id, 1)
		require.Equal(t, 1421, errorNumber(t, []byte(end)))
	}
	noCursor()
	require.Equal(t, "\x02", string(c.open(id, "x", 3)))
	columns()
	for _, step := range []struct {
		count uint32
		rows  int
		end   string
	}{{0, 0, cursorOpen}, {2, 2, cursorOpen}, {1, 1, cursorOpen}, {1, 0, cursorLast}} {
		rows, end := c.fetch(id, step.count)
		require.Equal(t, step.rows, rows)
		require.Equal(t, step.end, end)
	}
	noCursor()

	require.Equal(t, "\x02", string(c.open(id, strings.Repeat("x", 300), 2000))) // several blocks
	columns()
	rows, end := c.fetch(id, 1<<31)
	require.Equal(t, 2000, rows)
	require.Equal(t, cursorLast, end)

	// COM_STMT_RESET closes, and so does another execution, which begins from the start.
	require.Equal(t, "\x02", string(c.open(id, "x", 3)))
	columns()
	require.Equal(t, byte(0), c.command(mysql.COM_STMT_RESET, byte(id), 0, 0, 0)[0])
	noCursor()
	for range 2 {
		require.Equal(t, "\x02", string(c.open(id, "x", 3)))
		columns()
	}
	rows, end = c.fetch(id, 3)
	require.Equal(t, 3, rows)
	require.Equal(t, cursorOpen, end)
	require.Equal(t, 1835, errorNumber(t, c.command(mysql.COM_STMT_FETCH, byte(id), 0, 0, 0, 1)))
}

// TestCursorMemory: the rows of all cursors together are no more than the session may keep, and what is closed is given back.
func TestCursorMemory(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps, "")
	id, _ := c.prepare("echo ? ?")
	other, _ := c.prepare("echo ? ?")
	text := strings.Repeat("x", 1000)
	const half = keptMax / 2 / 1000
	for range 5 { // each takes the place of the one before
		require.Equal(t, "\x02", string(c.open(id, text, half)))
		for range 3 {
			c.read()
		}
		require.Equal(t, 1290, errorNumber(t, c.open(other, text, 2*half)))
	}
	c.start(mysql.COM_STMT_CLOSE, byte(id), 0, 0, 0)
	require.Equal(t, "\x02", string(c.open(other, text, half)))
	for range 3 {
		c.read()
	}
	rows, end := c.fetch(other, half+1)
	require.Equal(t, half, rows)
	require.Equal(t, cursorLast, end)
}
