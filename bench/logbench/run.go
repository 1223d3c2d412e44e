package logbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/turns"
	"github.com/duramendb/duramen/binlog"
)

// Options of Run. Zero values mean the defaults.
type Options struct {
	Dir        string        // where the files go; "" means the current directory
	Duration   time.Duration // of the commits, without preparing files and background work; 1 minute
	Rounds     int           // 10
	Committers []int         // 1, 4, 16, 64, 256, 1024
	Contenders []string      // names of the package comment; all but lsm-append
	SyncMethod string        // binlog_sync_method of the pipelines; auto
	Raw        io.Writer     // gets each Slice as a line of JSON; nil: nowhere
	Progress   io.Writer     // see turns.Options
	// CPUProfile gets a profile of the whole run in pprof's format, labelled by
	// contender (go tool pprof -tagfocus contender=lsm); nil: nowhere.
	CPUProfile io.Writer

	segmentForTesting int64
}

// EnsureDefaults fills in what is not set.
func (o *Options) EnsureDefaults() {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Duration == 0 {
		o.Duration = time.Minute
	}
	if o.Rounds == 0 {
		o.Rounds = 10
	}
	if len(o.Committers) == 0 {
		o.Committers = []int{1, 4, 16, 64, 256, 1024}
	}
	if o.segmentForTesting == 0 {
		o.segmentForTesting = binlog.DefaultMaxSize
	}
	if o.SyncMethod == "" {
		o.SyncMethod = binlog.SyncAuto.String()
	}
	if len(o.Contenders) == 0 {
		o.Contenders = []string{"lsm", "log", "bare", "raw", "raw-direct"}
	}
}

// Validate reports what cannot work.
func (o *Options) Validate() error {
	for _, n := range o.Committers {
		if n < 1 || n > 1<<16 {
			return fmt.Errorf("%d committers: it must be from 1 to 65536", n)
		}
	}
	if o.Duration < 0 || o.Rounds < 1 {
		return fmt.Errorf("%v in %d rounds: both must be positive", o.Duration, o.Rounds)
	}
	if _, err := binlog.ParseSyncMethod(o.SyncMethod); err != nil {
		return err
	}
	for i, name := range o.Contenders {
		if _, ok := makers[name]; !ok {
			return fmt.Errorf("there is no contender %q; known are: %s", name, strings.Join(Contenders(), " "))
		}
		if slices.Contains(o.Contenders[:i], name) {
			return fmt.Errorf("contender %q is named twice", name)
		}
	}
	return nil
}

// setup is what a contender is made from.
type setup struct {
	path    string // a file or directory of its own, which does not exist yet
	method  binlog.SyncMethod
	segment int64 // bytes of a file of the log, and of the files of bare and raw
	unit    int   // bytes of a block of raw-direct
}

var makers = map[string]func(s setup) (contender, error){
	"lsm": func(s setup) (contender, error) {
		return openPipeline(s.path, pipelineOptions{lsm: true, preallocate: true, method: s.method, segment: s.segment})
	},
	"lsm-append": func(s setup) (contender, error) {
		return openPipeline(s.path, pipelineOptions{lsm: true, segment: s.segment})
	},
	"log": func(s setup) (contender, error) {
		return openPipeline(s.path, pipelineOptions{preallocate: true, method: s.method, segment: s.segment})
	},
	"bare":       func(s setup) (contender, error) { return openBare(s.path, s.segment) },
	"raw":        func(s setup) (contender, error) { return openRaw(s.path, s.segment, device.Buffered, 0) },
	"raw-direct": func(s setup) (contender, error) { return openRaw(s.path, s.segment, device.Direct, s.unit) },
}

// Contenders are the names of all there are.
func Contenders() []string {
	return []string{"lsm", "log", "lsm-append", "bare", "raw", "raw-direct"}
}

// isPipeline tells the contenders that others imitate.
func isPipeline(name string) bool { return name == "log" || strings.HasPrefix(name, "lsm") }

// Cell is what was measured of a contender at one number of committers.
type Cell struct {
	Contender  string
	Committers int
	Slices     []Slice
	Latencies  stat.Histogram // of all slices
}

func (c *Cell) each(f func(s *Slice) float64) []float64 {
	values := make([]float64, len(c.Slices))
	for i := range c.Slices {
		values[i] = f(&c.Slices[i])
	}
	return values
}

// Result is what Run measured.
type Result struct {
	Options Options
	Machine string
	Meter   *device.Meter
	Notes   []string // what could not be done
	Cells   []*Cell
}

// Cell finds a cell; nil if there is none.
func (r *Result) Cell(contender string, committers int) *Cell {
	for _, c := range r.Cells {
		if c.Contender == contender && c.Committers == committers {
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
	dir, err := os.MkdirTemp(o.Dir, "duramen-bench-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if rerr := os.RemoveAll(dir); err == nil {
			err = rerr
		}
	}()
	contenders := map[string]contender{}
	defer func() {
		for name, c := range contenders {
			if cerr := c.close(); cerr != nil {
				err = errors.Join(err, fmt.Errorf("close %s: %w", name, cerr))
			}
		}
	}()
	method, err := binlog.ParseSyncMethod(o.SyncMethod)
	if err != nil {
		return nil, err
	}
	res = &Result{Options: o, Machine: device.Describe(o.Dir), Meter: device.NewMeter(dir)}
	unit := device.BlockBytes
	for _, name := range sorted(o.Contenders) {
		c, err := makers[name](setup{path: filepath.Join(dir, name), method: method, segment: o.segmentForTesting, unit: unit})
		if name == "raw-direct" && (errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP)) {
			res.Notes = append(res.Notes, "raw-direct is left out: this file system has no O_DIRECT")
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", name, err)
		}
		contenders[name] = c
		if p, ok := c.(*pipeline); ok && p.log.SyncMethod() == binlog.SyncDirect {
			unit = p.log.WriteUnit() // raw-direct should not be better or worse for its block
		}
	}
	res.Options.Contenders = slices.DeleteFunc(slices.Clone(o.Contenders), func(name string) bool { return contenders[name] == nil })
	if o.CPUProfile != nil {
		if err := pprof.StartCPUProfile(o.CPUProfile); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	r := runner{res: res, contenders: contenders}
	return r.res, r.run(ctx)
}

// runner gives the contenders their turns.
type runner struct {
	res        *Result
	contenders map[string]contender
	shapes     map[int]shape // by committers, of the pipeline's last turn
	histograms histograms
}

func (r *runner) run(ctx context.Context) error {
	o := &r.res.Options
	var names []string
	for _, n := range o.Committers {
		for _, name := range sorted(o.Contenders) {
			r.res.Cells = append(r.res.Cells, &Cell{Contender: name, Committers: n})
			names = append(names, fmt.Sprintf("%s, %d committers", name, n))
		}
	}
	r.shapes = map[int]shape{}
	out := json.NewEncoder(io.Discard)
	if o.Raw != nil {
		out = json.NewEncoder(o.Raw)
	}
	spell := max(o.Duration/time.Duration(o.Rounds*len(names)), time.Millisecond)
	return turns.Run(ctx, turns.Options{Rounds: o.Rounds, Names: names, Progress: o.Progress}, func(ctx context.Context, t turns.Turn) (err error) {
		c := r.res.Cells[t.Cell]
		var s Slice
		pprof.Do(ctx, pprof.Labels("contender", c.Contender), func(ctx context.Context) {
			s, err = r.contenders[c.Contender].turn(ctx, task{
				committers: c.Committers, spell: spell, shape: r.shape(c.Committers), meter: r.res.Meter, histograms: &r.histograms,
			})
		})
		if err != nil {
			return fmt.Errorf("%s: %w", names[t.Cell], err)
		}
		s.Bench, s.Round, s.Contender, s.Committers = "log", t.Round, c.Contender, c.Committers
		c.Slices = append(c.Slices, s)
		c.Latencies.Merge(&r.histograms.all)
		if isPipeline(c.Contender) && s.Groups > 0 {
			r.shapes[c.Committers] = shape{
				transactionBytes: float64(s.EventBytes) / float64(s.Commits), markBytes: binlog.RoomPerWrite, perGroup: float64(s.Commits) / float64(s.Groups),
			}
		}
		return out.Encode(s)
	})
}

// sorted puts the pipelines first: the others imitate them.
func sorted(names []string) []string {
	list := slices.Clone(names)
	slices.SortStableFunc(list, func(a, b string) int {
		switch {
		case isPipeline(a) == isPipeline(b):
			return 0
		case isPipeline(a):
			return -1
		}
		return 1
	})
	return list
}

// shape is the pipeline's, or without one that of a group of one transaction.
func (r *runner) shape(committers int) shape {
	if s, ok := r.shapes[committers]; ok {
		return s
	}
	return shape{transactionBytes: float64(transactionBytes()), markBytes: binlog.RoomPerWrite, perGroup: 1}
}
