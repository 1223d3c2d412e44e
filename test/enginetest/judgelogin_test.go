package enginetest

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/query"
)

// admin is a connection as root.
func (j *judge) admin() *client.Conn {
	c, err := client.Connect(j.socket, "root", "", "")
	if err != nil {
		panic(err)
	}
	return c
}

// conn is the connection beside a session.
func (j *judge) conn(s *query.Session, who sql.Client) (*client.Conn, error) {
	if c := j.conns[s]; c != nil {
		return c, nil
	}
	c, err := j.login(who)
	if err != nil {
		return nil, err
	}
	if _, err := c.Execute("SET NAMES utf8mb4 COLLATE utf8mb4_bin"); err != nil {
		return nil, err
	}
	j.conns[s] = c
	return c, nil
}

// login connects from where the client is: localhost is the unix socket to a
// server that looks up no names, and an address is told to it as a proxy tells it.
func (j *judge) login(who sql.Client) (*client.Conn, error) {
	if who.Address == "" || who.Address == "localhost" {
		return client.Connect(j.socket, who.User, "", "", manyResults)
	}
	from := net.ParseIP(who.Address)
	if from == nil {
		return nil, fmt.Errorf("nobody connects from %q", who.Address)
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil && !from.IsLoopback() {
			_, err = fmt.Fprintf(c, "PROXY TCP4 %s 127.0.0.1 50000 3306\r\n", from)
		}
		return c, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return client.ConnectWithDialer(ctx, "tcp", j.address, who.User, "", "", dial, manyResults)
}

// manyResults lets procedures answer with rows.
func manyResults(c *client.Conn) error {
	c.SetCapability(mysql.CLIENT_MULTI_RESULTS)
	return nil
}

// enter makes db the connection's default database, as it is the session's: also
// one that the account may not use now, as the suite's clients change within a
// session. A role lets it in, and is gone before the statement.
func (j *judge) enter(c *client.Conn, who sql.Client, db string) {
	if db == "" || c.UseDB(db) == nil {
		return
	}
	admin := j.admin()
	defer admin.Close()
	run := func(c *client.Conn, statement string) bool {
		_, err := c.Execute(statement)
		return err == nil
	}
	res, err := admin.Execute("SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = '" + db + "'")
	if err != nil || len(res.RowDatas) == 0 {
		return
	}
	if res, err = c.Execute("SELECT COALESCE(CURRENT_ROLE(), 'NONE')"); err != nil {
		return
	}
	role, _ := res.GetString(0, 0)
	if res, err = c.Execute("SELECT CURRENT_USER()"); err != nil {
		return
	}
	account, _ := res.GetString(0, 0)
	user, host, _ := strings.Cut(account, "@")
	if !run(admin, "CREATE ROLE door_of_the_judge") {
		return
	}
	defer run(admin, "DROP ROLE door_of_the_judge")
	if run(admin, "GRANT SELECT ON `"+db+"`.* TO door_of_the_judge") &&
		run(admin, "GRANT door_of_the_judge TO '"+user+"'@'"+host+"'") && run(c, "SET ROLE door_of_the_judge") {
		_ = c.UseDB(db)
		run(c, "SET ROLE "+role)
	}
}

// forget drops the connection beside a session that has changed its user.
func (j *judge) forget(s *query.Session) {
	if j == nil || j.conns[s] == nil {
		return
	}
	_ = j.conns[s].Close()
	delete(j.conns, s)
}

var (
	tellsID      = regexp.MustCompile(`(?i)\b(connection_id|is_used_lock)\s*\(`)
	tellsVersion = regexp.MustCompile(`(?i)@@version_|\bshow\b[^;]*\bvariables\b`)
	wholeNumber  = regexp.MustCompile(`\b[0-9]+\b`)
)

// comparable is MariaDB's answer with the number of the connection that it is,
// and what the server says about its build, as the session has them; both only
// where the statement asks for them.
func (j *judge) comparable(s *query.Session, statement string, theirs *plainAnswer) string {
	text := theirs.String()
	c := j.conns[s]
	if c == nil || theirs.failure != nil {
		return text
	}
	if tellsID.MatchString(statement) {
		theirID, ourID := strconv.FormatUint(uint64(c.GetConnectionID()), 10), strconv.FormatUint(uint64(s.ID()), 10)
		text = wholeNumber.ReplaceAllStringFunc(text, func(n string) string {
			if n == theirID {
				return ourID
			}
			return n
		})
	}
	if tellsVersion.MatchString(statement) {
		for _, name := range []string{"version_comment", "version_compile_os", "version_malloc_library", "version_source_revision", "version_ssl_library"} {
			a, b := theirValue(c, name), ourValue(s, name)
			if a != "" && b != "" && (strings.Contains(strings.ToLower(statement), "@@"+name) || strings.Contains(text, name+" | "+a)) {
				text = strings.ReplaceAll(text, a, b)
			}
		}
	}
	return text
}

func theirValue(c *client.Conn, name string) string {
	res, err := c.Execute("SELECT @@GLOBAL." + name)
	if err != nil {
		return ""
	}
	v, _ := res.GetString(0, 0)
	return v
}

func ourValue(s *query.Session, name string) string {
	var out sink
	if err := s.Execute(context.Background(), "SELECT @@GLOBAL."+name, &out); err != nil {
		return ""
	}
	return out.plain.sets[0].rows[0]
}

var moments = regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?\b`)

// atOnce reports whether two answers differ only in the time at which they were
// given: each time in one has a time in the other beside it, and both are the clock's.
func atOnce(a, b string, now time.Time) bool {
	in, beside := moments.FindAllString(a, -1), moments.FindAllString(b, -1)
	if len(in) != len(beside) || moments.ReplaceAllString(a, "") != moments.ReplaceAllString(b, "") {
		return false
	}
	for i := range in {
		if in[i] == beside[i] {
			continue
		}
		first, err := time.Parse(time.DateTime, in[i])
		if err != nil {
			return false
		}
		second, err := time.Parse(time.DateTime, beside[i])
		if err != nil || len(in[i]) != len(beside[i]) {
			return false
		}
		sinceQuarter := now.Sub(first).Abs() % (15 * time.Minute) // in the session's time zone
		if first.Sub(second).Abs() > 5*time.Second || min(sinceQuarter, 15*time.Minute-sinceQuarter) > 10*time.Second {
			return false
		}
	}
	return true
}
