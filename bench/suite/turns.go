package suite

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// Turn is one repeat of a cell.
type Turn struct {
	Workload  string `json:"workload"`
	Clients   int    `json:"clients"`
	Contender string `json:"contender"`
	Round     int    `json:"round"` // from 1
}

func (t Turn) String() string {
	return fmt.Sprintf("%s, %s, %s, repeat %d", t.Workload, plural(t.Clients, "client"), t.Contender, t.Round)
}

// seed of the random numbers of a turn: the same for all contenders, and different from those of all other workloads, numbers of clients and
// repeats. Turns with equal numbers would write what the rows have already, which is no change, and is not logged.
func (t Turn) seed() int {
	h := fnv.New32a()
	// It never fails.
	_, _ = fmt.Fprintf(h, "%s %d %d", t.Workload, t.Clients, t.Round)
	return 1 + int(h.Sum32()>>2) // sysbench takes 0 for "any"
}

// takesPart tells whether a server has engines for all sets of tables that a workload uses.
func takesPart(c target.Contender, w load.Workload) bool {
	for _, set := range w.Sets {
		if _, ok := c.Engine(set); !ok {
			return false
		}
	}
	return true
}

// Turns lists all turns in their order. Workloads whose tables grow come last.
func (c *Config) Turns() []Turn {
	var turns []Turn
	for _, grows := range []bool{false, true} {
		var tests []Test
		for _, t := range c.Tests {
			if w, err := load.Find(t.Workload); err == nil && w.Grows == grows {
				tests = append(tests, t)
			}
		}
		if c.Together {
			turns = append(turns, c.together(tests)...)
			continue
		}
		for _, t := range tests {
			for _, n := range t.Clients {
				for round := range c.Repeats {
					turns = append(turns, c.round(t.Workload, n, round+1)...)
				}
			}
		}
	}
	return turns
}

// together makes a round of all tests with a number of clients, then the next round.
func (c *Config) together(tests []Test) []Turn {
	var clients []int
	for _, t := range tests {
		for _, n := range t.Clients {
			if !slices.Contains(clients, n) {
				clients = append(clients, n)
			}
		}
	}
	var turns []Turn
	for _, n := range clients {
		for round := range c.Repeats {
			for _, t := range tests {
				if slices.Contains(t.Clients, n) {
					turns = append(turns, c.round(t.Workload, n, round+1)...)
				}
			}
		}
	}
	return turns
}

// round has a turn for each contender that takes part.
func (c *Config) round(workload string, clients, round int) []Turn {
	w, err := load.Find(workload)
	if err != nil {
		return nil // Validate has said so
	}
	var turns []Turn
	for _, who := range c.Contenders {
		if takesPart(who, w) {
			turns = append(turns, Turn{Workload: workload, Clients: clients, Contender: who.String(), Round: round})
		}
	}
	return turns
}

// Sets are the sets of tables that the tests use.
func (c *Config) Sets() []string {
	var sets []string
	for _, t := range c.Tests {
		// Validate has found unknown ones.
		w, _ := load.Find(t.Workload)
		if len(w.Sets) == 0 {
			w.Sets = []string{load.Plain}
		}
		for _, s := range w.Sets {
			if !slices.Contains(sets, s) {
				sets = append(sets, s)
			}
		}
	}
	return sets
}

// NeedsEngines tells whether the servers have to have Engines.
func (c *Config) NeedsEngines() bool {
	return slices.ContainsFunc(c.Sets(), func(s string) bool { return s != load.Plain })
}
