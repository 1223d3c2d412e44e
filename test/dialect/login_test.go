package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// login is a step of a case of TestLogin: a connection, or a statement on one.
type login struct {
	user, password string
	query          string // run after the login, if it succeeds
	want           uint16 // the error's number; 0: none
	keep           bool   // the connection stays open until the case ends
	change         string // COM_CHANGE_USER to this user, with password, on a connection of root
}

// loginCase is a set of accounts, made by root, with what logins to them yield.
type loginCase struct {
	name   string
	before []string // run by root
	steps  []login
	after  []string
}

// loginCases are options of accounts with what logins to them yield; the numbers are MariaDB's, on which
// the test runs too.
var loginCases = []loginCase{
	{"no such user", nil, []login{{user: "nosuch", want: 1045}, {user: "nosuch", password: "x", want: 1045}}, nil},
	{"password", []string{"CREATE USER u IDENTIFIED BY 'x'"}, []login{
		{user: "u", password: "x"}, {user: "u", password: "y", want: 1045}, {user: "u", want: 1045},
	}, nil},
	{"locked", []string{"CREATE USER u IDENTIFIED BY 'x' ACCOUNT LOCK"}, []login{
		{user: "u", password: "x", want: 4151}, {user: "u", password: "y", want: 1045}, {change: "u", password: "x", want: 4151},
	}, nil},
	{"unlocked", []string{"CREATE USER u ACCOUNT LOCK", "ALTER USER u ACCOUNT UNLOCK"}, []login{{user: "u"}}, nil},
	{"locked while connected", []string{"CREATE USER u"}, []login{
		{user: "u", keep: true}, {user: "root", query: "ALTER USER u ACCOUNT LOCK"}, {user: "u", want: 4151}, {change: "u", want: 4151},
	}, nil},
	{"TLS", []string{
		"CREATE USER u IDENTIFIED BY 'x' REQUIRE SSL", "CREATE USER v REQUIRE X509", "CREATE USER w REQUIRE CIPHER 'AES256-SHA'",
		"CREATE USER i REQUIRE ISSUER '/CN=i' SUBJECT '/CN=s'", "CREATE USER n REQUIRE NONE",
	}, []login{
		{user: "u", password: "x", want: 1045}, {user: "v", want: 1045}, {user: "w", want: 1045}, {user: "i", want: 1045}, {user: "n"},
	}, nil},
	{"expired", []string{"CREATE USER u IDENTIFIED BY 'x' PASSWORD EXPIRE"}, []login{
		{user: "u", password: "y", want: 1045}, {user: "u", password: "x", query: "SELECT 1", want: 1820},
		{user: "u", password: "x", query: "ALTER USER u IDENTIFIED BY 'z'", want: 1820}, {user: "u", password: "x", query: "USE mysql", want: 1820},
		{user: "u", password: "x", query: "SET @a = 1"}, {user: "u", password: "x", query: "SET PASSWORD = PASSWORD('z')"},
		{user: "u", password: "z", query: "SELECT 1"},
	}, nil},
	{"expired, disconnected", []string{"CREATE USER u IDENTIFIED BY 'x' PASSWORD EXPIRE", "SET GLOBAL disconnect_on_expired_password = 1"}, []login{
		{user: "u", password: "x", want: 1862}, {user: "u", password: "y", want: 1045},
	}, []string{"SET GLOBAL disconnect_on_expired_password = 0"}},
	{"never expires", []string{"CREATE USER u PASSWORD EXPIRE NEVER", "CREATE USER v PASSWORD EXPIRE INTERVAL 1 DAY", "CREATE USER w PASSWORD EXPIRE DEFAULT"}, []login{
		{user: "u", query: "SELECT 1"}, {user: "v", query: "SELECT 1"}, {user: "w", query: "SELECT 1"},
	}, nil},
	{"queries per hour", []string{"CREATE USER u WITH MAX_QUERIES_PER_HOUR 2"}, []login{
		{user: "u", query: "SELECT 1"}, {user: "u", query: "SELECT 1"}, {user: "u", query: "SELECT 1", want: 1226},
		{user: "root", query: "FLUSH USER_RESOURCES"}, {user: "u", query: "SELECT 1"},
	}, nil},
	{"updates per hour", []string{"CREATE DATABASE l", "CREATE TABLE l.t (a INT)", "CREATE USER u WITH MAX_UPDATES_PER_HOUR 1", "GRANT ALL ON l.* TO u"}, []login{
		{user: "u", query: "INSERT INTO l.t VALUES (1)"}, {user: "u", query: "INSERT INTO l.t VALUES (2)", want: 1226},
		{user: "u", query: "SELECT * FROM l.t"}, {user: "u", query: "UPDATE l.t SET a = 1", want: 1226},
	}, []string{"DROP DATABASE l"}},
	{"connections per hour", []string{"CREATE USER u WITH MAX_CONNECTIONS_PER_HOUR 1"}, []login{
		{user: "u"}, {user: "u", want: 1226}, {change: "u", want: 1226}, {user: "root", query: "FLUSH USER_RESOURCES"}, {user: "u"},
	}, nil},
	{"connections at one time", []string{"CREATE USER u WITH MAX_USER_CONNECTIONS 1"}, []login{
		{user: "u", keep: true}, {user: "u", want: 1226}, {change: "u", want: 1226},
	}, nil},
	{"wrong passwords", []string{"CREATE USER u IDENTIFIED BY 'x'", "SET GLOBAL max_password_errors = 2"}, []login{
		{user: "u", password: "y", want: 1045}, {user: "u", password: "y", want: 1045}, {user: "u", password: "y", want: 4150},
		{user: "u", password: "x", want: 4150}, {user: "root", query: "FLUSH PRIVILEGES"}, {user: "u", password: "x"},
		{user: "u", password: "y", want: 1045}, {user: "u", password: "x"}, {user: "u", password: "y", want: 1045}, {user: "u", password: "x"},
	}, []string{"SET GLOBAL max_password_errors = 4294967295"}},
	{"statement time", []string{"CREATE USER u WITH MAX_STATEMENT_TIME 0.05"}, []login{
		{user: "u", query: "SELECT SLEEP(5)", want: 1969}, {user: "u", query: "SELECT IF(@@max_statement_time = 0.05, 1, nosuchcolumn)", want: 1054},
	}, nil},
	{"hosts", []string{"CREATE USER u@'10.%'", "CREATE USER v@'127.0.0.0/255.0.0.0'", "CREATE USER w@'local%'", "CREATE USER x@'127.0.0._'", "CREATE USER y@'128.0.0.0/255.0.0.0'"}, []login{
		{user: "u", want: 1045}, {user: "v"}, {user: "w"}, {user: "x"}, {user: "y", want: 1045},
	}, nil},
	{"the most specific host counts", []string{
		"CREATE USER u IDENTIFIED BY 'any'", "CREATE USER u@'127.%' IDENTIFIED BY 'pattern'", "CREATE USER u@'127.0.0.0/255.0.0.0' IDENTIFIED BY 'mask'",
	}, []login{
		{user: "u", password: "any", want: 1045}, {user: "u", password: "pattern", want: 1045}, {user: "u", password: "mask"},
		{user: "root", query: "CREATE USER u@'127.0.0.1' IDENTIFIED BY 'address'"}, {user: "u", password: "mask", want: 1045}, {user: "u", password: "address"},
		{user: "root", query: "CREATE USER u@localhost IDENTIFIED BY 'name'"}, {user: "u", password: "address", want: 1045}, {user: "u", password: "name"},
	}, nil},
	{"an anonymous user of a more specific host", []string{"CREATE USER ''@localhost", "CREATE USER u IDENTIFIED BY 'x'"}, []login{
		{user: "u"}, {user: "u", password: "x", want: 1045}, {user: "whoever"}, {user: "whoever", password: "x", want: 1045},
	}, []string{"DROP USER ''@localhost"}},
}

// limitCase is the global max_user_connections beside the limits of accounts. A MariaDB that was started without the global
// limit does not let anybody set one; with it, it counts the logins of every user name for as long as it runs.
var limitCase = loginCase{
	"connections at one time, of everybody", []string{
		"CREATE USER u", "CREATE USER v WITH MAX_USER_CONNECTIONS 2", "CREATE USER w WITH MAX_USER_CONNECTIONS 1", "CREATE USER x WITH MAX_USER_CONNECTIONS -1",
		"CREATE USER admin", "GRANT CONNECTION ADMIN ON *.* TO admin", "SET GLOBAL max_user_connections = 1",
	}, []login{
		{user: "u", keep: true}, {user: "u", want: 1203}, {change: "u", want: 1203},
		{user: "v", keep: true}, {user: "v", keep: true}, {user: "v", want: 1226},
		{user: "w", keep: true}, {user: "w", want: 1226}, {user: "x", want: 1226},
		{user: "admin", keep: true}, {user: "admin"},
	}, nil,
}

// TestLogin logs in to accounts with every option, on both servers.
func TestLogin(t *testing.T) {
	for _, kind := range []peer.Kind{peer.Duramen, peer.MariaDB} {
		t.Run(string(kind), func(t *testing.T) {
			server := startEither(t, kind)
			for _, c := range loginCases {
				t.Run(c.name, func(t *testing.T) { c.run(t, server) })
			}
			t.Run(limitCase.name, func(t *testing.T) { limitCase.run(t, startEitherWith(t, kind, []string{"--max-user-connections=100"})) })
		})
	}
}

func (c loginCase) run(t *testing.T, server *peer.Server) {
	r := &run{t: t, server: server, conns: map[string]*client.Conn{}}
	defer r.close()
	r.begin()
	for _, q := range c.before {
		if _, err := r.admin.Execute(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for i, s := range c.steps {
		if s.change != "" && s.want != 0 && server.Kind == peer.MariaDB {
			s.want = mysql.ER_UNKNOWN_COM_ERROR // whatever it was that refused the change
		}
		if got := r.login(s); got != s.want {
			t.Errorf("step %d, %+v: error %d, want %d", i, s, got, s.want)
		}
	}
	for _, q := range c.after {
		if _, err := r.admin.Execute(q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func startEither(t *testing.T, kind peer.Kind) *peer.Server { return startEitherWith(t, kind, nil) }

func startEitherWith(t *testing.T, kind peer.Kind, args []string) *peer.Server {
	if kind == peer.MariaDB {
		return peer.StartMariaDB(t, peer.Options{Binlog: true, Args: args})
	}
	return peer.Start(t, peer.Options{Kind: kind, Args: args})
}

// login does one step and returns the number of its error.
func (r *run) login(s login) uint16 {
	user, password := s.user, s.password
	if s.change != "" {
		user, password = "root", ""
	}
	c, err := client.Connect(r.server.Addr(), user, password, "")
	if err != nil {
		return errorNumber(r.t, err)
	}
	if s.keep {
		r.conns[fmt.Sprint(len(r.conns))] = c
	} else {
		defer c.Close()
	}
	if s.change != "" {
		return r.changeUser(c, s)
	}
	if s.query == "" {
		return 0
	}
	if _, err := c.Execute(s.query); err != nil {
		return errorNumber(r.t, err)
	}
	return 0
}

func errorNumber(t *testing.T, err error) uint16 {
	var e *mysql.MyError
	if !errors.As(err, &e) {
		t.Fatalf("not an error of a server: %v", err)
	}
	return e.Code
}

// changeUser sends COM_CHANGE_USER, with no answer at first, so that the server asks for one.
func (r *run) changeUser(c *client.Conn, s login) uint16 {
	c.ResetSequence()
	body := append([]byte{mysql.COM_CHANGE_USER}, s.change...)
	body = append(body, 0, 0)           // the user's end; no password
	body = append(body, 0, 45, 0)       // no database; the collation
	body = append(body, "other\x00"...) // a plugin that the server has to switch from
	if err := c.WritePacket(append(make([]byte, 4), body...)); err != nil {
		r.t.Fatal(err)
	}
	for {
		answer, err := c.ReadPacket()
		if err != nil {
			r.t.Fatal(err)
		}
		switch answer[0] {
		case mysql.OK_HEADER:
			return 0
		case mysql.ERR_HEADER:
			return uint16(answer[1]) | uint16(answer[2])<<8
		}
		_, salt, _ := bytes.Cut(answer[1:], []byte{0})
		response := mysql.CalcPassword(bytes.TrimSuffix(salt, []byte{0}), []byte(s.password))
		if err := c.WritePacket(append(make([]byte, 4), response...)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestAccountsSurvive says that what accounts are does not change by FLUSH PRIVILEGES and a restart.
func TestAccountsSurvive(t *testing.T) {
	server := peer.Start(t, peer.Options{Kind: peer.Duramen})
	r := &run{t: t, server: server, conns: map[string]*client.Conn{}}
	r.begin()
	for _, q := range []string{
		"CREATE TABLE d.t (a INT)",
		"CREATE PROCEDURE d.p() SELECT 1",
		"CREATE USER u@'10.%' IDENTIFIED BY 'x' REQUIRE CIPHER 'c' WITH MAX_QUERIES_PER_HOUR 1 MAX_USER_CONNECTIONS 3 MAX_STATEMENT_TIME 2.5 ACCOUNT LOCK PASSWORD EXPIRE INTERVAL 9 DAY",
		"CREATE USER locked ACCOUNT LOCK",
		"CREATE ROLE r1, r2",
		"GRANT r1 TO r2",
		"GRANT r2 TO u@'10.%' WITH ADMIN OPTION",
		"SET DEFAULT ROLE r2 FOR u@'10.%'",
		"GRANT SELECT, SLAVE MONITOR ON *.* TO u@'10.%' WITH GRANT OPTION",
		"GRANT INSERT ON `a\\_b%`.* TO r1",
		"GRANT DELETE ON d.t TO r2",
		"GRANT EXECUTE ON PROCEDURE d.p TO r2",
	} {
		if _, err := r.admin.Execute(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	shown := func() string {
		var out strings.Builder
		for _, q := range []string{"SHOW CREATE USER u@'10.%'", "SHOW GRANTS FOR u@'10.%'", "SHOW GRANTS FOR r2", "SHOW CREATE USER locked"} {
			out.WriteString(answer(r.admin, q, args{}))
		}
		return out.String()
	}
	before := shown()
	if !strings.Contains(before, "SET DEFAULT ROLE") || !strings.Contains(before, "MAX_STATEMENT_TIME 2.5") {
		t.Fatalf("not all is there:\n%s", before)
	}
	if _, err := r.admin.Execute("FLUSH PRIVILEGES"); err != nil {
		t.Fatal(err)
	}
	if after := shown(); after != before {
		t.Errorf("FLUSH PRIVILEGES made of\n%s\nthis:\n%s", before, after)
	}
	_ = r.admin.Close()
	server.Restart()
	r.admin = r.dial("root", "", "")
	defer r.close()
	if after := shown(); after != before {
		t.Errorf("a restart made of\n%s\nthis:\n%s", before, after)
	}
	if got := r.login(login{user: "locked"}); got != 4151 {
		t.Errorf("locked account after a restart: error %d", got)
	}
}
