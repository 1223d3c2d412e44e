package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// frame is a frame of data, deflated unless inflated is 0.
func frame(seq byte, data string, inflated int) []byte {
	if inflated > 0 {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = w.Write([]byte(data))
		_ = w.Close()
		data = b.String()
	}
	n := len(data)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq, byte(inflated), byte(inflated >> 8), byte(inflated >> 16)}, data...)
}

// loginCompressed logs in with compression.
func loginCompressed(t *testing.T, addr string) *rawClient {
	t.Helper()
	c := login(t, addr, testClientCaps|mysql.CLIENT_COMPRESS, "")
	c.conn.compress()
	c.conn.frames.answer = 0
	return c
}

func TestCompressed(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := loginCompressed(t, addr)
	for range 3 {
		require.Equal(t, byte(0), c.command(mysql.COM_PING)[0])
	}
	// Payloads of one packet and of several, which are compressed well, and which begin in one frame and end in another.
	for _, n := range []int{1, compressMin, 100_000, maxPayload - 5, maxPayload, 2 * maxPayload} {
		text := "len " + strings.Repeat("x", n)
		require.Equal(t, byte(0), c.command(mysql.COM_QUERY, []byte(text)...)[0])
		require.Equal(t, "\x01", string(c.command(mysql.COM_QUERY, []byte("blob "+itoa(n))...)))
		for range 2 {
			c.read()
		}
		require.GreaterOrEqual(t, len(c.read()), n)
		require.Equal(t, byte(0xfe), c.read()[0])
	}
	// More frames than their numbers count.
	require.Equal(t, "\x01", string(c.command(mysql.COM_QUERY, []byte("select 500000")...)))
	for ends := 0; ends < 2; {
		if c.read()[0] == 0xfe {
			ends++
		}
	}
	// A packet in pieces of frames, two commands in one frame, and an empty one.
	ping := "\x01\x00\x00\x00\x0e"
	send := func(b ...[]byte) {
		t.Helper()
		_, err := c.conn.Conn.Write(bytes.Join(b, nil))
		require.NoError(t, err)
		c.conn.resetSequence()
	}
	send(frame(0, ping[:3], 0), frame(1, "", 0), frame(2, ping[3:], 2))
	c.conn.frames.seq = 3
	require.Equal(t, byte(0), c.read()[0])
	send(frame(0, ping+ping, 10))
	c.conn.frames.seq = 1
	require.Equal(t, byte(0), c.read()[0])
	c.conn.frames.seq = 1
	require.Equal(t, byte(0), c.read()[0])
	require.Equal(t, byte(0), c.command(mysql.COM_PING)[0])
}

// TestCompressedLocalInfile: the client's frames go on counting where the server's have ended.
func TestCompressedLocalInfile(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps|mysql.CLIENT_COMPRESS|mysql.CLIENT_LOCAL_FILES, "")
	c.conn.compress()
	c.conn.frames.answer = 0
	require.Equal(t, "\xfbfile", string(c.command(mysql.COM_QUERY, []byte("load file")...)))
	c.send([]byte(strings.Repeat("line\n", 1000)))
	c.send(nil)
	require.Equal(t, "\x00\xfc\x88\x13", string(c.read()[:4]))
	require.Equal(t, byte(0), c.command(mysql.COM_PING)[0])
}

// TestCompressedBound: what is inflated counts for max_allowed_packet, and a frame has no more than it declares.
func TestCompressedBound(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := loginCompressed(t, addr)
	require.Equal(t, byte(0), c.command(mysql.COM_QUERY, []byte("set max_allowed_packet = 1024")...)[0])
	require.Equal(t, 1153, errorNumber(t, c.command(mysql.COM_QUERY, make([]byte, 1<<20)...)))
	require.Equal(t, byte(0), c.command(mysql.COM_PING)[0])
	text := "\x09\x00\x00\x00\x03select 1"
	for name, b := range map[string][]byte{
		"more than declared": frame(0, text+"more", len(text)),
		"less than declared": frame(0, text[:10], len(text)),
		"no zlib":            frame(0, text, 0)[:4],
		"wrong number":       frame(7, text, len(text)),
		"wrong checksum":     append(frame(0, text, len(text))[:len(frame(0, text, len(text)))-1], 'x'),
	} {
		if name == "no zlib" {
			b = append(b, byte(len(text)), 0, 0)
			b = append(b, text...)
		}
		t.Run(name, func(t *testing.T) {
			c := loginCompressed(t, addr)
			_, err := c.conn.Conn.Write(b)
			require.NoError(t, err)
			require.Eventually(t, func() bool { // an error may be told first
				_, err := c.conn.Conn.Read(make([]byte, 100))
				return err != nil
			}, hang, 1)
		})
	}
}

const hang = 30e9

// FuzzCompressed: no more bytes come out of frames than they declare, and what was written is read.
func FuzzCompressed(f *testing.F) {
	f.Add(append(frame(0, "abc", 0), frame(1, strings.Repeat("x", 300), 300)...))
	f.Add(frame(0, "abc", 2))
	f.Add([]byte{0, 0, 0, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		declared := 0
		for rest := b; len(rest) >= frameHead; {
			n := int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16
			if inflated := int(rest[4]) | int(rest[5])<<8 | int(rest[6])<<16; inflated > 0 {
				declared += inflated
			} else {
				declared += n
			}
			rest = rest[min(len(rest), frameHead+n):]
		}
		got, err := io.ReadAll(newCompressed(bufio.NewReader(bytes.NewReader(b)), nil, 0))
		require.LessOrEqual(t, len(got), declared)
		if err != nil && !errors.Is(err, errMalformed) && !errors.Is(err, errOutOfOrder) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
		var sent bytes.Buffer
		w := newCompressed(nil, &sent, 0)
		n, err := w.Write(b)
		require.NoError(t, err)
		require.Equal(t, len(b), n)
		back, err := io.ReadAll(newCompressed(bufio.NewReader(&sent), nil, 0))
		require.NoError(t, err)
		require.Equal(t, string(b), string(back))
	})
}
