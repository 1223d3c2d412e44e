package position

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/bench/turns"
	"github.com/duramendb/duramen/bench/usage"
)

// Slice is one turn: a contender has applied the transactions on one set of tables.
type Slice struct {
	Contender
	Data         string        `json:"data"` // the set: first or second
	Engine       string        `json:"engine"`
	Round        int           `json:"round"` // from 1
	Transactions int           `json:"transactions"`
	Elapsed      time.Duration `json:"elapsed_ns"`
	CPU          device.Count  `json:"cpu_ns"` // of the replica; of this program for Duramen
	Syncs        device.Count  `json:"syncs"`
	device.Traffic
}

// PerSecond is the rate.
func (s *Slice) PerSecond() float64 { return float64(s.Transactions) / s.Elapsed.Seconds() }

// Result of a Run.
type Result struct {
	Options Options
	Machine string
	Slices  []Slice
}

// runner has everything that is open.
type runner struct {
	o         *Options
	dir       string                  // of the servers' data
	logs      map[string]*preparedLog // by set of tables
	replicas  map[Contender]*replica
	followers map[Contender]*follower
	cleanup   []func() error
}

// Run measures. When ctx is done it returns what there is, with ctx's error.
func Run(ctx context.Context, o Options) (res *Result, err error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	r := &runner{o: &o, logs: map[string]*preparedLog{}, replicas: map[Contender]*replica{}, followers: map[Contender]*follower{}}
	defer func() { err = errors.Join(err, r.close()) }()
	if r.dir, err = os.MkdirTemp(o.Dir, "duramen-bench-position"); err != nil {
		return nil, err
	}
	r.cleanup = append(r.cleanup, func() error { return os.RemoveAll(r.dir) })
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	res = &Result{Options: o, Machine: device.Describe(o.Dir)}
	return res, r.run(ctx, res)
}

func (r *runner) close() error {
	var errs []error
	for i := len(r.cleanup) - 1; i >= 0; i-- {
		errs = append(errs, r.cleanup[i]())
	}
	return errors.Join(errs...)
}

// start starts a MariaDB.
func (r *runner) start(ctx context.Context, name, profile string, extra []string) (*target.Server, error) {
	r.say("starting %s", name)
	dir := filepath.Join(r.dir, name)
	return target.Start(ctx, target.Contender{Spec: r.o.Server, Profile: profile}, target.Options{
		Dir: dir, DataDir: filepath.Join(dir, "data"), CacheBytes: r.o.CacheBytes, Extra: extra,
	})
}

func (r *runner) say(format string, args ...any) {
	if r.o.Progress != nil {
		// That nobody can read it is no reason to stop measuring.
		_, _ = fmt.Fprintf(r.o.Progress, format+"\n", args...)
	}
}

// open makes the logs and lets all contenders fill their tables.
func (r *runner) open(ctx context.Context) error {
	for _, set := range sets {
		if err := r.prepare(ctx, set); err != nil {
			return err
		}
	}
	for i, c := range r.o.contenders() {
		if _, ours := followers[c.Position]; ours {
			f, err := openFollower(ctx, r.o, filepath.Join(r.dir, "duramen-"+c.Profile+"-"+c.Position), c)
			if f != nil {
				r.cleanup = append(r.cleanup, f.close)
			}
			if err != nil {
				return fmt.Errorf("duramen: %w", err)
			}
			r.followers[c] = f
			continue
		}
		name := c.Profile + "-" + c.Position
		s, err := r.start(ctx, name, c.Profile, replicaOptions(r.o))
		if err != nil {
			return err
		}
		rep, err := follow(ctx, r.o, s, c, 2+i, r.logs)
		if rep != nil {
			r.cleanup = append(r.cleanup, rep.close)
		}
		if err != nil {
			return fmt.Errorf("replica %s: %w", name, err)
		}
		r.replicas[c] = rep
	}
	return nil
}

// prepare starts a primary and makes its log.
func (r *runner) prepare(ctx context.Context, set string) error {
	primary, err := r.start(ctx, "primary-"+set, "nosync", nil)
	if err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, primary.Stop)
	db, err := connect(primary.Address())
	if err != nil {
		return err
	}
	defer db.Close()
	r.say("making a log of %d transactions", r.o.Transactions)
	r.logs[set], err = prepare(ctx, r.o, set, primary, db)
	return err
}

// cell is a contender with a set of tables.
type cell struct {
	Contender
	data string
}

func (r *runner) run(ctx context.Context, res *Result) error {
	var cells []cell
	var names []string
	for _, data := range sets {
		for _, c := range r.o.contenders() {
			cells = append(cells, cell{c, data})
			names = append(names, fmt.Sprintf("%s, %s, data in the %s engine", c.Profile, r.o.name(c.Position), data))
		}
	}
	return turns.Run(ctx, turns.Options{Rounds: r.o.Rounds, Names: names, Progress: r.o.Progress}, func(ctx context.Context, t turns.Turn) error {
		s, err := r.turn(ctx, cells[t.Cell])
		if err != nil {
			return fmt.Errorf("%s: %w", names[t.Cell], err)
		}
		s.Round = t.Round + 1
		res.Slices = append(res.Slices, s)
		if r.o.Raw == nil {
			return nil
		}
		return json.NewEncoder(r.o.Raw).Encode(s)
	})
}

func (r *runner) turn(ctx context.Context, c cell) (Slice, error) {
	s := Slice{Contender: c.Contender, Data: c.data, Transactions: r.o.Transactions}
	log := r.logs[c.data]
	var err error
	if f := r.followers[c.Contender]; f != nil {
		s.Engine = kindNames()[indexOf(c.data)]
		m := newMeters(os.Getpid(), f.store.Dir())
		m.begin()
		s.Elapsed, err = f.apply(ctx, c.data, log.transactions)
		m.end(&s)
		return s, err
	}
	rep := r.replicas[c.Contender]
	s.Engine = r.o.engine(c.data)
	m := newMeters(rep.server.Pid(), rep.server.DataDir())
	s.Elapsed, err = rep.apply(ctx, log, log.from, m.begin)
	m.end(&s)
	return s, err
}

func indexOf(set string) int {
	if set == load.First {
		return 0
	}
	return 1
}

// meters read what a process and its device have counted.
type meters struct {
	pid     int
	dir     string
	device  *device.Meter
	syncs   *usage.Syncs // nil: the kernel does not count for us
	cpu     usage.Process
	traffic device.Traffic
}

func newMeters(pid int, dir string) *meters {
	return &meters{pid: pid, dir: dir, device: device.NewMeter(dir)}
}

func (m *meters) begin() {
	if syncs, err := usage.CountSyncs(m.pid, m.dir); err == nil {
		m.syncs = syncs
	}
	m.cpu, m.traffic = usage.Read(m.pid), m.device.Read()
}

func (m *meters) end(to *Slice) {
	cpu := usage.Read(m.pid)
	to.CPU = device.Count{N: uint64(cpu.CPU - m.cpu.CPU), Known: cpu.CPUKnown && m.cpu.CPUKnown}
	to.Traffic = m.device.Read().Since(m.traffic)
	// Those of this program, not of the replica.
	to.ProcessBytes = device.Count{}
	if m.syncs != nil {
		n, err := m.syncs.Count()
		to.Syncs = device.Count{N: n, Known: err == nil}
		m.syncs.Close()
	}
}
