package replica

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestShutdownWaitForAllSlaves: SHUTDOWN WAIT FOR ALL SLAVES ends the server when a connected MariaDB was sent everything, whatever the time that statements have for their end, or
// at a signal; whoever waits longest is a replica that does not read. Replicas that acknowledge get everything as well.
func TestShutdownWaitForAllSlaves(t *testing.T) {
	peer.RequireMariaDB(t)
	for _, c := range []struct {
		name                string
		semiSync, impatient bool
	}{{"asynchronous", false, false}, {"semi-synchronous", true, false}, {"given up", false, true}} {
		t.Run(c.name, func(t *testing.T) {
			primary := peer.Start(t, peer.Options{Binlog: true, Args: []string{"--shutdown-timeout=1"}})
			o := peer.Options{ServerID: 2, Args: []string{"--max-allowed-packet=64M"}}
			if c.semiSync {
				o.Args = append(o.Args, "--rpl-semi-sync-slave-enabled=ON")
			}
			replica := peer.StartMariaDB(t, o)
			pdb, rdb := primary.DB(""), replica.DB("")
			defer pdb.Close()
			defer rdb.Close()
			peer.AllowReplication(t, pdb)
			peer.Exec(t, rdb, peer.ChangeMaster(primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
			peer.Exec(t, pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, b LONGBLOB)")
			peer.CatchUp(t, pdb, rdb)
			if c.semiSync {
				peer.Exec(t, pdb, "SET GLOBAL rpl_semi_sync_master_timeout = 1", "SET GLOBAL rpl_semi_sync_master_enabled = ON")
			}
			stopped := func(signal syscall.Signal) {
				t.Helper()
				if err := syscall.Kill(replica.Pid(), signal); err != nil {
					t.Fatal(err)
				}
			}
			stopped(syscall.SIGSTOP)
			defer func() { _ = syscall.Kill(replica.Pid(), syscall.SIGCONT) }()
			for range 3 { // more than the sockets take
				peer.Exec(t, pdb, "INSERT INTO d.t SELECT COUNT(*), REPEAT('x', 12000000) FROM d.t")
			}
			idle := primary.DB("")
			defer idle.Close()
			peer.Exec(t, idle, "DO 1")
			peer.Exec(t, pdb, "SHUTDOWN WAIT FOR ALL SLAVES")
			peer.Await(t, time.Minute, "the end of the other connections", func() (bool, error) {
				_, err := idle.Exec("DO 1")
				return err != nil, err
			})
			if err := primary.Wait(2 * time.Second); err == nil { // longer than shutdown_timeout
				t.Fatal("the primary has ended, and the replica cannot have everything")
			}
			if c.impatient {
				if err := syscall.Kill(primary.Pid(), syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			} else {
				stopped(syscall.SIGCONT)
			}
			if err := primary.Wait(time.Minute); err != nil {
				t.Fatal(err)
			}
			if code := primary.ExitCode(); code != 0 {
				t.Errorf("the primary has ended with %d: %s", code, primary.LogTail(4000))
			}
			if c.impatient {
				if !strings.Contains(primary.LogTail(4000), "not waiting for replicas any more") {
					t.Errorf("the log ends with %s", primary.LogTail(4000))
				}
				return
			}
			peer.Await(t, time.Minute, "the replica", func() (bool, error) {
				rows, err := peer.Rows(rdb, "SELECT COUNT(*), SUM(LENGTH(b)) FROM d.t")
				return err == nil && rows[0] == `"3" "36000000"`, err
			})
		})
	}
}
