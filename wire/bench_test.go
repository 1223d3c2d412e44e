package wire

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"testing"

	"github.com/duramendb/duramen/mysql"
)

// benchClient sends commands that were made before, and reads answers whose length is known: it costs next to nothing itself.
type benchClient struct {
	b    *testing.B
	conn net.Conn
	in   []byte
}

func newBenchClient(b *testing.B) *benchClient {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := NewServer(newFakeBackend(), Options{Logger: slog.New(slog.DiscardHandler)})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = conn.Close()
		_ = s.Shutdown(context.Background())
		<-served
	})
	c := &benchClient{b: b, conn: conn, in: make([]byte, 1<<16)}
	c.packet()
	response := responsePayload(testClientCaps|mysql.CLIENT_DEPRECATE_EOF, "root", nil, "", pluginNative)
	c.write(append([]byte{byte(len(response)), 0, 0, 1}, response...))
	c.packet()
	return c
}

// command is the packet of a command.
func benchCommand(com byte, arg ...byte) []byte {
	return append([]byte{byte(len(arg) + 1), 0, 0, 0, com}, arg...)
}

func (c *benchClient) write(p []byte) {
	if _, err := c.conn.Write(p); err != nil {
		c.b.Fatal(err)
	}
}

// packet reads one packet and returns its payload.
func (c *benchClient) packet() []byte {
	if _, err := io.ReadFull(c.conn, c.in[:4]); err != nil {
		c.b.Fatal(err)
	}
	n := int(c.in[0]) | int(c.in[1])<<8 | int(c.in[2])<<16
	if _, err := io.ReadFull(c.conn, c.in[:n]); err != nil {
		c.b.Fatal(err)
	}
	return c.in[:n]
}

// answers reads until the n-th packet of an answer, and returns how many bytes these were.
func (c *benchClient) answers(n int) (size int) {
	for range n {
		size += 4 + len(c.packet())
	}
	return size
}

func (c *benchClient) run(command []byte, packets int) {
	c.write(command)
	size := c.answers(packets)
	c.b.ReportAllocs()
	for c.b.Loop() {
		c.write(command)
		if _, err := io.ReadFull(c.conn, c.in[:size]); err != nil {
			c.b.Fatal(err)
		}
	}
}

func BenchmarkPing(b *testing.B) {
	newBenchClient(b).run(benchCommand(mysql.COM_PING), 1)
}

// BenchmarkExecute runs a prepared statement whose parameters and columns are of the same types each time.
func BenchmarkExecute(b *testing.B) {
	for name, tc := range map[string]struct {
		text   string
		values []byte
		types  []byte
	}{
		"an integer":   {"echo ?", []byte{7, 0, 0, 0}, []byte{mysql.MYSQL_TYPE_LONG, 0}},
		"three texts":  {"echo ? ? ?", []byte("\x05texts\x05texts\x05texts"), []byte{mysql.MYSQL_TYPE_STRING, 0, mysql.MYSQL_TYPE_STRING, 0, mysql.MYSQL_TYPE_STRING, 0}},
		"no parameter": {"echo", nil, nil},
	} {
		b.Run(name, func(b *testing.B) {
			c := newBenchClient(b)
			c.write(benchCommand(mysql.COM_STMT_PREPARE, []byte(tc.text)...))
			head := c.packet()
			id, params := binary.LittleEndian.Uint32(head[1:]), int(binary.LittleEndian.Uint16(head[7:]))
			c.answers(2 * params)
			arg := append(binary.LittleEndian.AppendUint32(nil, id), 0, 1, 0, 0, 0)
			if params > 0 {
				arg = append(append(append(arg, 0, 1), tc.types...), tc.values...)
			}
			c.run(benchCommand(mysql.COM_STMT_EXECUTE, arg...), 1+params+2)
		})
	}
}
