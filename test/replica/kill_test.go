package replica

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/test/peer"
)

// TestReplicaOfAKilledPrimary kills the primary under load, again and again. The replica must
// never have what the primary lost: what it has received is there when the primary is back, and in the
// end both hold the same.
//
// A killed process loses nothing that it gave to the operating system. What a replica has when the power fails is
// checked by the crash laboratory (store/crashtest), on a file system that forgets what was not synced.
func TestReplicaOfAKilledPrimary(t *testing.T) {
	for _, syncs := range []int{1, 0} {
		t.Run(fmt.Sprintf("sync_binlog=%d", syncs), func(t *testing.T) { killPrimary(t, syncs, peer.Scaled(4, 50)) })
	}
}

func killPrimary(t *testing.T, syncs, rounds int) {
	peer.RequireMariaDB(t)
	peer.RequireTool(t, "sysbench")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	// Small files make rotation part of what is interrupted.
	primary := peer.Start(t, peer.Options{Binlog: true, Args: []string{"--max-binlog-size=1048576", "--sync-binlog=" + strconv.Itoa(syncs)}})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--log-bin=relayed", "--log-slave-updates", "--slave-net-timeout=10"}})
	rdb := replica.DB("")
	defer rdb.Close()
	pdb := primary.DB("")
	peer.Exec(t, pdb, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'",
		"CREATE DATABASE sbtest")
	peer.Exec(t, rdb, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', "+
		"MASTER_CONNECT_RETRY=1, MASTER_HEARTBEAT_PERIOD=1, MASTER_USE_GTID=slave_pos", primary.Port), "START SLAVE")
	b := peer.Sysbench{Script: "oltp_write_only", Tables: 3, TableSize: 500, Threads: 8, Time: time.Hour}
	b.Must(t, primary, "prepare")
	_ = pdb.Close()

	for round := 1; round <= rounds; round++ {
		ctx, cancel := context.WithCancel(context.Background())
		var load sync.WaitGroup
		load.Go(func() { _, _ = b.Do(ctx, primary, "run") }) // it ends with an error when the primary is killed
		// How long the load runs is drawn; there is no condition to wait for.
		<-time.After(time.Duration(300+rnd.IntN(1200)) * time.Millisecond)
		primary.Kill()
		cancel()
		load.Wait()
		had := received(t, rdb)
		primary.Up()
		pdb := primary.DB("")
		has := position(t, peer.MustRows(t, pdb, "SELECT @@GLOBAL.gtid_binlog_pos")[0])
		for domain, g := range had {
			if has[domain].Seq < g.Seq {
				t.Fatalf("round %d: the replica has %s, the primary came back with %s", round, g, has[domain])
			}
		}
		t.Logf("round %d: the replica had %s, the primary came back with %s", round, had, has)
		if round%4 == 0 || round == rounds {
			catchUp(t, pdb, rdb)
			peer.RequireEqualContent(t, pdb, rdb)
		}
		_ = pdb.Close()
		if t.Failed() {
			return
		}
	}
	primary.Stop()
	verifyLog(t, primary)
}

// received is what the replica has got from the primary, applied or not.
func received(t *testing.T, rdb *sql.DB) gtid.Position {
	t.Helper()
	applied := position(t, peer.MustRows(t, rdb, "SELECT @@GLOBAL.gtid_slave_pos")[0])
	var text string
	rows, err := rdb.Query("SHOW SLAVE STATUS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatalf("SHOW SLAVE STATUS gave nothing: %v", err)
	}
	dest := make([]any, len(cols))
	for i, c := range cols {
		dest[i] = new(sql.RawBytes)
		if c == "Gtid_IO_Pos" {
			dest[i] = &text
		}
	}
	if err := rows.Scan(dest...); err != nil {
		t.Fatal(err)
	}
	for domain, g := range position(t, text) {
		if applied[domain].Seq < g.Seq {
			applied[domain] = g
		}
	}
	return applied
}

// position parses a GTID position, which may be quoted.
func position(t *testing.T, text string) gtid.Position {
	t.Helper()
	p, err := gtid.ParsePosition(strings.Trim(text, `"`))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// verifyLog lets the tool look at every event of the log.
func verifyLog(t *testing.T, s *peer.Server) {
	t.Helper()
	if s.Kind != peer.Duramen {
		return
	}
	if out, err := exec.Command(peer.Binary(t), "binlog", "verify", s.Dir).CombinedOutput(); err != nil {
		t.Errorf("duramen binlog verify: %v\n%s", err, out)
	}
}
