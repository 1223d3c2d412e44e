package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"time"

	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/turns"
)

// Options of Run. Zero values mean the defaults.
type Options struct {
	Dir      string        // where the files go; "" means the current directory
	Duration time.Duration // of the measurement, without preparing files; 2 minutes
	Rounds   int           // 5
	Sizes    []int         // bytes of a write: 512, 4096, 16384, 65536
	InFlight []int         // writers at the same time: 1, 2, 4, 8
	Methods  []string      // names of Methods; all
	FileSize int64         // 64 MiB
	Raw      io.Writer     // gets each Slice as a line of JSON; nil: nowhere
	Progress io.Writer     // see turns.Options
}

// EnsureDefaults fills in what is not set.
func (o *Options) EnsureDefaults() {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Duration == 0 {
		o.Duration = 2 * time.Minute
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	if len(o.Sizes) == 0 {
		o.Sizes = []int{512, 4096, 16384, 65536}
	}
	if len(o.InFlight) == 0 {
		o.InFlight = []int{1, 2, 4, 8}
	}
	if o.FileSize == 0 {
		o.FileSize = 64 << 20
	}
}

// Validate reports what cannot work.
func (o *Options) Validate() error {
	for _, n := range o.Sizes {
		if n < 1 || int64(n) > o.FileSize {
			return fmt.Errorf("a write of %d bytes: it must be at least 1, and fit into the file of %d bytes", n, o.FileSize)
		}
	}
	for _, n := range o.InFlight {
		if n < 1 || n > 1024 {
			return fmt.Errorf("%d writes in flight: it must be from 1 to 1024", n)
		}
	}
	if o.Duration < 0 || o.Rounds < 1 {
		return fmt.Errorf("%v in %d rounds: both must be positive", o.Duration, o.Rounds)
	}
	return nil
}

// Slice is one turn of one cell.
type Slice struct {
	Bench    string        `json:"bench"`
	Time     time.Time     `json:"time"`
	Round    int           `json:"round"`
	Method   string        `json:"method"`
	Size     int           `json:"size"`
	InFlight int           `json:"in_flight"`
	Writes   int64         `json:"writes"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	stat.Latency
	Traffic
}

// PerSecond is the rate of writes.
func (s *Slice) PerSecond() float64 { return float64(s.Writes) / s.Elapsed.Seconds() }

// Cell is what was measured of one method, size and number in flight.
type Cell struct {
	Method         Method
	Size, InFlight int
	Slices         []Slice
	Latencies      stat.Histogram // of all slices
	// Unsupported is why this cell cannot be measured here, nil if it can.
	Unsupported error
}

// Rates are the writes per second of all slices.
func (c *Cell) Rates() []float64 {
	rates := make([]float64, len(c.Slices))
	for i := range c.Slices {
		rates[i] = c.Slices[i].PerSecond()
	}
	return rates
}

// Traffic is the sum over all slices, and the writes that caused it.
func (c *Cell) Traffic() (t Traffic, writes float64) {
	for i, s := range c.Slices {
		if i == 0 {
			t = s.Traffic
		} else {
			t = t.Plus(s.Traffic)
		}
		writes += float64(s.Writes)
	}
	return t, writes
}

// Result is what Run measured.
type Result struct {
	Options Options
	Machine string
	Meter   *Meter
	Cells   []*Cell
}

// Cell finds a cell; nil if there is none.
func (r *Result) Cell(method string, size, inFlight int) *Cell {
	for _, c := range r.Cells {
		if c.Method.Name == method && c.Size == size && c.InFlight == inFlight {
			return c
		}
	}
	return nil
}

// Run measures. It removes its files, also when ctx ends it early; the Result
// then has what was measured until then, and the error is ctx's.
func Run(ctx context.Context, o Options) (res *Result, err error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	methods, err := MethodsNamed(o.Methods)
	if err != nil {
		return nil, err
	}
	res = &Result{Options: o, Machine: Describe(o.Dir), Meter: NewMeter(o.Dir)}
	var names []string
	for _, n := range o.InFlight {
		for _, size := range o.Sizes {
			for _, m := range methods { // neighbours in time are those that are compared
				res.Cells = append(res.Cells, &Cell{Method: m, Size: size, InFlight: n})
				names = append(names, fmt.Sprintf("%s, %d bytes, %d in flight", m.Name, size, n))
			}
		}
	}
	f, err := newFiles(o.Dir, o.FileSize)
	if err != nil {
		return nil, err
	}
	defer func() {
		if rerr := f.remove(); err == nil {
			err = rerr
		}
	}()
	if err := f.settle(methods); err != nil {
		return nil, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))

	raw := json.NewEncoder(io.Discard)
	if o.Raw != nil {
		raw = json.NewEncoder(o.Raw)
	}
	spell := max(o.Duration/time.Duration(o.Rounds*len(res.Cells)), time.Millisecond)
	err = turns.Run(ctx, turns.Options{Rounds: o.Rounds, Names: names, Progress: o.Progress}, func(ctx context.Context, t turns.Turn) error {
		c := res.Cells[t.Cell]
		if c.Unsupported != nil {
			return nil //nolint:nilerr // the report names it
		}
		s, err := c.measure(ctx, f, res.Meter, spell)
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP) {
			c.Unsupported = err // by this file system, or no multiple of the device's block
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", names[t.Cell], err)
		}
		s.Round = t.Round
		c.Slices = append(c.Slices, s)
		return raw.Encode(s)
	})
	return res, err
}
