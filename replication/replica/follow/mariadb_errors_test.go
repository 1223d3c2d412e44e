package follow

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/test/peer"
)

// What goes wrong has the number and the text that a MariaDB shows that follows the same primary.
func TestErrorsOfMariaDB(t *testing.T) {
	s, db := startPrimary(t)
	peer.Exec(t, db, "CREATE TABLE d.t (a INT)", "CREATE USER 'nobody'@'%' IDENTIFIED BY 'secret'", "FLUSH BINARY LOGS", "INSERT INTO d.t VALUES (1)",
		"FLUSH BINARY LOGS")
	oldest := firstFile(t, db)
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2})
	rdb := replica.DB("")
	defer rdb.Close()
	purge := func() { peer.Exec(t, db, "PURGE BINARY LOGS TO '"+nextFile(oldest)+"'") }
	for _, c := range []struct {
		name   string
		change string
		with   func(*Options)
		before func()
		retry  bool
	}{
		{name: "password", change: "MASTER_PASSWORD='wrong'", with: func(o *Options) { o.Settings.Password = "wrong" }, retry: true},
		{name: "port", change: "MASTER_PORT=1", with: func(o *Options) { o.Settings.Port = 1 }, retry: true},
		{name: "host", change: "MASTER_HOST='no.such.host.invalid'", with: func(o *Options) { o.Settings.Host = "no.such.host.invalid" }, retry: true},
		{name: "server id", change: "MASTER_USE_GTID=no", with: func(o *Options) { o.Settings.GTID, o.ServerID = primary.NoGTID, 1 }, before: func() { peer.Exec(t, rdb, "SET GLOBAL server_id=1") }},
		{name: "privilege", change: "MASTER_USER='nobody'", with: func(o *Options) { o.Settings.User = "nobody" }, retry: true},
		{name: "unknown GTID", change: "0-9-5", with: func(o *Options) { o.From = gtid.Position{0: {Server: 9, Seq: 5}} }},
		{name: "future GTID", change: "0-1-500", with: func(o *Options) { o.From = gtid.Position{0: {Server: 1, Seq: 500}} }},
		{name: "unknown file", change: "MASTER_LOG_FILE='nothing.000001', MASTER_LOG_POS=4", with: func(o *Options) {
			o.Settings.GTID, o.Settings.Place = primary.NoGTID, primary.Place{File: "nothing.000001", Pos: 4}
		}},
		{name: "impossible position", change: "MASTER_LOG_FILE='" + oldest + "', MASTER_LOG_POS=4000000", with: func(o *Options) {
			o.Settings.GTID, o.Settings.Place = primary.NoGTID, primary.Place{File: oldest, Pos: 4000000}
		}},
		{name: "purged", change: "MASTER_USE_GTID=slave_pos", with: func(o *Options) {}, before: purge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.before != nil {
				c.before()
			}
			peer.Exec(t, rdb, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL gtid_slave_pos=''")
			change := c.change
			if strings.HasPrefix(change, "0-") {
				peer.Exec(t, rdb, "SET GLOBAL gtid_slave_pos='"+change+"'")
				change = "MASTER_USE_GTID=slave_pos"
			}
			peer.Exec(t, rdb, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_CONNECT_RETRY=1", s.Port),
				"CHANGE MASTER TO "+change, "START SLAVE IO_THREAD")
			var number, text string
			peer.Await(t, atMost, "an error of the replica", func() (bool, error) {
				number, text = shown(t, rdb, "Last_IO_Errno"), shown(t, rdb, "Last_IO_Error")
				return number != "0", nil
			})
			peer.Exec(t, rdb, "STOP SLAVE", "SET GLOBAL server_id=2")

			o := optionsFor(s)
			c.with(&o)
			conn, err := Connect(t.Context(), o)
			for err == nil {
				_, err = conn.Next(t.Context())
			}
			if conn != nil {
				_ = conn.Close()
			}
			var e *primary.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			if strconv.Itoa(int(e.Number)) != number || e.Text != text || e.Retry != c.retry {
				t.Errorf("\n got %d %s (retry %t)\nwant %s %s", e.Number, e.Text, e.Retry, number, text)
			}
		})
	}
}

func firstFile(t *testing.T, db *sql.DB) string {
	t.Helper()
	var name, size string
	if err := db.QueryRow("SHOW BINARY LOGS").Scan(&name, &size); err != nil {
		t.Fatal(err)
	}
	return name
}

func nextFile(name string) string {
	dot := strings.LastIndexByte(name, '.')
	n, _ := strconv.Atoi(name[dot+1:])
	return fmt.Sprintf("%s.%06d", name[:dot], n+1)
}

// shown is a column of SHOW SLAVE STATUS.
func shown(t *testing.T, db *sql.DB, column string) string {
	t.Helper()
	rows, err := db.Query("SHOW SLAVE STATUS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	if !rows.Next() {
		t.Fatal("no SHOW SLAVE STATUS")
	}
	values := make([]any, len(names))
	for i := range values {
		values[i] = new(sql.NullString)
	}
	if err := rows.Scan(values...); err != nil {
		t.Fatal(err)
	}
	return values[slices.Index(names, column)].(*sql.NullString).String
}
