package commandfuzz

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/test/peer"
)

// clients work at the same time; each draws from a source of its own.
const clients = 2

func setting[T any](t *testing.T, name string, otherwise T, parse func(string) (T, error)) T {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	v, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestCommands(t *testing.T) {
	duration := setting(t, "DURATION", 3*time.Second, time.ParseDuration)
	seed := setting(t, "SEED", 1, strconv.Atoi)
	g := newGrammar(t)
	s := peer.Start(t, peer.Options{Args: []string{"--max-connections=50"}, Env: []string{"GOMEMLIMIT=2GiB"}})
	db := s.DB("")
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range setup {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	found := panics{lines: map[string]bool{}, seen: map[string][][]string{}}
	end := time.Now().Add(duration)
	var all sync.WaitGroup
	for i := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			c := fuzzer{t: t, s: s, grammar: g, log: logReader{path: s.Log, found: &found}}
			c.Rand = rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			for time.Now().Before(end) && !t.Failed() {
				c.round()
			}
		}()
	}
	all.Wait()
	found.others(s.LogTail(1 << 30))
	if panics := found.String(); panics != "" {
		t.Errorf("recovered panics (SEED=%d):\n%s", seed, panics)
	}
	if !t.Failed() {
		s.Stop()
	}
}

// fuzzer is one client.
type fuzzer struct {
	grammar
	t    *testing.T
	s    *peer.Server
	log  logReader
	sent []string // the statements of this round
}

// round is one connection.
func (f *fuzzer) round() {
	f.sent = nil
	var packets [][]byte
	if f.IntN(8) == 0 {
		packets = f.brokenLogin()
	} else {
		packets = append(packets, packet(1, loginPacket(f.pick("f", "f", "f", "", "nothing"))))
		for range 1 + f.IntN(12) {
			packets = append(packets, f.command())
		}
	}
	packets = append(packets, packet(0, []byte{mysql.COM_QUIT}))
	if len(packets) > 2 && f.IntN(5) == 0 {
		packets[0][4] |= byte(mysql.CLIENT_COMPRESS)
		for i := range packets[1:] {
			packets[i+1] = f.frame(packets[i+1])
		}
	}
	if f.IntN(4) == 0 { // cut off anywhere
		last := packets[len(packets)-2]
		packets = append(packets[:len(packets)-2], last[:f.IntN(len(last))])
	}
	id, err := converse(f.s.Addr(), packets)
	if !f.s.Running() {
		f.t.Errorf("the server has ended. The last statements:\n%q", f.sent)
	} else if err != nil {
		f.t.Errorf("%v. The statements of this connection:\n%q", err, f.sent)
	}
	if err := f.log.look(id, f.sent); err != nil {
		f.t.Error(err)
	}
}

// brokenLogin is an answer to the greeting that is not right, and what may follow it.
func (f *fuzzer) brokenLogin() [][]byte {
	b := loginPacket("f")
	for range 1 + f.IntN(4) {
		switch f.IntN(3) {
		case 0:
			b[f.IntN(len(b))] = byte(f.IntN(256))
		case 1:
			b = b[:1+f.IntN(len(b))]
		case 2:
			b = append(b, f.bytes(200)...)
		}
	}
	return [][]byte{packet(byte(f.IntN(3)), b), packet(3, f.bytes(40)), f.command()}
}

// frame is a packet in a frame of the compressed protocol, which now and then is not right.
func (f *fuzzer) frame(p []byte) []byte {
	data, inflated := p, 0
	if f.IntN(2) == 0 {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = w.Write(p)
		_ = w.Close()
		data, inflated = b.Bytes(), len(p)
	}
	if f.IntN(10) == 0 {
		inflated += f.IntN(1 << 20)
	}
	n := len(data)
	out := append([]byte{byte(n), byte(n >> 8), byte(n >> 16), 0, byte(inflated), byte(inflated >> 8), byte(inflated >> 16)}, data...)
	if f.IntN(10) == 0 {
		out[f.IntN(len(out))] = byte(f.IntN(256))
	}
	return out
}

func (f *fuzzer) bytes(most int) []byte {
	b := make([]byte, f.IntN(most))
	for i := range b {
		b[i] = byte(f.IntN(256))
		if f.IntN(3) == 0 {
			b[i] = 0
		}
	}
	return b
}

// command is one command packet.
func (f *fuzzer) command() []byte {
	com := func(n byte, arg ...byte) []byte { return packet(0, append([]byte{n}, arg...)) }
	id := binary.LittleEndian.AppendUint32(nil, uint32(f.IntN(4)))
	switch f.IntN(20) {
	case 9:
		return com(mysql.COM_STMT_BULK_EXECUTE, append(id, f.sets()...)...)
	case 0:
		n := byte(f.IntN(256))
		if f.IntN(2) == 0 {
			n = byte(f.IntN(34))
		}
		if n == mysql.COM_SHUTDOWN || n == mysql.COM_PROCESS_KILL {
			n = 0
		}
		return com(n, f.bytes(60)...)
	case 1:
		s := f.statement()
		f.sent = append(f.sent, s)
		return com(mysql.COM_STMT_PREPARE, []byte(s)...)
	case 2, 3:
		return com(mysql.COM_STMT_EXECUTE, append(id, f.execution()...)...)
	case 4:
		return com(mysql.COM_STMT_SEND_LONG_DATA, append(id, f.bytes(30)...)...)
	case 5:
		return com(f.pick(string(rune(mysql.COM_STMT_CLOSE)), string(rune(mysql.COM_STMT_RESET)), string(rune(mysql.COM_STMT_FETCH)))[0], append(id, f.bytes(8)...)...)
	case 6:
		return com(mysql.COM_CHANGE_USER, []byte(f.pick("root\x00\x00f\x00\x2d\x00mysql_native_password\x00", "nobody\x00\x00\x00", string(f.bytes(60))))...)
	case 7:
		return com(f.pick(string(rune(mysql.COM_FIELD_LIST)), string(rune(mysql.COM_INIT_DB)))[0], []byte(f.pick("t0\x00", "t1\x00%", "f", "v0\x00a", string(f.bytes(20))))...)
	case 8:
		return com([]byte{mysql.COM_RESET_CONNECTION, mysql.COM_STATISTICS, mysql.COM_PROCESS_INFO, mysql.COM_SET_OPTION, mysql.COM_BINLOG_DUMP, mysql.COM_BINLOG_DUMP_GTID, 21, 13, 14}[f.IntN(9)], f.bytes(30)...)
	}
	s := f.statement()
	f.sent = append(f.sent, s)
	return com(mysql.COM_QUERY, []byte(s)...)
}

// sets is what follows the statement's id in COM_STMT_BULK_EXECUTE: flags, types, and for each value what it is.
func (f *fuzzer) sets() []byte {
	b := []byte{f.pick("\x80", "\x80", "\x80", "\x00", "\xc0")[0], 0}
	n := f.IntN(4)
	for range n {
		b = append(b, f.pick("\x01", "\x03", "\xfd", "\x0c")[0], byte(f.IntN(2)*128))
	}
	for range n * f.IntN(5) {
		b = append(b, f.pick("\x01", "\x02", "\x03", "\x00\x01", "\x00\x02\x00\x00\x00", "\x00\x00")...)
	}
	return append(b, f.bytes(4)...)
}

// execution is what follows the statement's id in COM_STMT_EXECUTE: flags, iterations, NULLs, types and values.
func (f *fuzzer) execution() []byte {
	b := []byte{f.pick("\x00", "\x00", "\x01", "\x80")[0], 1, 0, 0, 0}
	if f.IntN(3) == 0 {
		return append(b, f.bytes(60)...)
	}
	n := f.IntN(4)
	b = append(b, byte(f.IntN(8)), 1)
	for range n {
		b = append(b, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 245, 246, 252, 253, 254}[f.IntN(20)], byte(f.IntN(2)*128))
	}
	return append(b, f.bytes(60)...)
}
