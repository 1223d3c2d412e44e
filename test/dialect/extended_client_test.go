package dialect

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/duramendb/duramen/mysql"
)

// extendedClient speaks the protocol with MariaDB's extensions, packet by packet. Errors end the test.
type extendedClient struct {
	t    *testing.T
	conn net.Conn
	br   *bufio.Reader
	caps uint32
	ext  uint32 // MariaDB's extended capabilities that are used
	// offered is what the server has offered of these.
	offered uint32
	seq     byte
}

const extendedCaps = mysql.CLIENT_PROTOCOL_41 | mysql.CLIENT_SECURE_CONNECTION | mysql.CLIENT_MULTI_RESULTS | mysql.CLIENT_MULTI_STATEMENTS | mysql.CLIENT_PS_MULTI_RESULTS | mysql.CLIENT_TRANSACTIONS

// dialExtended logs in as root without a password.
func dialExtended(t *testing.T, addr string, caps, ext uint32) *extendedClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c := &extendedClient{t: t, conn: conn, br: bufio.NewReader(conn), caps: caps}
	greeting := c.packet()
	at := 1
	for greeting[at] != 0 {
		at++
	}
	// After the version: id, scramble, zero, capabilities, collation, status, capabilities, length, six bytes, MariaDB's capabilities.
	c.offered = binary.LittleEndian.Uint32(greeting[at+1+4+8+1+2+1+2+2+1+6:])
	c.ext = ext & c.offered
	b := binary.LittleEndian.AppendUint32(nil, caps)
	b = binary.LittleEndian.AppendUint32(b, 1<<24)
	b = append(b, 45)
	b = append(b, make([]byte, 19)...)
	b = binary.LittleEndian.AppendUint32(b, c.ext)
	b = append(append(b, "root"...), 0, 0)
	c.write(b)
	if p := c.packet(); p[0] != 0 {
		t.Fatalf("login: %q", p)
	}
	return c
}

func (c *extendedClient) write(payload []byte) {
	c.t.Helper()
	head := []byte{byte(len(payload)), byte(len(payload) >> 8), byte(len(payload) >> 16), c.seq}
	if _, err := c.conn.Write(append(head, payload...)); err != nil {
		c.t.Fatal(err)
	}
	c.seq++
}

// packet reads one packet, which has to be the next one.
func (c *extendedClient) packet() []byte {
	c.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(c.br, head[:]); err != nil {
		c.t.Fatal(err)
	}
	if head[3] != c.seq {
		c.t.Fatalf("packet %d where %d is the next", head[3], c.seq)
	}
	c.seq++
	p := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	if _, err := io.ReadFull(c.br, p); err != nil {
		c.t.Fatal(err)
	}
	return p
}

// send starts a command.
func (c *extendedClient) send(com byte, arg ...byte) {
	c.t.Helper()
	c.seq = 0
	c.write(append([]byte{com}, arg...))
}

func last(p []byte) bool { return p[0] == 0xff || p[0] == 0xfe && len(p) < 9 }

// endOfRows reports whether a packet is the last one of rows.
func (c *extendedClient) endOfRows(p []byte) bool {
	if c.caps&mysql.CLIENT_DEPRECATE_EOF != 0 {
		return p[0] == 0xff || p[0] == 0xfe
	}
	return last(p)
}

// answer reads the packets of an answer to a statement and words them. Of an answer with several results it reads all.
func (c *extendedClient) answer() []string {
	c.t.Helper()
	var out []string
	for more := true; more; {
		p := c.packet()
		out = append(out, word(p))
		if p[0] == 0 || p[0] == 0xff {
			more = p[0] == 0 && okStatus(p)&mysql.SERVER_MORE_RESULTS_EXISTS != 0
			continue
		}
		columns, told := int(p[0]), true
		if c.ext&mariadbCacheMetadata != 0 {
			told = p[1] == 1
		}
		if told {
			for range columns {
				out = append(out, fmt.Sprintf("%q", c.packet()))
			}
		}
		var status uint16
		if c.caps&mysql.CLIENT_DEPRECATE_EOF == 0 {
			p = c.packet()
			out = append(out, word(p))
			status = binary.LittleEndian.Uint16(p[3:])
		}
		if status&mysql.SERVER_STATUS_CURSOR_EXISTS != 0 {
			return out
		}
		for {
			p = c.packet()
			out = append(out, word(p))
			if c.endOfRows(p) {
				break
			}
		}
		more = false
		if p[0] == 0xfe {
			if c.caps&mysql.CLIENT_DEPRECATE_EOF != 0 {
				more = okStatus(p)&mysql.SERVER_MORE_RESULTS_EXISTS != 0
			} else {
				more = binary.LittleEndian.Uint16(p[3:])&mysql.SERVER_MORE_RESULTS_EXISTS != 0
			}
		}
	}
	return out
}

// word words a packet. Which index was used is nothing that a client needs, nor is it in the end of the columns that others follow.
func word(p []byte) string {
	if p[0] == 0xfe && (len(p) == 5 || len(p) == 7) {
		p[3] &^= byte(mysql.SERVER_QUERY_NO_INDEX_USED | mysql.SERVER_QUERY_NO_GOOD_INDEX_USED)
	}
	return fmt.Sprintf("%q", p)
}

// okStatus is the status of an OK packet.
func okStatus(p []byte) uint16 {
	at := 1
	for range 2 {
		switch p[at] {
		case 0xfc:
			at += 3
		case 0xfd:
			at += 4
		case 0xfe:
			at += 9
		default:
			at++
		}
	}
	return binary.LittleEndian.Uint16(p[at:])
}

// query runs a text.
func (c *extendedClient) query(sql string) []string {
	c.t.Helper()
	c.send(mysql.COM_QUERY, []byte(sql)...)
	return c.answer()
}

// prepare prepares a statement and returns its number with the packets after the first.
func (c *extendedClient) prepare(sql string) (id uint32, out []string) {
	c.t.Helper()
	c.send(mysql.COM_STMT_PREPARE, []byte(sql)...)
	p := c.packet()
	if p[0] != 0 {
		return 0, []string{fmt.Sprintf("%q", p)}
	}
	id = binary.LittleEndian.Uint32(p[1:])
	for _, n := range []uint16{binary.LittleEndian.Uint16(p[7:]), binary.LittleEndian.Uint16(p[5:])} {
		if n > 0 && c.caps&mysql.CLIENT_DEPRECATE_EOF == 0 {
			n++
		}
		for range n {
			out = append(out, fmt.Sprintf("%q", c.packet()))
		}
	}
	return id, out
}

// execute runs a prepared statement with integers.
func (c *extendedClient) execute(id uint32, flags byte, values ...int32) []string {
	c.t.Helper()
	b := append(binary.LittleEndian.AppendUint32(nil, id), flags, 1, 0, 0, 0)
	if len(values) > 0 {
		b = append(b, make([]byte, (len(values)+7)/8)...)
		b = append(b, 1)
		for range values {
			b = append(b, mysql.MYSQL_TYPE_LONG, 0)
		}
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	c.send(mysql.COM_STMT_EXECUTE, b...)
	return c.answer()
}

// fetch asks for rows of a cursor.
func (c *extendedClient) fetch(id, rows uint32) []string {
	c.t.Helper()
	c.send(mysql.COM_STMT_FETCH, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, id), rows)...)
	var out []string
	for {
		p := c.packet()
		out = append(out, word(p))
		if c.endOfRows(p) {
			return out
		}
	}
}

const (
	mariadbStmtBulkOperations = 1 << 2
	mariadbCacheMetadata      = 1 << 4
)
