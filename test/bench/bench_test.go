package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

func number(b *testing.B, name string, otherwise int) int {
	b.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return n
}

// BenchmarkBesideMariaDB runs sysbench against both servers in turns.
func BenchmarkBesideMariaDB(b *testing.B) {
	peer.RequireMariaDB(b)
	peer.RequireTool(b, "sysbench")
	rounds := number(b, "BENCH_ROUNDS", 3)
	spell := time.Duration(number(b, "BENCH_SECONDS", 10)) * time.Second
	const tables, size = 4, 10000

	ours := peer.Start(b, peer.Options{Args: []string{"--sync-binlog=1"}})
	theirs := peer.StartMariaDB(b, peer.Options{
		ServerID: 2, Binlog: true,
		Args: []string{"--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=1G"},
	})
	load := peer.Sysbench{Tables: tables, TableSize: size, Threads: 4, Script: "oltp_update_non_index"}
	for _, s := range []*peer.Server{ours, theirs} {
		db := s.DB("")
		peer.Exec(b, db, "CREATE DATABASE sbtest")
		_ = db.Close()
		load.Must(b, s, "prepare")
	}
	var table strings.Builder
	for _, script := range []string{"oltp_update_non_index", "oltp_write_only", "oltp_point_select", "oltp_read_write"} {
		for _, clients := range []int{1, 16} {
			if script != "oltp_update_non_index" && clients == 1 {
				continue
			}
			run := load
			run.Script, run.Threads, run.Time = script, clients, spell
			var a, m []float64
			for range rounds {
				a = append(a, run.Must(b, ours, "run").PerSecond)
				m = append(m, run.Must(b, theirs, "run").PerSecond)
			}
			fmt.Fprintf(&table, "%-22s %2d clients: %9.0f/s  MariaDB 10.11 %9.0f/s  ratio %.2f  (medians of %d turns of %v; %v against %v)\n",
				script, clients, median(a), median(m), median(a)/median(m), rounds, spell, whole(a), whole(m))
		}
	}
	b.Logf("\n%s", table.String())
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

func whole(v []float64) (r []int) {
	for _, x := range v {
		r = append(r, int(x))
	}
	return r
}

// BenchmarkIdle reports what a server needs that does nothing: memory, the time
// from its start to the first answer, and the memory of 1,000 connections.
func BenchmarkIdle(b *testing.B) {
	begin := time.Now()
	s := peer.Start(b, peer.Options{Args: []string{"--max-connections=1100"}})
	first := time.Since(begin)
	s.Stop()
	begin = time.Now()
	s.Up()
	again := time.Since(begin)
	alone := resident(b, s.Pid())
	const connections = 1000
	pools := make([]interface{ Close() error }, 0, connections)
	for range connections {
		db := s.DB("")
		db.SetMaxOpenConns(1)
		if err := db.Ping(); err != nil {
			b.Fatal(err)
		}
		pools = append(pools, db)
	}
	crowded := resident(b, s.Pid())
	for _, p := range pools {
		_ = p.Close()
	}
	b.Logf("first start %v, later start %v, idle %d MB, %d idle connections %d MB",
		first.Round(time.Millisecond), again.Round(time.Millisecond), alone>>20, connections, crowded>>20)
}

// resident is the memory of a process in bytes.
func resident(b *testing.B, pid int) int64 {
	b.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		b.Skipf("the memory of a process can only be read on Linux: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kb int64
			if _, err := fmt.Sscanf(rest, "%d", &kb); err != nil {
				b.Fatal(err)
			}
			return kb << 10
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
