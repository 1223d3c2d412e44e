package suite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

func specs() []target.Spec {
	return []target.Spec{{Name: "duramen", Kind: target.Duramen}, {Name: "mariadb", Kind: target.MariaDB}}
}

func TestEverySuiteIsValid(t *testing.T) {
	for _, s := range Suites {
		t.Run(s.Name, func(t *testing.T) {
			found, err := Find(s.Name)
			require.NoError(t, err)
			require.Equal(t, s, found)
			c := New(s)
			all := specs()
			if s.OnlyDuramen {
				all = all[:1]
			}
			for i := range all {
				all[i].Engines = []string{"A", "B", "C"}
			}
			require.NoError(t, c.SetContenders(all, s.Profiles))
			require.NoError(t, c.Validate())
			require.NotEmpty(t, s.What)
			require.NotEmpty(t, c.Base)
		})
	}
	_, err := Find("nothing")
	require.ErrorContains(t, err, "there are quick, binlog-engine")
}

func TestContenders(t *testing.T) {
	running := target.Spec{Name: "prod", Kind: target.Running, DSN: "u@tcp(h:1)/"}
	for _, c := range []struct {
		name     string
		specs    []target.Spec
		profiles []string
		want     []string
		fails    string
	}{
		{"profile by profile", specs(), []string{"sync", "nosync"}, []string{"duramen/sync", "mariadb/sync", "duramen/nosync", "mariadb/nosync"}, ""},
		{"not every server has each", specs(), []string{"nobinlog", "append"}, []string{"mariadb/nobinlog", "duramen/append"}, ""},
		{"a running server as it is", append(specs(), running), []string{"sync"}, []string{"prod/as-is", "duramen/sync", "mariadb/sync"}, ""},
		{"only a running server", []target.Spec{running}, []string{"sync"}, []string{"prod/as-is"}, ""},
		{"unknown profile", specs(), []string{"fast"}, nil, `none of the servers has a profile "fast"`},
		{"one name twice", append(specs(), specs()[0]), []string{"sync"}, nil, `two servers are called "duramen"`},
		{"no server", nil, []string{"sync"}, nil, "no server"},
		{"a name that is no file", []target.Spec{{Name: "a/b", Kind: target.Duramen}}, []string{"sync"}, nil, "server name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cfg Config
			err := cfg.SetContenders(c.specs, c.profiles)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			var got []string
			for _, who := range cfg.Contenders {
				got = append(got, who.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestTurns(t *testing.T) {
	c := Config{
		Tests:      []Test{{"insert", []int{1}}, {"scan", []int{1, 2}}}, // insert grows its tables: it comes last
		Contenders: []target.Contender{{Spec: target.Spec{Name: "a"}, Profile: "p"}, {Spec: target.Spec{Name: "b"}, Profile: "p"}},
		Repeats:    2,
	}
	var got []string
	for _, turn := range c.Turns() {
		got = append(got, turn.String())
	}
	require.Equal(t, []string{
		"scan, 1 client, a/p, repeat 1", "scan, 1 client, b/p, repeat 1", "scan, 1 client, a/p, repeat 2", "scan, 1 client, b/p, repeat 2",
		"scan, 2 clients, a/p, repeat 1", "scan, 2 clients, b/p, repeat 1", "scan, 2 clients, a/p, repeat 2", "scan, 2 clients, b/p, repeat 2",
		"insert, 1 client, a/p, repeat 1", "insert, 1 client, b/p, repeat 1", "insert, 1 client, a/p, repeat 2", "insert, 1 client, b/p, repeat 2",
	}, got)
}

// Workloads that are compared with each other take turns; a server that lacks an engine takes no part in what needs it.
func TestTurnsTogether(t *testing.T) {
	c := Config{
		Tests: []Test{{"point-first", []int{1, 2}}, {"insert", []int{1}}, {"two-across", []int{1}}},
		Contenders: []target.Contender{
			{Spec: target.Spec{Name: "a", Engines: []string{"A", "B"}}, Profile: "p"}, {Spec: target.Spec{Name: "b", Engines: []string{"A"}}, Profile: "p"},
		},
		Repeats: 2, Together: true,
	}
	var got []string
	for _, turn := range c.Turns() {
		got = append(got, turn.String())
	}
	require.Equal(t, []string{
		"point-first, 1 client, a/p, repeat 1", "point-first, 1 client, b/p, repeat 1", "two-across, 1 client, a/p, repeat 1",
		"point-first, 1 client, a/p, repeat 2", "point-first, 1 client, b/p, repeat 2", "two-across, 1 client, a/p, repeat 2",
		"point-first, 2 clients, a/p, repeat 1", "point-first, 2 clients, b/p, repeat 1",
		"point-first, 2 clients, a/p, repeat 2", "point-first, 2 clients, b/p, repeat 2",
		"insert, 1 client, a/p, repeat 1", "insert, 1 client, b/p, repeat 1", "insert, 1 client, a/p, repeat 2", "insert, 1 client, b/p, repeat 2",
	}, got)
	require.Equal(t, []string{load.First, load.Plain, load.Second}, c.Sets())
	require.True(t, c.NeedsEngines())
	require.Equal(t, []load.Set{{Prefix: load.First, Engine: "A"}, {Prefix: load.Plain}}, c.tableSets(c.Contenders[1]))
}

// Contenders get the same random numbers, and no two turns of a contender do.
func TestSeeds(t *testing.T) {
	for _, s := range Suites {
		c := New(s)
		all := specs()
		for i := range all {
			all[i].Engines = []string{"A", "B", "C"}
		}
		require.NoError(t, c.SetContenders(all, s.Profiles))
		seeds := map[int]Turn{}
		for _, turn := range c.Turns() {
			seed := turn.seed()
			require.Positive(t, seed)
			turn.Contender = ""
			if other, taken := seeds[seed]; taken {
				require.Equal(t, other, turn)
			}
			seeds[seed] = turn
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		fails  string
	}{
		{"nothing", func(*Config) {}, ""},
		{"no warm-up", func(c *Config) { c.WarmUp = 0 }, ""},
		{"no engines", func(c *Config) { c.SetTests([]string{"two-across"}) }, "none of the servers has engines for first and second tables"},
		{"one table for two", func(c *Config) {
			c.SetTests([]string{"two-in-first"})
			c.Contenders[0].Engines = []string{"A"}
			c.Tables = 1
		}, "at least 2 tables"},
		{"no tests", func(c *Config) { c.Tests = nil }, "nothing to measure"},
		{"unknown workload", func(c *Config) { c.SetTests([]string{"x"}) }, `no workload "x"`},
		{"0 clients", func(c *Config) { c.SetClients([]int{0}) }, "0 clients"},
		{"too many clients", func(c *Config) { c.SetClients([]int{2000}) }, "2000 clients"},
		{"clients missing", func(c *Config) { c.SetClients(nil) }, "no number of clients"},
		{"half a second", func(c *Config) { c.Time = 1500 * time.Millisecond }, "whole seconds"},
		{"no time", func(c *Config) { c.Time = 0 }, "at least 1s"},
		{"negative warm-up", func(c *Config) { c.WarmUp = -time.Second }, "warm-up"},
		{"no tables", func(c *Config) { c.Tables = 0 }, "tables: 0"},
		{"small tables", func(c *Config) { c.TableSize = 10 }, "table size: 10"},
		{"no repeats", func(c *Config) { c.Repeats = 0 }, "repeats: 0"},
		{"less than no transactions", func(c *Config) { c.Events = -1 }, "events: -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := New(Suites[0])
			require.NoError(t, cfg.SetContenders(specs(), []string{"sync"}))
			c.change(&cfg)
			if err := cfg.Validate(); c.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.fails)
			}
		})
	}
}

func TestSetTestsKeepsClients(t *testing.T) {
	c := Config{Tests: []Test{{"insert", []int{1, 8}}, {"scan", []int{4}}}}
	c.SetTests([]string{"scan", "delete"})
	require.Equal(t, []Test{{"scan", []int{4}}, {"delete", []int{1, 8}}}, c.Tests)
}

func TestTables(t *testing.T) {
	c := Config{Tables: 2, Tests: []Test{{"insert", []int{1}}}}
	require.Equal(t, 2, c.tablesMade())
	c.Tests = append(c.Tests, Test{"oltp-rw", []int{1}})
	require.Equal(t, 8, c.tablesMade())
	w, err := load.Find("oltp-rw")
	require.NoError(t, err)
	require.Equal(t, 8, c.tables(w))
}

func TestTurnInWords(t *testing.T) {
	c := Config{Time: 4 * time.Second, WarmUp: time.Second}
	require.Equal(t, "4s, after 1s of warm-up", c.Turn())
	c.Events, c.Flush = 100, true
	require.Equal(t, "100 transactions, and until all of it is in the engines' files", c.Turn())
}

func TestAddOptions(t *testing.T) {
	var c Config
	c.AddOptions(Suite{}, specs())
	require.Nil(t, c.Extra)
	c.AddOptions(Suite{Options: []string{"a = 1"}}, append(specs(), target.Spec{Name: "prod", Kind: target.Running}))
	require.Equal(t, map[string][]string{"duramen": {"a = 1"}, "mariadb": {"a = 1"}}, c.Extra)
}
