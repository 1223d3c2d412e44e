package position

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/commit/protocol"
)

// Options of Run. Zero values mean the defaults; Server has to be given.
type Options struct {
	Dir          string      // where the data goes; "" means the current directory
	Server       target.Spec // MariaDB, with two Engines
	Rows         int         // of each table; 10,000
	Transactions int         // of each turn; 5,000
	Rounds       int         // 3
	Profiles     []string    // sync and nosync
	// LogUpdates: replicas write what they apply into a binary log of their own, as Duramen always does.
	LogUpdates bool
	CacheBytes int64     // of each engine; 256 MiB
	Raw        io.Writer // gets each Slice as a line of JSON; nil: nowhere
	Progress   io.Writer // see turns.Options
}

// EnsureDefaults fills in what is not set.
func (o *Options) EnsureDefaults() {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Rows == 0 {
		o.Rows = 10_000
	}
	if o.Transactions == 0 {
		o.Transactions = 5000
	}
	if o.Rounds == 0 {
		o.Rounds = 3
	}
	if len(o.Profiles) == 0 {
		o.Profiles = []string{"sync", "nosync"}
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 256 << 20
	}
}

// Validate reports what cannot work.
func (o *Options) Validate() error {
	if o.Rows < 1 || o.Transactions < 2 || o.Rounds < 1 {
		return fmt.Errorf("%d rows, %d transactions, %d rounds: want at least 1, 2 and 1", o.Rows, o.Transactions, o.Rounds)
	}
	for _, p := range o.Profiles {
		if _, ok := syncBinlog[p]; !ok {
			return fmt.Errorf("profile %q: want sync or nosync", p)
		}
	}
	if o.Server.Kind != target.MariaDB {
		return errors.New("the server has to be a MariaDB: no other one keeps its position in a table of any engine")
	}
	if len(o.Server.Engines) < 2 {
		return fmt.Errorf("server %s: it has to have two engines (on Debian: apt-get install mariadb-plugin-rocksdb)", o.Server.Name)
	}
	return nil
}

// syncBinlog are the values of sync_binlog for Duramen by profile.
var syncBinlog = map[string]uint64{"sync": 1, "nosync": 0}

// sets of tables that the data is in, in their order.
var sets = []string{load.First, load.Second}

// Positions are where a contender keeps its position. Of MariaDB: First and Second engine, Auto in the one of the
// data. Of Duramen: None, because it has no table for it; with the commit protocol 2pc in the first and in the second engine.
const (
	Auto        = "auto"
	None        = "none"
	TwoPCFirst  = "2pc-first"
	TwoPCSecond = "2pc-second"
)

// followers are how Duramen keeps its position, by the names of positions. Those that are not here are MariaDB's.
var followers = map[string]keeping{
	None:        {},
	TwoPCFirst:  {protocol: protocol.TwoPC, set: load.First},
	TwoPCSecond: {protocol: protocol.TwoPC, set: load.Second},
}

// keeping says how a follower commits, and the set of tables with whose engine it keeps its position; "" for none.
type keeping struct {
	protocol protocol.Name
	set      string
}

// Contender applies the log.
type Contender struct {
	Profile  string `json:"profile"`
	Position string `json:"position"`
}

// name in the tables.
func (o *Options) name(position string) string {
	switch position {
	case Auto:
		return "position in both (auto)"
	case None:
		return "Duramen"
	case TwoPCFirst, TwoPCSecond:
		return "Duramen 2pc, position in " + kindNames()[indexOf(followers[position].set)]
	}
	return "position in " + o.engine(position)
}

// engine of MariaDB for a set of tables.
func (o *Options) engine(set string) string { return o.Server.Engines[slices.Index(sets, set)] }

var positions = []string{load.First, load.Second, Auto, None, TwoPCFirst, TwoPCSecond}

func (o *Options) contenders() []Contender {
	var list []Contender
	for _, profile := range o.Profiles {
		for _, p := range positions {
			list = append(list, Contender{Profile: profile, Position: p})
		}
	}
	return list
}
