package suite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// Config is what is measured. A run can only be resumed with an equal one.
type Config struct {
	Suite      string             `json:"suite"`
	Tests      []Test             `json:"tests"`
	Contenders []target.Contender `json:"contenders"`
	// Tables is their number, where the workload does not fix it.
	Tables    int           `json:"tables"`
	TableSize int           `json:"table_size"` // rows of each
	WarmUp    time.Duration `json:"warm_up_ns"`
	Time      time.Duration `json:"time_ns"`
	// Events, if it is not 0, is how many transactions a turn makes; WarmUp and Time do not count then.
	Events int `json:"events,omitempty"`
	// Flush: what a turn has changed reaches the device within the turn; see runner.flush.
	Flush      bool          `json:"flush,omitempty"`
	Repeats    int           `json:"repeats"`
	Settle     time.Duration `json:"settle_ns"` // how long a turn waits at most for the device to come to rest
	Prepared   bool          `json:"prepared_statements"`
	CacheBytes int64         `json:"cache_bytes"`
	// Extra are further lines of the option files, by the name of the server.
	Extra map[string][]string `json:"extra,omitempty"`
	Base  Base                `json:"base"`
	// Together: all workloads take turns, since they are compared with each other, not only all servers.
	Together bool `json:"together,omitempty"`
	// Replicas: the contenders do not run the workloads, they apply the log of a primary on which these ran. nil otherwise.
	Replicas *Replicas `json:"replicas,omitempty"`
	// Pairs, by the names of all servers, if each is a primary with a replica of its own. nil otherwise.
	Pairs map[string]Pair `json:"pairs,omitempty"`
	// Notes say what else the report should say, such as what a server takes no part in.
	Notes []string `json:"notes,omitempty"`
}

// New is the configuration of a suite on servers, before any flag changes it.
func New(s Suite) Config {
	return Config{
		Suite: s.Name, Tests: slices.Clone(s.Tests), Tables: s.Tables, TableSize: s.TableSize, Events: s.Events, Flush: s.Flush,
		WarmUp: s.WarmUp, Time: s.Time, Repeats: s.Repeats, Settle: s.Settle, Prepared: true, CacheBytes: 1 << 30, Base: s.Base, Together: s.Together,
	}
}

// SetContenders combines servers and profiles: those of one profile are neighbours.
func (c *Config) SetContenders(specs []target.Spec, wanted []string) error {
	if err := target.CheckNames(specs); err != nil {
		return err
	}
	c.Contenders = nil
	for _, s := range specs {
		if s.Kind == target.Running {
			c.Contenders = append(c.Contenders, target.Contender{Spec: s, Profile: target.AsIs})
		}
	}
	for _, p := range wanted {
		found := false
		for _, s := range specs {
			if s.Kind != target.Running && slices.Contains(s.Profiles(wanted), p) {
				c.Contenders = append(c.Contenders, target.Contender{Spec: s, Profile: p})
				found = true
			}
		}
		if !found && len(c.Contenders) < len(specs) {
			return fmt.Errorf("none of the servers has a profile %q", p)
		}
	}
	if len(c.Contenders) == 0 {
		return fmt.Errorf("none of the servers has one of the profiles %s", strings.Join(wanted, ", "))
	}
	return nil
}

// Validate reports what cannot be measured.
func (c *Config) Validate() error {
	if len(c.Contenders) == 0 || len(c.Tests) == 0 {
		return errors.New("nothing to measure: want at least one server and one test")
	}
	for _, t := range c.Tests {
		w, err := load.Find(t.Workload)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(c.Contenders, func(who target.Contender) bool { return takesPart(who, w) }) {
			return fmt.Errorf("%s: none of the servers has engines for %s tables", t.Workload, strings.Join(w.Sets, " and "))
		}
		if w.Halves && c.tables(w) < 2 {
			return fmt.Errorf("%s: it needs at least 2 tables", t.Workload)
		}
		if c.Replicas != nil && (w.Restore || len(w.Sets) > 0) {
			return fmt.Errorf("%s: a workload whose tables are restored, or are in other engines than the default one, is not for replicas", t.Workload)
		}
		if err := c.validatePair(w); err != nil {
			return err
		}
		if len(t.Clients) == 0 {
			return fmt.Errorf("%s: no number of clients", t.Workload)
		}
		for _, n := range t.Clients {
			if n < 1 || n > 1024 {
				return fmt.Errorf("%d clients: it must be from 1 to 1024", n)
			}
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
		least time.Duration
	}{{"time", c.Time, time.Second}, {"warm-up", c.WarmUp, 0}} {
		if d.value < d.least || d.value%time.Second != 0 {
			return fmt.Errorf("%s of %v: sysbench counts in whole seconds, at least %v", d.name, d.value, d.least)
		}
	}
	if c.Replicas != nil && (c.Events == 0 || c.Flush) {
		return errors.New("replicas apply a number of transactions: want events, and no flush")
	}
	for _, n := range []struct {
		name         string
		value, least int
	}{{"events", c.Events, 0}, {"tables", c.Tables, 1}, {"table size", c.TableSize, 100}, {"repeats", c.Repeats, 1}} {
		if n.value < n.least {
			return fmt.Errorf("%s: %d is less than %d", n.name, n.value, n.least)
		}
	}
	return nil
}

// AddOptions adds the options that a suite has for the servers.
func (c *Config) AddOptions(s Suite, specs []target.Spec) {
	for _, spec := range specs {
		if len(s.Options) == 0 || spec.Kind == target.Running {
			continue
		}
		if c.Extra == nil {
			c.Extra = map[string][]string{}
		}
		c.Extra[spec.Name] = append(c.Extra[spec.Name], s.Options...)
	}
}

// Turn says how long a turn is.
func (c *Config) Turn() string {
	what := fmt.Sprintf("%v, after %v of warm-up", c.Time, c.WarmUp)
	if c.Events > 0 {
		what = fmt.Sprintf("%d transactions", c.Events)
	}
	if c.Replicas != nil {
		what += " of a primary's log, from START SLAVE until the last of them is applied; each repeat has a log of its own, the same for all"
	}
	if len(c.Pairs) > 0 {
		what += ", on a primary with a replica, which has the same rows afterwards"
	}
	if c.Flush {
		what += ", and until all of it is in the engines' files"
	}
	return what
}

// tables is the number of tables that a workload uses, and tablesMade what the servers get.
func (c *Config) tables(w load.Workload) int {
	if w.Tables > 0 {
		return w.Tables
	}
	return c.Tables
}

func (c *Config) tablesMade() int {
	n := 0
	for _, t := range c.Tests {
		// Validate has found unknown ones.
		w, _ := load.Find(t.Workload)
		n = max(n, c.tables(w))
	}
	return n
}

// SetTests replaces the workloads. One that the suite has keeps its numbers of clients; others get those of the first.
func (c *Config) SetTests(workloads []string) {
	old := c.Tests
	c.Tests = nil
	for _, name := range workloads {
		t := Test{Workload: name, Clients: old[0].Clients}
		for _, o := range old {
			if o.Workload == name {
				t.Clients = o.Clients
			}
		}
		c.Tests = append(c.Tests, t)
	}
}

// SetClients replaces the numbers of clients of all tests.
func (c *Config) SetClients(clients []int) {
	for i := range c.Tests {
		c.Tests[i].Clients = clients
	}
}
