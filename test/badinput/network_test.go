package badinput

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// dial connects and reads the server's greeting.
func dial(t *testing.T, s *peer.Server) (net.Conn, []byte) {
	t.Helper()
	c, err := net.DialTimeout("tcp", s.Addr(), 5*time.Second)
	if err != nil {
		t.Fatalf("the server does not accept connections any more: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	greeting, _, err := readPacket(c)
	if err != nil {
		t.Fatalf("greeting: %v", err)
	}
	return c, greeting
}

func readPacket(c net.Conn) (payload []byte, seq byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return nil, 0, err
	}
	payload = make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err = io.ReadFull(c, payload)
	return payload, head[3], err
}

func packet(seq byte, payload []byte) []byte {
	n := len(payload)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}, payload...)
}

// response is a correct handshake response for root without a password.
func response() []byte {
	var b bytes.Buffer
	const capabilities = 0x0000_0200 | 0x0000_8000 | 0x0008_0000 // PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH
	_ = binary.Write(&b, binary.LittleEndian, uint32(capabilities))
	_ = binary.Write(&b, binary.LittleEndian, uint32(16<<20))
	b.WriteByte(45)
	b.Write(make([]byte, 23))
	b.WriteString("root\x00")
	b.WriteByte(0) // no password
	b.WriteString("mysql_native_password\x00")
	return b.Bytes()
}

// login gives a connection in the command phase.
func login(t *testing.T, s *peer.Server) net.Conn {
	t.Helper()
	c, _ := dial(t, s)
	if _, err := c.Write(packet(1, response())); err != nil {
		t.Fatal(err)
	}
	for {
		answer, seq, err := readPacket(c)
		if err != nil {
			t.Fatalf("answer to the handshake: %v", err)
		}
		switch answer[0] {
		case 0x00:
			return c
		case 0xFE: // another authentication method; an empty password needs no data
			if _, err := c.Write(packet(seq+1, nil)); err != nil {
				t.Fatal(err)
			}
		case 0x01:
		default:
			t.Fatalf("login was refused: %q", answer)
		}
	}
}

func requireAlive(t *testing.T, s *peer.Server) {
	t.Helper()
	if !s.Running() {
		t.Fatalf("the server ended with code %d", s.ExitCode())
	}
	db := s.DB("")
	defer db.Close()
	if got := peer.MustRows(t, db, "SELECT v FROM bad.t WHERE id=1"); len(got) != 1 || got[0] != `"kept"` {
		t.Fatalf("the row is now %v", got)
	}
}

func start(t *testing.T, o peer.Options) *peer.Server {
	t.Helper()
	s := peer.Start(t, o)
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE bad", "CREATE TABLE bad.t (id INT PRIMARY KEY, v VARCHAR(20))", "INSERT INTO bad.t VALUES (1,'kept')")
	return s
}

func TestBrokenHandshakes(t *testing.T) {
	s := start(t, peer.Options{})
	full := packet(1, response())
	inputs := map[string][]byte{
		"nothing":            {},
		"HTTP":               []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"wrong sequence":     packet(77, response()),
		"empty packet":       packet(1, nil),
		"length beyond data": {0xFF, 0xFF, 0xFF, 1, 'x'},
		"name not ended":     packet(1, append(response()[:32], bytes.Repeat([]byte{'a'}, 5000)...)),
		"password too long":  packet(1, append(append(response()[:32], "root\x00"...), 0xFE, 1, 2)),
		"zeroes":             packet(1, make([]byte, 4096)),
		"ones":               packet(1, bytes.Repeat([]byte{0xFF}, 4096)),
	}
	for n := 1; n < len(full); n += 3 {
		inputs[fmt.Sprintf("truncated at %d", n)] = full[:n]
		// The same bytes, but a length that says that this is all.
		inputs[fmt.Sprintf("shortened to %d", n)] = packet(1, response()[:min(n, len(response()))])
	}
	for name, in := range inputs {
		c, _ := dial(t, s)
		if _, err := c.Write(in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = c.(*net.TCPConn).CloseWrite()
		// The server answers with an error or hangs up; it must not keep waiting.
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}
	requireAlive(t, s)
}

func TestGarbageAfterLogin(t *testing.T) {
	s := start(t, peer.Options{})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	c := login(t, s)
	if _, err := c.Write(packet(0, []byte{0xF5, 1, 2, 3})); err != nil {
		t.Fatal(err)
	}
	answer, _, err := readPacket(c)
	if err != nil || len(answer) < 3 || answer[0] != 0xFF || binary.LittleEndian.Uint16(answer[1:]) != 1047 {
		t.Errorf("an unknown command was answered by %q, %v; want error 1047", answer, err)
	}
	for range peer.Scaled(300, 5000) {
		c := login(t, s)
		command := byte(rnd.IntN(0x20))
		if command == 0x08 { // COM_SHUTDOWN is no garbage
			continue
		}
		body := make([]byte, rnd.IntN(64))
		for i := range body {
			body[i] = byte(rnd.Uint32())
		}
		_, _ = c.Write(packet(0, append([]byte{command}, body...)))
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}
	requireAlive(t, s)
}

func TestUnauthenticatedConnectionsDoNotBlock(t *testing.T) {
	s := start(t, peer.Options{})
	for range 40 {
		dial(t, s) // and never say anything
	}
	requireAlive(t, s)
}
