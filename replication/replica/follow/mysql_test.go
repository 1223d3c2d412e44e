package follow

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mysqlclient "github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// mysqlServer is a MySQL as far as a replica sees one. It is called by one connection after the other.
type mysqlServer struct {
	mode string // gtid_mode; empty: it does not know it
	log  *script
	// refuses, if not nil, is the answer to those who ask for the log.
	refuses []byte
	key     *rsa.PrivateKey
	config  *tls.Config

	mu    sync.Mutex
	asked []string
	login string // "tls", or "plain"
}

// start lets it listen, and gives the options of its replica. The account has caching_sha2_password, and nothing is cached.
func (m *mysqlServer) start(t *testing.T) Options {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	m.key, m.config = key, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			m.serve(&mysqlConn{Conn: conn})
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return Options{Settings: primary.Settings{Host: "127.0.0.1", Port: uint16(l.Addr().(*net.TCPAddr).Port), User: "repl", Password: "secret"}, ServerID: 2, NetTimeout: atMost}
}

// mysqlConn carries packets.
type mysqlConn struct {
	net.Conn
	sequence byte
	err      error
}

func (c *mysqlConn) read() []byte {
	var header [packetHeader]byte
	if _, err := io.ReadFull(c.Conn, header[:]); err != nil {
		c.err = err
		return nil
	}
	c.sequence = header[3] + 1
	b := make([]byte, size(header[:]))
	if _, err := io.ReadFull(c.Conn, b); err != nil {
		c.err = err
	}
	return b
}

func (c *mysqlConn) write(b ...byte) {
	if _, err := c.Conn.Write(append([]byte{byte(len(b)), byte(len(b) >> 8), byte(len(b) >> 16), c.sequence}, b...)); err != nil && c.err == nil {
		c.err = err
	}
	c.sequence++
}

var okPacket = []byte{packetOK, 0, 0, 2, 0, 0, 0}

func errPacket(number uint16, text string) []byte {
	return append(append([]byte{packetError, byte(number), byte(number >> 8)}, "#HY000"...), text...)
}

// serve serves a connection until its end.
func (m *mysqlServer) serve(c *mysqlConn) {
	defer func() { _ = c.Conn.Close() }()
	if !m.logIn(c) {
		return
	}
	for c.err == nil {
		b := c.read()
		if len(b) == 0 {
			return
		}
		switch b[0] {
		case 3:
			m.query(c, string(b[1:]))
		case comRegisterSlave:
			c.write(okPacket...)
		case comBinlogDump:
			m.send(c, fmt.Sprintf("place (%s, %d)", b[11:], binary.LittleEndian.Uint32(b[1:])))
		case comBinlogDumpGTID:
			// Another implementation decodes it.
			set, err := mysqlclient.DecodeMysqlGTIDSet(b[23:])
			if err != nil || int(binary.LittleEndian.Uint32(b[19:])) != len(b)-23 {
				m.send(c, fmt.Sprintf("unreadable set %x: %v", b, err))
				continue
			}
			m.send(c, "set "+set.String())
		default:
			return
		}
	}
}

// logIn wants the password itself, as a server does that has it not in its cache: over TLS, or encrypted for its key.
func (m *mysqlServer) logIn(c *mysqlConn) bool {
	const nonce, capabilities = "abcdefghijklmnopqrst", 0x00080000 | 0x8000 | 0x2000 | 0x0800 | 0x0200 | 0x0004 | 0x0001
	greeting := append([]byte{10}, mysqlVersion+"\x00\x05\x00\x00\x00"+nonce[:8]+"\x00"...)
	greeting = append(greeting, capabilities&0xff, capabilities>>8&0xff, 45, 2, 0, capabilities>>16&0xff, capabilities>>24, 21)
	greeting = append(append(greeting, make([]byte, 10)...), nonce[8:]+"\x00caching_sha2_password\x00"...)
	c.write(greeting...)
	login := "plain"
	if b := c.read(); len(b) == 32 {
		login, c.Conn = "tls", tls.Server(c.Conn, m.config)
		c.read()
	}
	c.write(1, 4) // the password is not in the cache
	password := c.read()
	if login == "plain" {
		if len(password) != 1 || password[0] != 2 {
			c.write(errPacket(1045, "Access denied: the password came without encryption")...)
			return false
		}
		der, err := x509.MarshalPKIXPublicKey(&m.key.PublicKey)
		if err != nil {
			return false
		}
		c.write(append([]byte{1}, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})...)...)
		if password, err = rsa.DecryptOAEP(sha1.New(), nil, m.key, c.read(), nil); err != nil {
			c.write(errPacket(1045, "Access denied: "+err.Error())...)
			return false
		}
		for i := range password {
			password[i] ^= nonce[i%len(nonce)]
		}
	}
	if string(password) != "secret\x00" {
		c.write(errPacket(1045, "Access denied")...)
		return false
	}
	m.mu.Lock()
	m.login = login
	m.mu.Unlock()
	c.write(okPacket...)
	return true
}

// query answers with one column, or that it does not know the variable.
func (m *mysqlServer) query(c *mysqlConn, q string) {
	value := ""
	switch {
	case q == "SELECT UNIX_TIMESTAMP()":
		value = strconv.FormatInt(time.Now().Unix(), 10)
	case q == "SHOW VARIABLES LIKE 'SERVER_ID'":
		value = "3"
	case q == "SELECT @master_binlog_checksum":
		value = "CRC32"
	case q == "SELECT @@GLOBAL.gtid_mode":
		value = m.mode
	case strings.HasPrefix(q, "SET "):
		c.write(okPacket...)
		return
	}
	if value == "" {
		c.write(errPacket(erUnknownSystemVariable, "Unknown system variable")...)
		return
	}
	c.write(1)
	c.write(append([]byte("\x03def\x00\x00\x00\x01c\x00\x0c\x2d\x00\x00\x01\x00\x00"), 0xfd, 0, 0, 0, 0, 0)...)
	c.write(packetEOF, 0, 0, 2, 0)
	c.write(append([]byte{byte(len(value))}, value...)...)
	c.write(packetEOF, 0, 0, 2, 0)
}

// send sends the log, and then nothing.
func (m *mysqlServer) send(c *mysqlConn, asked string) {
	m.mu.Lock()
	m.asked = append(m.asked, asked)
	m.mu.Unlock()
	if m.refuses != nil {
		c.write(m.refuses...)
		return
	}
	if _, err := c.Conn.Write(m.log.b); err != nil {
		c.err = err
	}
}

const executedText = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7,4f22fa47-71ca-11e1-9e33-c80aa9429562:9"

func executed(t *testing.T) gtid.Set {
	set, err := gtid.ParseSet(executedText)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The command has the fields that MySQL describes (COM_BINLOG_DUMP_GTID), in their order.
func TestDumpSetCommand(t *testing.T) {
	got := hex.EncodeToString(dumpSetCommand(&Options{ServerID: 0x01020304, Executed: gtid.Set{{0xaa}: {{Start: 1, End: 6}}}}))
	want := "00000000" + "1e" + "0400" + "04030201" + "00000000" + "0400000000000000" + "30000000" +
		"0100000000000000" + "aa000000000000000000000000000000" + "0100000000000000" + "0100000000000000" + "0600000000000000"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What a MySQL is asked for, by its gtid_mode and the settings, over TLS and with the password encrypted for its RSA key.
func TestMySQL(t *testing.T) {
	place := primary.Place{File: "log.000007", Pos: 500}
	for _, c := range []struct {
		name, mode string
		with       func(*Options)
		asked      string
		noted      string // in the server's log
	}{
		{"set", "ON", nil, "set " + executedText, ""},
		{"nothing executed", "on", func(o *Options) { o.Executed = nil }, "set ", ""},
		{"current_pos", "ON", func(o *Options) { o.Settings.GTID = primary.CurrentPos }, "set " + executedText, ""},
		{"set in spite of a place", "ON", func(o *Options) { o.Settings.Place, o.Settings.BySet = place, true }, "set " + executedText, ""},
		{"place of before", "ON", func(o *Options) { o.Settings.Place = place }, "place (log.000007, 500)", "CHANGE MASTER TO MASTER_USE_GTID=slave_pos changes to it"},
		{"no GTIDs wanted", "ON", func(o *Options) { o.Settings.Place, o.Settings.GTID = place, primary.NoGTID }, "place (log.000007, 500)", ""},
		{"off", "OFF_PERMISSIVE", func(o *Options) { o.Settings.Place, o.Settings.BySet = place, true }, "place (log.000007, 500)", "gtid_mode is OFF_PERMISSIVE, and not ON"},
		{"old", "", func(o *Options) { o.Settings.Place = place }, "place (log.000007, 500)", "Falling back to Using_Gtid=No because master does not support GTIDs"},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, TLS %t", c.name, secure), func(t *testing.T) {
				m := &mysqlServer{mode: c.mode, log: begun(mysqlVersion, 0)}
				m.log.mysqlGTID(event.MySQLGTID)
				m.log.query("BEGIN")
				m.log.rows(1)
				m.log.event(event.AppendXID(nil, meta, 1))
				o := m.start(t)
				o.Executed, o.Settings.TLS.On = executed(t), secure
				var notes bytes.Buffer
				o.Logger = slog.New(slog.NewTextHandler(&notes, nil))
				if c.with != nil {
					c.with(&o)
				}
				conn := connect(t, o)
				part, err := nextGroup(t.Context(), conn)
				if err != nil || part.MySQL != (gtid.MySQL{Source: gtid.UUID{7}, Number: 1}) || part.Place != (primary.Place{File: "log.000001", Pos: m.log.pos}) {
					t.Errorf("got %+v, %v", part, err)
				}
				bySet := strings.HasPrefix(c.asked, "set")
				if info := conn.Info(); info.Flavor != MySQL || info.GTID != bySet || info.Set != bySet {
					t.Errorf("%+v", info)
				}
				m.mu.Lock()
				defer m.mu.Unlock()
				if len(m.asked) != 1 || m.asked[0] != c.asked || m.login != map[bool]string{true: "tls", false: "plain"}[secure] {
					t.Errorf("asked for %q by %s, want %q", m.asked, m.login, c.asked)
				}
				if !strings.Contains(notes.String(), c.noted) || c.noted == "" && strings.Contains(notes.String(), "Falling back") {
					t.Errorf("noted %s, want %s", &notes, c.noted)
				}
			})
		}
	}
}

func nextGroup(ctx context.Context, c *Conn) (*primary.Part, error) {
	for {
		p, err := c.Next(ctx)
		if err != nil || p.Kind == primary.Group {
			return p, err
		}
	}
}

// Compressed transactions give the groups that others give, in parts if they are large, and one that is not what it says of itself gives none.
func TestPayload(t *testing.T) {
	rows := func(n ...int) *script {
		inner := &script{}
		inner.query("BEGIN")
		for _, n := range n {
			inner.rows(n)
		}
		return inner
	}
	ended := func(inner *script) *script {
		inner.event(event.AppendXID(nil, meta, 1))
		return inner
	}
	const half = primary.PartBytes/2 - 1000
	for _, c := range []struct {
		name   string
		inner  *script
		more   int
		want   string
		number uint16
		text   string
	}{
		{"rows", ended(rows(1, 2)), 0, "7-1:TWTWX 7-2:TWX", crServerLost, ""},
		{"large", ended(rows(half, half, half, half)), 0, "7-1:TWTWTW+ 7-1:+TWX 7-2:TWX", crServerLost, ""},
		{"no end", rows(1), 0, "", erUnreadable, "without its end"},
		{"more than it says", ended(rows(1)), -1, "", erUnreadable, "ends within an event"},
		{"less than it says", ended(rows(1)), 1, "7-1:TWX", erUnreadable, "ends within an event"},
		{"two transactions", ended(rows(1, 1)).also(ended(rows(1))), 0, "7-1:TWTWX", erSlaveFatal, "does not belong to a transaction"},
		{"one in the other", func() *script { s := rows(1); s.payload(ended(rows(1)), 0); return s }(), 0, "", erUnreadable, "Transaction_payload"},
		{"large event", ended(rows(9 << 20)), 0, "", erNetPacketTooLarge, "Got a packet bigger than 'slave_max_allowed_packet' bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, semiSync := range []bool{false, true} {
				s := &script{semiSync: semiSync}
				s.start(mysqlVersion, 0)
				s.mysqlGTID(event.MySQLGTID)
				s.payload(c.inner, c.more)
				s.mysqlGTID(event.MySQLGTID)
				s.query("BEGIN")
				s.rows(1)
				s.event(event.AppendXID(nil, meta, 2))
				_, parts, err := received(t, s, func(o *Options, _ *canned) { o.MaxPacket = 8 << 20 })
				parts = slices.DeleteFunc(parts, isMoved)
				if got := summary(parts); got != c.want || err.Number != c.number || !strings.Contains(err.Text, c.text) {
					t.Fatalf("got %s, %v, want %s, %d %s", got, err, c.want, c.number, c.text)
				}
				for _, p := range parts {
					if p.MySQL.Number == 1 && p.Last && (p.Acknowledge != nil) != semiSync {
						t.Errorf("semi-sync %t, but the part has an acknowledgement: %t", semiSync, !semiSync)
					}
					if p.MySQL.Number == 2 && p.Place.Pos != s.pos || p.Bytes == 0 && p.First {
						t.Errorf("%+v", p)
					}
				}
			}
		})
	}
	s := begun(mysqlVersion, 0)
	s.payload(ended(rows(1)), 0)
	_, _, err := received(t, s, nil)
	wantError(t, err, erSlaveFatal, false, "does not belong to a transaction that begins with a GTID")
}

// also is what one script has sent and then the other.
func (s *script) also(other *script) *script { return &script{b: append(bytes.Clone(s.b), other.b...)} }

// The password is checked, by each of the ways that it goes.
func TestMySQLPassword(t *testing.T) {
	o := (&mysqlServer{log: &script{}}).start(t)
	o.Settings.Password = "wrong"
	for _, o.Settings.TLS.On = range []bool{false, true} {
		_, err := Connect(t.Context(), o)
		wantError(t, err, 1045, true, "Access denied")
	}
}

// What a MySQL has purged, or somebody else's error, and what to do about it. UNTIL a MariaDB GTID has no end in a MySQL's log.
func TestMySQLRefuses(t *testing.T) {
	const text = "Cannot replicate because the source purged required binary logs. The missing transactions are 'x:1-5'"
	for text, remedy := range map[string]string{text: ". Make this replica anew from a dump of the primary, and SET GLOBAL gtid_purged", "something else": "'"} {
		m := &mysqlServer{mode: "ON", log: &script{}, refuses: errPacket(erMasterFatal, text)}
		_, err := connect(t, m.start(t)).Next(t.Context())
		wantError(t, err, erMasterFatal, false, "Got fatal error 1236 from master when reading data from binary log: '"+text+"'")
		if !strings.Contains(err.Error(), remedy) || len(remedy) == 1 && strings.Contains(err.Error(), "purged") {
			t.Errorf("got %v, want %s", err, remedy)
		}
	}
	o := (&mysqlServer{mode: "ON", log: &script{}}).start(t)
	o.Until = gtid.Position{}
	_, err := Connect(t.Context(), o)
	wantError(t, err, erSlaveFatal, false, "UNTIL master_gtid_pos has no end")
}
