package benchsuite

import (
	"fmt"
	"testing"
	"time"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/test/peer"
)

const tables, tableSize = 2, 600

func TestWorkloadsOnDuramen(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	runWorkloads(t, peer.Start(t, peer.Options{}), load.Names())
}

func TestWorkloadsOnMariaDB(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	runWorkloads(t, peer.StartMariaDB(t, peer.Options{Binlog: true}), peer.Scaled([]string{"delete", "read-write-10", "slap-insert"}, load.Names()))
}

func runWorkloads(t *testing.T, s *peer.Server, names []string) {
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE bench")
	sysbench, err := load.New(t.Context(), "sysbench", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	options := load.Options{
		Address: load.Address{Host: "127.0.0.1", Port: s.Port, User: "root", Database: "bench"},
		Tables:  tables, TableSize: tableSize, Clients: 4, Time: peer.Scaled(time.Second, 5*time.Second), Seed: 1,
	}
	options.Workload = "delete"
	if err := sysbench.Prepare(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			w, err := load.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			o := options
			o.Workload, o.Prepared = name, i%2 == 0
			if name == "update-inlist" {
				o.Prepared = true // 100 parameters
			}
			var moments []string
			r, err := sysbench.Run(t.Context(), o, func(int) { moments = append(moments, "began") }, func() { moments = append(moments, "ended") })
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(moments) != "[began ended]" {
				t.Errorf("moments %v", moments)
			}
			t.Logf("%d transactions, %d repeated, p99 %v", r.Events, r.Errors, r.Latency.P99)
			if !w.Restore {
				return
			}
			if err := sysbench.Restore(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			for n := range tables {
				requireRows(t, s, fmt.Sprintf("SELECT COUNT(*), MIN(id), MAX(id) FROM bench.sbtest%d WHERE id <= %d", n+1, tableSize), fmt.Sprintf(`"%d" "1" "%d"`, tableSize, tableSize))
			}
			requireRows(t, s, "SELECT COUNT(*) FROM bench.slap", `"0"`)
		})
	}
	for n := range tables {
		peer.RequireSound(t, db, fmt.Sprintf("bench.sbtest%d", n+1))
	}
}

func requireRows(t *testing.T, s *peer.Server, query, want string) {
	t.Helper()
	db := s.DB("")
	defer db.Close()
	if rows := peer.MustRows(t, db, query); len(rows) != 1 || rows[0] != want {
		t.Errorf("%s: %v, want %s", query, rows, want)
	}
}
