package benchsuite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/test/peer"
)

const tables, tableSize = 2, 600

func TestWorkloadsOnDuramen(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	runWorkloads(t, peer.Start(t, peer.Options{}), enginesOf(t, target.Duramen), load.Names())
}

func TestWorkloadsOnMariaDB(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	peer.RequireMariaDB(t)
	engines := enginesOf(t, target.MariaDB)
	o := peer.Options{Binlog: true}
	names := []string{"delete", "read-write-10", "slap-insert", "update-first"}
	if len(engines) > 1 {
		o.Args = []string{"--plugin-load-add=ha_rocksdb.so"}
		names = append(names, "two-in-second", "two-across", "point-second")
	}
	runWorkloads(t, peer.StartMariaDB(t, o), engines, peer.Scaled(names, load.Names()))
}

// enginesOf are the engines that a run would use.
func enginesOf(t *testing.T, kind target.Kind) []string {
	spec, err := target.ParseSpec(string(kind), peer.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	engines, without, err := target.FindEngines(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if without != "" {
		t.Log(without)
	}
	return engines
}

func runWorkloads(t *testing.T, s *peer.Server, engines, names []string) {
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
		Workload: "delete", Sets: []load.Set{{Prefix: load.Plain}},
	}
	for i, e := range engines {
		options.Sets = append(options.Sets, load.Set{Prefix: target.EngineSets[i], Engine: e})
	}
	if err := sysbench.Prepare(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	for _, set := range options.Sets {
		for n := range tables {
			requireRows(t, s, fmt.Sprintf("SELECT COUNT(*), MIN(id), MAX(id) FROM bench.%s%d", set.Prefix, n+1), fmt.Sprintf(`"%d" "1" "%d"`, tableSize, tableSize))
			if set.Engine != "" {
				requireRows(t, s, fmt.Sprintf("SELECT UPPER(engine) FROM information_schema.tables WHERE table_schema = 'bench' AND table_name = '%s%d'", set.Prefix, n+1),
					fmt.Sprintf("%q", strings.ToUpper(set.Engine)))
			}
		}
	}
	for i, name := range names {
		w, err := load.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(w.Sets, func(set string) bool { return slices.Index(target.EngineSets, set) >= len(engines) }) {
			t.Logf("%s takes no part in %s", s.Kind, name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := options
			o.Workload, o.Prepared = name, i%2 == 0
			if name == "update-inlist" {
				o.Prepared = true // 100 parameters
			}
			for _, set := range w.Sets {
				for n := range tables {
					peer.Exec(t, db, fmt.Sprintf("UPDATE bench.%s%d SET c = 'untouched'", set, n+1))
				}
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
			if len(w.Sets) > 0 {
				requireTouched(t, s, w)
			}
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

// touches has the tables that a workload over engines changes rows in; it changes no others.
var touches = map[string][]string{
	"two-in-first": {"first1", "first2"}, "two-in-second": {"second1", "second2"}, "two-across": {"first1", "second2"},
	"update-first": {"first1", "first2"}, "update-second": {"second1", "second2"}, "update-memory": {"memory1", "memory2"},
	"point-first": nil, "point-second": nil, "point-memory": nil,
}

func requireTouched(t *testing.T, s *peer.Server, w load.Workload) {
	t.Helper()
	want, known := touches[w.Name]
	if !known {
		t.Fatalf("what %s changes is not known", w.Name)
	}
	for _, set := range w.Sets {
		for n := range tables {
			table := fmt.Sprintf("%s%d", set, n+1)
			changed := 0
			if slices.Contains(want, table) {
				changed = 1
			}
			requireRows(t, s, fmt.Sprintf("SELECT COUNT(*), COUNT(CASE WHEN c <> 'untouched' THEN 1 END) > 0 FROM bench.%s", table), fmt.Sprintf(`"%d" "%d"`, tableSize, changed))
		}
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
