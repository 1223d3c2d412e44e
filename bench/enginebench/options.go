package enginebench

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/duramendb/duramen/engine"
)

// Options of Run. Zero values mean the defaults, except for Kinds.
type Options struct {
	Kinds    []engine.Kind // what is measured; their Dirs are their names here
	Dir      string        // where the files go; "" means the current directory
	Duration time.Duration // of all measurements, without loading; 1 minute
	Rounds   int           // 5
	Rows     []int         // 100,000 and 1,000,000
	KeyBytes int           // 16: a prefix of 8 bytes, as all keys of a table have, and a number
	RowBytes int           // 190, as a row of sysbench
	Raw      io.Writer     // gets each Slice as a line of JSON; nil: nowhere
	Progress io.Writer     // see turns.Options
}

const (
	keyBytesMin = 16
	keyBytesMax = 1024
	rowBytesMax = 1 << 20
	rowsMax     = 1_000_000_000
)

// EnsureDefaults fills in what is not set.
func (o *Options) EnsureDefaults() {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Duration == 0 {
		o.Duration = time.Minute
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	if len(o.Rows) == 0 {
		o.Rows = []int{100_000, 1_000_000}
	}
	if o.KeyBytes == 0 {
		o.KeyBytes = keyBytesMin
	}
	if o.RowBytes == 0 {
		o.RowBytes = 190
	}
}

// Validate reports what cannot work.
func (o *Options) Validate() error {
	if len(o.Kinds) == 0 {
		return errors.New("there are no engines to measure")
	}
	for i, k := range o.Kinds {
		if slices.ContainsFunc(o.Kinds[:i], func(other engine.Kind) bool { return other.Dir() == k.Dir() }) {
			return fmt.Errorf("engine %q is named twice", k.Dir())
		}
	}
	for _, n := range o.Rows {
		if n < 1 || n > rowsMax {
			return fmt.Errorf("%d rows: it must be from 1 to %d", n, rowsMax)
		}
	}
	if o.KeyBytes < keyBytesMin || o.KeyBytes > keyBytesMax {
		return fmt.Errorf("keys of %d bytes: it must be from %d to %d", o.KeyBytes, keyBytesMin, keyBytesMax)
	}
	if o.RowBytes < 1 || o.RowBytes > rowBytesMax {
		return fmt.Errorf("rows of %d bytes: it must be from 1 to %d", o.RowBytes, rowBytesMax)
	}
	if o.Duration < 0 || o.Rounds < 1 {
		return fmt.Errorf("%v in %d rounds: both must be positive", o.Duration, o.Rounds)
	}
	return nil
}

// timed is how many things are measured for a time, and not for a number of rows.
const timed = 6

// spell is the time for one of them in one round.
func (o *Options) spell() time.Duration {
	return max(o.Duration/time.Duration(o.Rounds*len(o.Rows)*len(o.Kinds)*timed), time.Millisecond)
}
