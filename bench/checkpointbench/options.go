package checkpointbench

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/duramendb/duramen/bench/target"
)

// Options of Run. Zero values mean the defaults; Server has to be given.
type Options struct {
	Dir        string      // where the data goes; "" means the current directory
	Server     target.Spec // a Duramen, with the Engines to be measured
	Profile    string      // sync
	Clients    []int       // 1 and 16
	Tables     int         // of each engine; 4
	TableSize  int         // rows of each table; 100,000
	Time       time.Duration
	Rounds     int // 3
	CacheBytes int64
	Sysbench   string    // which fills the tables
	Raw        io.Writer // gets each Slice as a line of JSON; nil: nowhere
	Progress   io.Writer // see turns.Options
}

// EnsureDefaults fills in what is not set.
func (o *Options) EnsureDefaults() {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Profile == "" {
		o.Profile = "sync"
	}
	if len(o.Clients) == 0 {
		o.Clients = []int{1, 16}
	}
	if o.Tables == 0 {
		o.Tables = 4
	}
	if o.TableSize == 0 {
		o.TableSize = 100_000
	}
	if o.Time == 0 {
		o.Time = 10 * time.Second
	}
	if o.Rounds == 0 {
		o.Rounds = 3
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 1 << 30
	}
	if o.Sysbench == "" {
		o.Sysbench = "sysbench"
	}
}

// timeMin is the least time of a turn: a checkpoint becomes due once a second.
const timeMin = 2 * time.Second

// Validate reports what cannot work.
func (o *Options) Validate() error {
	if o.Server.Kind != target.Duramen {
		return errors.New("the server has to be a Duramen: no other one says when its engines make checkpoints")
	}
	if len(o.Server.Engines) == 0 || len(o.Server.Engines) > len(target.EngineSets) {
		return fmt.Errorf("%d engines: want 1 to %d", len(o.Server.Engines), len(target.EngineSets))
	}
	for _, n := range o.Clients {
		if n < 1 || n > 1024 {
			return fmt.Errorf("%d clients: it must be from 1 to 1024", n)
		}
	}
	if o.Tables < 1 || o.TableSize < 100 || o.Rounds < 1 || o.Time < timeMin {
		return fmt.Errorf("%d tables of %d rows, %d rounds of %v: want at least 1, 100, 1 and %v", o.Tables, o.TableSize, o.Rounds, o.Time, timeMin)
	}
	return nil
}
