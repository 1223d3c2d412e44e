package wire

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"
	driver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/admin"
)

func TestMain(m *testing.M) {
	_ = driver.SetLogger(&driver.NopLogger{})
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	require.NoError(t, err)
	db.SetMaxIdleConns(0)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestDriver(t *testing.T) {
	b := newFakeBackend()
	_, addr := startServer(t, b, Options{})
	db := open(t, "root@tcp("+addr+")/db")
	rows, err := db.Query("select 10000")
	require.NoError(t, err)
	count := int64(0)
	for rows.Next() {
		var n int64
		require.NoError(t, rows.Scan(&n))
		require.Equal(t, count, n)
		count++
	}
	require.NoError(t, rows.Err())
	require.Equal(t, int64(10000), count)

	var i int64
	var f float64
	var s, when string
	var blob []byte
	var null sql.NullString
	at := time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)
	row := db.QueryRow("echo ? ? ? ? ? ?", int64(-5), 2.5, "text", []byte{0, 1}, nil, at)
	require.NoError(t, row.Scan(&i, &f, &s, &blob, &null, &when))
	require.Equal(t, int64(-5), i)
	require.InEpsilon(t, 2.5, f, 0)
	require.Equal(t, "text", s)
	require.Equal(t, []byte{0, 1}, blob)
	require.False(t, null.Valid)
	require.Equal(t, "2024-02-29 01:02:03.000004", when)

	_, err = db.Exec("fail")
	var me *driver.MySQLError
	require.ErrorAs(t, err, &me)
	require.Equal(t, uint16(1064), me.Number)
	require.Equal(t, "42000", string(me.SQLState[:]))
	// An error after the columns.
	require.ErrorAs(t, db.QueryRow("half").Scan(&i), &me)
	require.Equal(t, uint16(1213), me.Number)
	_, err = open(t, "root@tcp("+addr+")/missing").Exec("select 1")
	require.ErrorAs(t, err, &me)
	require.Equal(t, uint16(1049), me.Number)
}

// TestLongPackets sends and receives payloads around the length at which they
// are split.
func TestLongPackets(t *testing.T) {
	b := newFakeBackend()
	_, addr := startServer(t, b, Options{})
	db := open(t, "root@tcp("+addr+")/db")
	for _, n := range []int{maxPayload - 10, maxPayload - 5, maxPayload - 4, maxPayload - 3, maxPayload, maxPayload + 1, 2 * maxPayload, 2*maxPayload + 100} {
		var got []byte
		require.NoError(t, db.QueryRow("blob "+itoa(n)).Scan(&got))
		require.Len(t, got, n)
	}
	for _, n := range []int{maxPayload - 2, maxPayload - 1, maxPayload, 2*maxPayload - 1, 2 * maxPayload} {
		res, err := db.Exec("len " + strings.Repeat("x", n-4))
		require.NoError(t, err)
		affected, err := res.RowsAffected()
		require.NoError(t, err)
		require.Equal(t, int64(n), affected)
	}
}

func itoa(n int) string {
	var b []byte
	for ; n > 0; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}

func TestMaxAllowedPacket(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps, "")
	require.Equal(t, byte(0), c.command(mysql.COM_QUERY, []byte("set max_allowed_packet = 1024")...)[0])
	require.Equal(t, 1153, errorNumber(t, c.command(mysql.COM_QUERY, make([]byte, 1024)...)))
	require.Equal(t, 1153, errorNumber(t, c.command(mysql.COM_QUERY, make([]byte, 2*maxPayload)...)))
	require.Equal(t, byte(0), c.command(mysql.COM_PING)[0])
}

func TestWaitTimeout(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps, "")
	require.Equal(t, byte(0), c.command(mysql.COM_QUERY, []byte("set wait_timeout = 1")...)[0])
	_, err := c.conn.readPacket(1<<20, keepDeadline)
	require.ErrorIs(t, err, io.EOF)
}

func TestAuthentication(t *testing.T) {
	b := newFakeBackend()
	native, err := hex.DecodeString("6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9") // of 123456
	require.NoError(t, err)
	sha2, err := vitess.SerializeCachingSha2PasswordAuthString("pässword", []byte("01234567890123456789"), 5)
	require.NoError(t, err)
	b.accounts["n"] = account.Login{User: "n", Host: "%", Plugin: pluginNative, AuthString: "*" + strings.ToUpper(hex.EncodeToString(native))}
	b.accounts["s"] = account.Login{User: "s", Host: "%", Plugin: pluginSha2, AuthString: string(sha2)}
	b.accounts["e"] = account.Login{User: "e", Host: "%", Plugin: pluginSha2}
	b.accounts["locked"] = account.Login{User: "locked", Host: "%", Locked: true}
	b.accounts["other"] = account.Login{User: "other", Host: "%", Plugin: "ed25519"}
	id, err := GeneratedIdentity(t.TempDir())
	require.NoError(t, err)
	_, plain := startServer(t, b, Options{})
	_, addr := startServer(t, b, Options{Identity: id})
	_, socketDir := startServer(t, b, Options{Identity: id})
	_ = socketDir

	for _, tc := range []struct {
		name, dsn string
		number    uint16
	}{
		{"native", "n:123456@tcp(" + addr + ")/", 0},
		{"native, TLS", "n:123456@tcp(" + addr + ")/?tls=skip-verify", 0},
		{"native, wrong", "n:12345@tcp(" + addr + ")/", 1045},
		{"native, none", "n@tcp(" + addr + ")/", 1045},
		{"no password", "root@tcp(" + addr + ")/", 0},
		{"unneeded password", "root:x@tcp(" + addr + ")/", 1045},
		{"unknown", "nobody:x@tcp(" + addr + ")/", 1045},
		{"sha2 by RSA", "s:pässword@tcp(" + addr + ")/", 0},
		{"sha2, cached", "s:pässword@tcp(" + addr + ")/", 0},
		{"sha2, cached, wrong", "s:password@tcp(" + addr + ")/", 1045},
		{"sha2, TLS, cached", "s:pässword@tcp(" + addr + ")/?tls=skip-verify", 0},
		{"sha2, none", "s@tcp(" + addr + ")/", 1045},
		{"sha2 without a key", "s:pässword@tcp(" + plain + ")/", 1045},
		{"sha2 without password", "e@tcp(" + addr + ")/", 0},
		{"locked", "locked@tcp(" + addr + ")/", 4151},
		{"other plugin", "other@tcp(" + addr + ")/", 1524},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := open(t, tc.dsn).Ping()
			if tc.number == 0 {
				require.NoError(t, err)
				return
			}
			var me *driver.MySQLError
			if tc.name == "sha2 without a key" {
				require.Error(t, err)
				return
			}
			require.ErrorAs(t, err, &me)
			require.Equal(t, tc.number, me.Number)
		})
	}

	// A new server has an empty cache: the full exchange over TLS.
	_, fresh := startServer(t, b, Options{Identity: id, RequireTLS: func() bool { return true }})
	require.NoError(t, open(t, "s:pässword@tcp("+fresh+")/?tls=skip-verify").Ping())
	require.Error(t, open(t, "s:password@tcp("+fresh+")/?tls=skip-verify").Ping())
	var me *driver.MySQLError
	require.ErrorAs(t, open(t, "root@tcp("+fresh+")/").Ping(), &me)
	require.Equal(t, uint16(3159), me.Number)
}

func TestUnixSocket(t *testing.T) {
	b := newFakeBackend()
	sha2, err := vitess.SerializeCachingSha2PasswordAuthString("pw", []byte("01234567890123456789"), 5)
	require.NoError(t, err)
	b.accounts["s"] = account.Login{User: "s", Host: "localhost", Plugin: pluginSha2, AuthString: string(sha2)}
	s, _ := startServer(t, b, Options{})
	path := filepath.Join(t.TempDir(), "s.sock")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Shutdown(context.Background()))
		require.ErrorIs(t, <-served, ErrServerClosed)
	})
	require.NoError(t, open(t, "s:pw@unix("+path+")/").Ping())
}

func TestCommands(t *testing.T) {
	b := newFakeBackend()
	s, addr := startServer(t, b, Options{})
	c := login(t, addr, testClientCaps|mysql.CLIENT_MULTI_STATEMENTS, "db")
	require.Equal(t, byte(0), c.command(mysql.COM_INIT_DB, []byte("other")...)[0])
	require.Equal(t, 1049, errorNumber(t, c.command(mysql.COM_INIT_DB, []byte("missing")...)))
	require.Equal(t, "Uptime: 1  Threads: 1", string(c.command(mysql.COM_STATISTICS)))
	require.Equal(t, byte(0), c.command(mysql.COM_RESET_CONNECTION)[0])
	require.Equal(t, byte(0xfe), c.command(mysql.COM_SET_OPTION, 1, 0)[0])
	require.Equal(t, 1047, errorNumber(t, c.command(mysql.COM_SET_OPTION, 2, 0)))
	require.Equal(t, byte(0xfe), c.command(mysql.COM_DEBUG)[0])
	require.Equal(t, 1047, errorNumber(t, c.command(0x77)))
	require.Equal(t, 1243, errorNumber(t, c.command(mysql.COM_STMT_FETCH, 99, 0, 0, 0, 1, 0, 0, 0)))
	// An empty packet is no command.
	c.conn.resetSequence()
	c.send(nil)
	require.Equal(t, 1047, errorNumber(t, c.read()))
	// COM_FIELD_LIST
	require.Equal(t, []byte("\x03def"), c.command(mysql.COM_FIELD_LIST, []byte("t\x00%")...)[:4])
	require.Equal(t, byte(0xfe), c.read()[0])
	require.Equal(t, 1146, errorNumber(t, c.command(mysql.COM_FIELD_LIST, []byte("missing\x00")...)))
	require.Equal(t, 1835, errorNumber(t, c.command(mysql.COM_FIELD_LIST, []byte("t")...)))
	// Two results: the first says that more follow.
	first := c.command(mysql.COM_QUERY, []byte("two")...)
	require.Equal(t, byte(0), first[0])
	require.Equal(t, mysql.SERVER_MORE_RESULTS_EXISTS, binary.LittleEndian.Uint16(first[3:]))
	require.Equal(t, []byte{1}, c.read())
	for range 5 { // column, EOF, two rows, EOF
		c.read()
	}
	// COM_CHANGE_USER
	require.Equal(t, byte(0), c.command(mysql.COM_CHANGE_USER, []byte("root\x00\x00db2\x00\x2d\x00mysql_native_password\x00")...)[0])
	require.Equal(t, byte(0), c.command(mysql.COM_PING)[0])
	require.Equal(t, 1045, errorNumber(t, c.command(mysql.COM_CHANGE_USER, []byte("nobody\x00\x00db2\x00\x2d\x00mysql_native_password\x00")...)))
	_, err := c.conn.readPacket(1<<20, keepDeadline)
	require.ErrorIs(t, err, io.EOF)
	require.Positive(t, s.Stats().Questions)
}

func TestSessionTrack(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps|mysql.CLIENT_SESSION_TRACK|mysql.CLIENT_DEPRECATE_EOF, "")
	ok := c.command(mysql.COM_INIT_DB, []byte("other")...)
	require.Equal(t, mysql.SERVER_SESSION_STATE_CHANGED, binary.LittleEndian.Uint16(ok[3:])&mysql.SERVER_SESSION_STATE_CHANGED)
	require.Equal(t, []byte{0, 8, 1, 6, 5, 'o', 't', 'h', 'e', 'r'}, ok[7:])
	ok = c.command(mysql.COM_PING)
	require.Zero(t, binary.LittleEndian.Uint16(ok[3:])&mysql.SERVER_SESSION_STATE_CHANGED)
}

func TestPreparedStatements(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	c := login(t, addr, testClientCaps|mysql.CLIENT_DEPRECATE_EOF, "")
	prepare := func() []byte { return c.command(mysql.COM_STMT_PREPARE, []byte("echo ?")...) }
	ok := prepare()
	require.Equal(t, []byte{0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0}, ok)
	c.read() // the parameter
	c.read() // the column
	id := []byte{1, 0, 0, 0}
	cat := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	head := cat(id, []byte{0, 1, 0, 0, 0})
	// Two pieces of long data, then the execution.
	c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{0, 0}, []byte("lo"))...)
	c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{0, 0}, []byte("ng"))...)
	require.Equal(t, []byte{1}, c.command(mysql.COM_STMT_EXECUTE, cat(head, []byte{0, 1, mysql.MYSQL_TYPE_BLOB, 0})...))
	c.read()
	require.Equal(t, []byte("\x00\x00\x04long"), c.read())
	require.Equal(t, byte(0xfe), c.read()[0])
	// The data are forgotten after it, and after a reset.
	c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{0, 0}, []byte("x"))...)
	require.Equal(t, byte(0), c.command(mysql.COM_STMT_RESET, id...)[0])
	require.Equal(t, []byte{1}, c.command(mysql.COM_STMT_EXECUTE, cat(head, []byte{1, 0})...))
	c.read()
	require.Equal(t, []byte{0, 4}, c.read())
	c.read()
	// They count as the session's memory as long as they are kept.
	for range 3 {
		c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{0, 0}, make([]byte, keptMax))...)
		require.Equal(t, byte(0), c.command(mysql.COM_STMT_RESET, id...)[0])
	}
	c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{0, 0}, make([]byte, keptMax))...)
	c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{0, 0}, []byte("x"))...)
	require.Equal(t, 1290, errorNumber(t, c.command(mysql.COM_STMT_EXECUTE, cat(head, []byte{0, 1, mysql.MYSQL_TYPE_BLOB, 0})...)))
	// Wrong ones.
	c.start(mysql.COM_STMT_SEND_LONG_DATA, cat(id, []byte{9, 0}, []byte("x"))...)
	require.Equal(t, 1210, errorNumber(t, c.command(mysql.COM_STMT_EXECUTE, cat(head, []byte{0, 1, mysql.MYSQL_TYPE_BLOB, 0})...)))
	require.Equal(t, 1210, errorNumber(t, c.command(mysql.COM_STMT_EXECUTE, cat(head, []byte{0, 1, mysql.MYSQL_TYPE_BLOB, 0, 200})...)))
	require.Equal(t, 1243, errorNumber(t, c.command(mysql.COM_STMT_EXECUTE, 9, 0, 0, 0, 0, 1, 0, 0, 0)))
	require.Equal(t, 1835, errorNumber(t, c.command(mysql.COM_STMT_EXECUTE, 9)))
	require.Equal(t, 1243, errorNumber(t, c.command(mysql.COM_STMT_RESET, 9, 0, 0, 0)))
	// max_prepared_stmt_count is 5.
	for range 4 {
		prepare()
		c.read()
		c.read()
	}
	require.Equal(t, 1461, errorNumber(t, prepare()))
	c.start(mysql.COM_STMT_CLOSE, id...)
	require.Equal(t, byte(0), prepare()[0])
}

func TestLocalInfile(t *testing.T) {
	_, addr := startServer(t, newFakeBackend(), Options{})
	driver.RegisterReaderHandler("lines", func() io.Reader { return strings.NewReader(strings.Repeat("line\n", 100000)) })
	defer driver.DeregisterReaderHandler("lines")
	res, err := open(t, "root@tcp("+addr+")/").Exec("load Reader::lines")
	require.NoError(t, err)
	affected, err := res.RowsAffected()
	require.NoError(t, err)
	require.Equal(t, int64(500000), affected)
	c := login(t, addr, testClientCaps, "")
	require.Equal(t, 4166, errorNumber(t, c.command(mysql.COM_QUERY, []byte("load x")...)))
}

func TestMaxConnections(t *testing.T) {
	b := newFakeBackend()
	b.setGlobal("max_connections", 1)
	s, addr := startServer(t, b, Options{})
	login(t, addr, testClientCaps, "")
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer nc.Close()
	c := rawClient{t: t, conn: newPacketConn(nc)}
	refusal := c.read()
	require.Equal(t, 1040, errorNumber(t, refusal))
	require.Equal(t, "Too many connections", string(refusal[3:]))
	require.Equal(t, uint64(1), s.Stats().Refused)
}

// TestClientGone: a statement ends when its client disconnects, whether or not
// it has left bytes behind.
func TestClientGone(t *testing.T) {
	b := newFakeBackend()
	_, addr := startServer(t, b, Options{})
	for _, more := range []bool{false, true} {
		c := login(t, addr, testClientCaps, "")
		c.start(mysql.COM_QUERY, []byte("block")...)
		<-b.blocked
		if more {
			c.start(mysql.COM_PING)
		}
		require.NoError(t, c.conn.Close())
		require.ErrorIs(t, <-b.ended, errClientGone)
	}
	require.Eventually(t, func() bool { return b.sessions.Load() == 0 }, 10*time.Second, time.Millisecond)
}

func TestPanicEndsOnlyItsConnection(t *testing.T) {
	b := newFakeBackend()
	s, addr := startServer(t, b, Options{})
	other := login(t, addr, testClientCaps, "")
	c := login(t, addr, testClientCaps, "")
	c.start(mysql.COM_QUERY, []byte("panic")...)
	_, err := c.conn.readPacket(1<<20, keepDeadline)
	require.Error(t, err)
	require.Equal(t, byte(0), other.command(mysql.COM_PING)[0])
	require.Equal(t, uint64(1), s.Stats().Panics)
}

// TestGarbage: none of these may do more than end its connection.
func TestGarbage(t *testing.T) {
	b := newFakeBackend()
	s, addr := startServer(t, b, Options{ConnectTimeout: 5 * time.Second})
	for _, tc := range []struct {
		name string
		data string
		want int // number of the error that is answered, 0 for none
	}{
		{"nothing", "", 0},
		{"half a header", "\x05\x00", 0},
		{"a length and no more", "\xff\xff\xff\x01", 0},
		{"half a response", "\x40\x00\x00\x01abcdef", 0},
		{"HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + strings.Repeat("x", 1000), 1043},
		{"a response too short", "\x04\x00\x00\x01\x00\x00\x00\x00", 1043},
		{"an old client", "\x09\x00\x00\x01\x05\x00\x00\x00\x00root\x00", 1043},
		{"an empty packet", "\x00\x00\x00\x01", 1043},
		{"wrong sequence", "\x01\x00\x00\x07x", 1043},
		{"TLS without a certificate", "\x20\x00\x00\x01" + string(responsePayload(testClientCaps|mysql.CLIENT_SSL, "", nil, "", "")[:32]), 1043},
		{"no end of the name", "\x24\x00\x00\x01" + string(responsePayload(testClientCaps, "", nil, "", "")[:32]) + "root", 1043},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dial(t, addr)
			_, err := c.conn.Write([]byte(tc.data))
			require.NoError(t, err)
			require.NoError(t, c.conn.timed.Conn.(*net.TCPConn).CloseWrite())
			c.conn.seq = 2
			if tc.name == "wrong sequence" || tc.name == "HTTP" {
				c.conn.seq = 1
			}
			answer, err := c.conn.readPacket(1<<20, keepDeadline)
			if tc.want == 0 {
				require.ErrorIs(t, err, io.EOF)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, errorNumber(t, answer))
		})
	}
	require.Zero(t, s.Stats().Panics)
	require.Equal(t, byte(0), login(t, addr, testClientCaps, "").command(mysql.COM_PING)[0])
}

func TestReplicaCommands(t *testing.T) {
	b := newFakeBackend()
	event := []byte(strings.Repeat("e", 100))
	b.dump = func(ctx context.Context, d Dump, out DumpWriter) error {
		if d.File != "binlog.000001" || d.Position != 4 || !d.AnnotateRows || d.ServerID != 2 {
			return context.Canceled
		}
		for range 3 {
			if err := out.Send(event); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if d.NonBlock {
			return nil
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	s, addr := startServer(t, b, Options{})
	c := login(t, addr, testClientCaps, "")
	require.Equal(t, 1210, errorNumber(t, c.command(mysql.COM_REGISTER_SLAVE, 1)))
	require.Equal(t, byte(0), c.command(mysql.COM_REGISTER_SLAVE, 2, 0, 0, 0, 1, 'h', 1, 'u', 1, 'p', 0xea, 0x0c, 0, 0, 0, 0, 1, 0, 0, 0)[0])
	require.Equal(t, admin.ReplicaInfo{ServerID: 2, MasterID: 1, Host: "h", User: "u", Password: "p", Port: 3306}, b.replicas[1])
	require.Equal(t, 1236, errorNumber(t, c.command(mysql.COM_BINLOG_DUMP, 4)))
	request := func(flags uint16) []byte {
		return append([]byte{4, 0, 0, 0, byte(flags), 0, 2, 0, 0, 0}, "binlog.000001"...)
	}
	require.Equal(t, append([]byte{0}, event...), c.command(mysql.COM_BINLOG_DUMP, request(mysql.BINLOG_SEND_ANNOTATE_ROWS_EVENT|mysql.BINLOG_DUMP_NON_BLOCK)...))
	c.read()
	c.read()
	require.Equal(t, byte(0xfe), c.read()[0])
	// One without an end holds up no shutdown.
	c.command(mysql.COM_BINLOG_DUMP, request(mysql.BINLOG_SEND_ANNOTATE_ROWS_EVENT)...)
	require.NoError(t, s.Shutdown(context.Background()))
	require.Empty(t, b.replicas)
}
