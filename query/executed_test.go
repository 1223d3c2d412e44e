package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/primary"
)

const sourceUUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"

// fromMySQL is a group of one statement, as a MySQL has logged it.
func fromMySQL(t *testing.T, name string, sql string) *primary.Part {
	set, err := gtid.ParseSet(name)
	require.NoError(t, err)
	p := &primary.Part{Kind: primary.Group, First: true, Last: true, Timestamp: 1, Place: primary.Place{File: "log.000001", Pos: 100},
		GTID:   event.GTIDInfo{GTID: gtid.GTID{Server: 20}, Flags: event.FLStandalone},
		Events: []event.Event{{Header: event.Header{Type: event.QueryEvent, ServerID: 20}, Body: &event.Query{SQL: sql, Charset: [3]uint16{45, 45, 45}, TimeZone: "SYSTEM"}}}}
	for source, list := range set {
		p.MySQL = gtid.MySQL{Source: source, Number: list[0].Start}
	}
	return p
}

// TestExecuted: gtid_executed has what came from a MySQL and what SET GLOBAL gtid_purged said, over everything that could lose it. A primary that sends all once
// more changes nothing: making a database a second time would be an error.
func TestExecuted(t *testing.T) {
	asked := make(chan string, 10)
	s := follower(t, func(c *replica.Config) {
		c.Apply = nil
		c.Receive = func(ctx context.Context, r *replica.Receiving) error {
			r.BySet()
			r.Connected()
			asked <- r.Executed.String()
			for n := 1; n <= 3; n++ {
				if err := r.Put(ctx, fromMySQL(t, fmt.Sprintf("%s:%d", sourceUUID, n), fmt.Sprintf("CREATE DATABASE made%d", n))); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return ctx.Err()
		}
	})
	c := s.connect()
	const executed = "SELECT @@GLOBAL.gtid_executed, @@GLOBAL.gtid_purged"
	is := func(set string) {
		t.Helper()
		require.Equal(t, set+"|"+set, c.query(executed))
	}
	is("")
	c.exec("CHANGE MASTER TO MASTER_HOST='h', MASTER_USER='u', MASTER_USE_GTID=slave_pos")
	const all = sourceUUID + ":1-3"
	follow := func(from string) {
		t.Helper()
		c.exec("START SLAVE")
		require.Equal(t, from, <-asked)
		require.Eventually(t, func() bool { return c.query("SELECT @@GLOBAL.gtid_executed") == all }, waitMax, waitStep)
		status := c.query("SHOW SLAVE STATUS")
		require.Contains(t, status, "|Slave_Pos|"+all+"|")
		for _, q := range []string{"SET GLOBAL gtid_purged=''", "SET GLOBAL gtid_purged='+" + all + "'"} {
			c.fails(1198, q)
		}
		require.Eventually(t, func() bool { return strings.Contains(c.query("SHOW SLAVE STATUS"), "log.000001|100|") }, waitMax, waitStep)
		c.exec("STOP SLAVE")
		require.NotContains(t, c.query("SHOW SLAVE STATUS"), "1007")
		is(all)
		require.Equal(t, "made1\nmade2\nmade3", c.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'made%' ORDER BY 1"))
	}
	follow("")
	follow(all)
	c.exec("RESET SLAVE")
	is(all)
	c.exec("RESET MASTER")
	is(all)
	s.restart()
	c = s.connect()
	is(all)
	follow(all)
	for _, q := range []string{"RESET SLAVE ALL", "FLUSH BINARY LOGS", "SET GLOBAL gtid_slave_pos=''"} {
		c.exec(q)
	}
	is(all)

	const other = "4f22fa47-71ca-11e1-9e33-c80aa9429562:5"
	for _, step := range []struct{ sql, want string }{
		{"SET GLOBAL gtid_purged='+" + other + "'", all + "," + other},
		{"SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '" + other + "'", other}, // as mysqldump writes it; what is in the comment is MySQL's only
		{"SET GLOBAL gtid_purged='" + other + ",\n" + all + "'", all + "," + other},
		{"SET GLOBAL gtid_purged=''", ""},
		{"SET @@GLOBAL.gtid_purged = '" + all + "'", all},
	} {
		c.exec(step.sql)
		is(step.want)
		s.restart()
		c = s.connect()
		is(step.want)
	}
	for _, value := range []string{"'0-1-2'", "'x'", "NULL", "'" + sourceUUID + "'", "'" + sourceUUID + ":tag:1'"} {
		c.fails(1231, "SET GLOBAL gtid_purged="+value)
	}
	c.fails(1230, "SET GLOBAL gtid_purged=DEFAULT")
	c.fails(1238, "SET GLOBAL gtid_executed=''")
	c.fails(1229, "SET gtid_purged=''")
	c.exec("BEGIN")
	c.fails(1179, "SET GLOBAL gtid_purged=''")
	is(all)
}
