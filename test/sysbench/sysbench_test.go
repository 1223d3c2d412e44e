package sysbench

import (
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

func TestBundledScripts(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	s := peer.Start(t, peer.Options{})
	db := s.DB("")
	defer db.Close()

	for _, mode := range []string{"auto", "disable"} {
		for _, script := range peer.Scripts {
			t.Run(mode+"/"+script, func(t *testing.T) {
				peer.Exec(t, db, "DROP DATABASE IF EXISTS sbtest", "CREATE DATABASE sbtest")
				b := peer.Sysbench{
					Script:    script,
					PSMode:    mode,
					Tables:    peer.Scaled(2, 4),
					TableSize: peer.Scaled(2000, 100000),
					Threads:   peer.Scaled(4, 8),
					Time:      peer.Scaled(time.Second, 20*time.Second),
				}
				if strings.HasPrefix(script, "select_random_") {
					b.Tables = 1 // these two scripts refuse more
				}
				b.Must(t, s, "prepare")
				r := b.Must(t, s, "run")
				if r.Transactions == 0 {
					t.Fatalf("no transaction was made:\n%s", r.Output)
				}
				if r.Reconnects > 0 {
					t.Errorf("%d reconnects:\n%s", r.Reconnects, r.Output)
				}
				t.Logf("%d events, %.0f transactions/s, %d retried deadlocks", r.Transactions, r.PerSecond, r.Ignored)
				// What is left over has to be sound. A bulk_insert table is made per thread.
				for _, table := range peer.Tables(t, db) {
					peer.RequireSound(t, db, table)
				}
				b.Must(t, s, "cleanup")
			})
		}
	}
}
