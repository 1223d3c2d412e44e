package suite

import (
	"fmt"
	"strings"
	"time"
)

// Test is a workload at several numbers of clients.
type Test struct {
	Workload string `json:"workload"`
	Clients  []int  `json:"clients"`
}

// Suite is a named plan. Its numbers are defaults, which flags change.
type Suite struct {
	Name, What string
	Tests      []Test
	Profiles   []string
	// OnlyDuramen: the suite compares profiles that no other server has.
	OnlyDuramen       bool
	Tables, TableSize int
	WarmUp, Time      time.Duration
	// Events and Flush: see Config.
	Events  int
	Flush   bool
	Repeats int
	Settle  time.Duration
	Base    Base
	// Replicas: see Config. Config.SetReplicas has to be called.
	Replicas bool
	// Pairs: see Config. Config.SetPairs has to be called.
	Pairs bool
	// Options are lines for the option file of every server.
	Options []string
	// Together: workloads take turns, too, since they are compared with each other.
	Together bool
}

// Base is what throughput is compared with.
type Base string

const (
	// SameProfile compares each contender with the first other server of its profile.
	SameProfile Base = "same profile"
	// FirstOfAll compares all with one, the first that is not Duramen.
	FirstOfAll Base = "one for all"
	// SameServer compares the profiles of a server with its first.
	SameServer Base = "same server"
	// WithoutSemiSync compares the pairs of a server with its first, in the same profile.
	WithoutSemiSync Base = "without semi-sync"
)

func each(clients []int, workloads ...string) []Test {
	var tests []Test
	for _, w := range workloads {
		tests = append(tests, Test{Workload: w, Clients: clients})
	}
	return tests
}

var (
	one     = []int{1}
	doubled = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
)

// Suites are all there are; the first is the default.
var Suites = []Suite{
	{
		Name: "quick", What: "a first look in about five minutes: writes and reads at 1, 8 and 32 clients, all durable",
		Tests:    append([]Test{{"update-nonindex", []int{1, 8, 32}}}, each([]int{8}, "read-write-100", "write-only", "point-query", "insert")...),
		Profiles: []string{"sync"}, Tables: 4, TableSize: 10_000,
		WarmUp: time.Second, Time: 4 * time.Second, Repeats: 3, Settle: time.Second, Base: SameProfile,
	},
	{
		Name: "binlog-engine", What: "ten write-heavy tests with one client, with and without syncs",
		Tests: each(one, "delete", "read-write-100", "read-write-10", "update-index", "update-inlist", "update-nonindex",
			"update-one", "update-zipf", "write-only", "insert"),
		Profiles: []string{"sync", "nosync"}, Tables: 1, TableSize: 1_000_000,
		WarmUp: 5 * time.Second, Time: 30 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: SameProfile,
	},
	{
		Name: "reads", What: "point queries, ranges of 100 rows with SUM, ORDER BY and DISTINCT, transactions of both; 1, 16 and 64 clients",
		Tests:    each([]int{1, 16, 64}, "point-query", "range", "range-sum", "range-ordered", "range-distinct", "read-only-100"),
		Profiles: []string{"sync"}, Tables: 1, TableSize: 100_000,
		WarmUp: 2 * time.Second, Time: 10 * time.Second, Repeats: 3, Settle: 2 * time.Second, Base: SameProfile,
	},
	{
		Name: "binlog-impact", What: "what the binary log costs: OLTP_RW and Update-NoKEY over clients; no binlog, sync_binlog 0, 1000 and 1",
		Tests:    each(doubled, "oltp-rw", "update-nokey"),
		Profiles: []string{"nobinlog", "sync0", "sync1000", "sync"}, Tables: 8, TableSize: 100_000,
		WarmUp: 3 * time.Second, Time: 20 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: FirstOfAll,
	},
	{
		Name: "group-commit", What: "update-nonindex over clients, all durable",
		Tests:    each(doubled, "update-nonindex"),
		Profiles: []string{"sync"}, Tables: 4, TableSize: 100_000,
		WarmUp: 3 * time.Second, Time: 20 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: SameProfile,
	},
	{
		Name: "preallocation", What: "Duramen with binlog_preallocate ON and OFF: update-nonindex and slap-insert at 1, 20 and 50 clients",
		Tests:    each([]int{1, 20, 50}, "update-nonindex", "slap-insert"),
		Profiles: []string{"append", "sync"}, OnlyDuramen: true, Tables: 4, TableSize: 100_000,
		WarmUp: 3 * time.Second, Time: 20 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: SameServer,
	},
	{
		Name: "engines", What: "transactions over two engines against those in one, and single statements per engine; 1 and 64 clients",
		Tests: each([]int{1, 64}, "two-in-first", "two-in-second", "two-across", "update-first", "update-second", "update-memory",
			"point-first", "point-second", "point-memory"),
		Profiles: []string{"sync", "nosync"}, Tables: 4, TableSize: 100_000,
		WarmUp: 2 * time.Second, Time: 10 * time.Second, Repeats: 5, Settle: 5 * time.Second, Base: SameProfile, Together: true,
	},
	{
		Name: "protocols", What: "Duramen's commit protocols beside each other: update-nonindex and write-only over clients, all durable",
		Tests:    each(doubled, "update-nonindex", "write-only"),
		Profiles: []string{"onelog", "2pc", "2pc-eager", "engine"}, OnlyDuramen: true, Tables: 4, TableSize: 100_000,
		WarmUp: 3 * time.Second, Time: 20 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: SameServer,
	},
	{
		Name: "write-amplification", What: "what reaches the device for a changed row, per engine: 200,000 updates by 64 clients, with a checkpoint in the end",
		Tests:    each([]int{64}, "update-first", "update-second"),
		Profiles: []string{"sync"}, Tables: 4, TableSize: 100_000, Events: 200_000, Flush: true,
		// Files of the log that are filled ahead of need are counted when they are filled: smaller ones make that even.
		Options: []string{"max-binlog-size = 16M"},
		Time:    20 * time.Second, Repeats: 3, Settle: 30 * time.Second, Base: SameProfile, Together: true,
	},
	{
		Name: "replica", What: "how fast replicas apply the log of a MariaDB: MariaDB with its parallel modes, and Duramen, all durable",
		Tests:    each([]int{16}, "update-nonindex", "insert", "write-only", "update-one"),
		Profiles: []string{"sync"}, Tables: 1, TableSize: 100_000, Events: 100_000, Replicas: true,
		Time: 20 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: FirstOfAll,
	},
	{
		Name: "semisync", What: "what a replica's acknowledgement costs: Duramen and MariaDB, each with a replica, without semi-sync and with it; 1 and 64 clients, all durable",
		Tests:    each([]int{1, 64}, "update-nonindex", "insert"),
		Profiles: []string{"sync"}, Tables: 4, TableSize: 100_000, Pairs: true,
		WarmUp: 2 * time.Second, Time: 10 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: WithoutSemiSync,
	},
}

// Find finds a suite by its name.
func Find(name string) (Suite, error) {
	var names []string
	for _, s := range Suites {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Suite{}, fmt.Errorf("there is no suite %q; there are %s", name, strings.Join(names, ", "))
}
