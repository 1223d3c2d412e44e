package checkpointbench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/stat"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/bench/turns"
)

// Latency of some commits.
type Latency struct {
	Commits uint64 `json:"commits"`
	stat.Latency
}

// Slice is one turn.
type Slice struct {
	Bench   string    `json:"bench"`
	Time    time.Time `json:"time"`
	Round   int       `json:"round"` // from 1
	Engine  string    `json:"engine"`
	Clients int       `json:"clients"`
	HeldOff bool      `json:"held_off"`

	Elapsed time.Duration `json:"elapsed_ns"`
	Inside  Latency       `json:"inside"` // of commits that overlap a checkpoint
	Outside Latency       `json:"outside"`
	// Checkpoints by the engine's count, with their time; Longest is about the longest of them.
	Checkpoints uint64        `json:"checkpoints"`
	Took        time.Duration `json:"checkpoint_time_ns"`
	Longest     time.Duration `json:"checkpoint_longest_ns"`
	// Share of the time that counts as inside: some milliseconds more for each checkpoint than it took.
	Share float64 `json:"share"`

	inside, outside stat.Histogram
}

// PerSecond is the rate.
func (s *Slice) PerSecond() float64 {
	return float64(s.Inside.Commits+s.Outside.Commits) / s.Elapsed.Seconds()
}

// Result of a Run.
type Result struct {
	Options Options
	Machine string
	Slices  []Slice
}

// cell is what takes turns.
type cell struct {
	set     string // of tables
	engine  string
	clients int
	heldOff bool
}

func (o *Options) cells() (cells []cell, names []string) {
	for i, engine := range o.Server.Engines {
		for _, n := range o.Clients {
			for _, heldOff := range []bool{true, false} {
				what := "checkpoints"
				if heldOff {
					what = "held off"
				}
				cells = append(cells, cell{target.EngineSets[i], engine, n, heldOff})
				names = append(names, fmt.Sprintf("%s, clients: %d, %s", engine, n, what))
			}
		}
	}
	return cells, names
}

type runner struct {
	o      *Options
	server *target.Server
	db     *sql.DB
}

// Run measures. With an error, the Result holds what was measured before; it is nil if nothing was.
func Run(ctx context.Context, o Options) (res *Result, err error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, "duramen-bench-checkpoint")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &runner{o: &o}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.open(ctx, dir); err != nil {
		return nil, err
	}
	res = &Result{Options: o, Machine: device.Describe(o.Dir)}
	cells, names := o.cells()
	err = turns.Run(ctx, turns.Options{Rounds: o.Rounds, Names: names, Progress: o.Progress}, func(ctx context.Context, t turns.Turn) error {
		s, err := r.turn(ctx, cells[t.Cell], t)
		if err != nil {
			return fmt.Errorf("%s: %w", names[t.Cell], err)
		}
		res.Slices = append(res.Slices, s)
		if o.Raw == nil {
			return nil
		}
		return json.NewEncoder(o.Raw).Encode(s)
	})
	if len(res.Slices) == 0 {
		return nil, err
	}
	return res, err
}

func (r *runner) say(format string, args ...any) {
	if r.o.Progress != nil {
		// That nobody can read it is no reason to stop measuring.
		_, _ = fmt.Fprintf(r.o.Progress, format+"\n", args...)
	}
}

// neverBytes of binary log are not written between two checkpoints: none becomes due. dueBytes is less than the least that the server takes,
// 1 MiB: at every look a checkpoint is due if so much was written since the last one.
const (
	neverBytes = "1099511627776"
	dueBytes   = "0"
)

func (r *runner) open(ctx context.Context, dir string) (err error) {
	r.say("starting the server, and loading %d tables in each of %d engines", r.o.Tables, len(r.o.Server.Engines))
	sysbench, err := load.New(ctx, r.o.Sysbench, dir)
	if err != nil {
		return err
	}
	r.server, err = target.Start(ctx, target.Contender{Spec: r.o.Server, Profile: r.o.Profile}, target.Options{
		Dir: dir, DataDir: filepath.Join(dir, "data"), CacheBytes: r.o.CacheBytes,
		Extra: []string{"checkpoint-interval = 86400"}, // nothing but the log's size makes one due
	})
	if err != nil {
		return err
	}
	var sets []load.Set
	for i, engine := range r.o.Server.Engines {
		sets = append(sets, load.Set{Prefix: target.EngineSets[i], Engine: engine})
	}
	err = sysbench.Prepare(ctx, load.Options{
		Address: r.server.Address(), Workload: load.Workloads[0].Name, Tables: r.o.Tables, TableSize: r.o.TableSize, Sets: sets, Clients: 2, Seed: 1,
	})
	if err != nil {
		return err
	}
	if r.db, err = open(r.server.Address(), 2); err != nil {
		return err
	}
	for _, engine := range r.o.Server.Engines {
		if _, err := (&watcher{db: r.db, prefix: counters(engine)}).ask(ctx); err != nil {
			return err
		}
	}
	return nil
}

// counters is the prefix of the names of an engine's status counters.
func counters(engine string) string { return "engine_" + strings.ToLower(engine) + "_" }

func (r *runner) close() error {
	var errs []error
	if r.db != nil {
		errs = append(errs, r.db.Close())
	}
	if r.server != nil {
		errs = append(errs, r.server.Stop())
	}
	return errors.Join(errs...)
}

func (r *runner) checkpointAfter(ctx context.Context, bytes string) error {
	if _, err := r.db.ExecContext(ctx, "SET GLOBAL checkpoint_log_size = "+bytes); err != nil {
		return fmt.Errorf("set checkpoint_log_size: %w", err)
	}
	return nil
}

// turn lets the clients work for the time, after a second of warm-up.
func (r *runner) turn(ctx context.Context, c cell, t turns.Turn) (s Slice, err error) {
	s = Slice{Bench: "checkpoint", Time: time.Now(), Round: t.Round + 1, Engine: c.engine, Clients: c.clients, HeldOff: c.heldOff}
	if err := r.checkpointAfter(ctx, neverBytes); err != nil {
		return s, err
	}
	if c.heldOff {
		// What was changed before is not this turn's.
		if err := r.server.Flush(ctx); err != nil {
			return s, err
		}
	}
	db, err := open(r.server.Address(), c.clients)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	work := clients{db: db, set: c.set, tables: r.o.Tables, rows: r.o.TableSize, began: time.Now(), seed: uint64(t.Round*1000 + t.Cell)}
	warm, cancel := context.WithTimeout(ctx, time.Second)
	_, err = work.run(warm, c.clients)
	cancel()
	if err != nil || ctx.Err() != nil {
		return s, errors.Join(err, ctx.Err())
	}
	w := watcher{db: r.db, prefix: counters(c.engine), began: time.Now()}
	work.began, work.seed = w.began, work.seed+1<<32
	commits, found, err := r.measure(ctx, c, &work, &w)
	if err != nil {
		return s, err
	}
	s.Elapsed = time.Since(w.began)
	s.inside, s.outside = split(commits, found.during)
	s.Inside, s.Outside = Latency{s.inside.Count(), s.inside.Latency()}, Latency{s.outside.Count(), s.outside.Latency()}
	s.Checkpoints, s.Took, s.Longest, s.Share = found.number, found.time, found.longest, total(found.during).Seconds()/s.Elapsed.Seconds()
	return s, nil
}

// measure runs the clients and the watcher beside them.
func (r *runner) measure(ctx context.Context, c cell, work *clients, w *watcher) (commits []commit, found seen, err error) {
	first, err := w.ask(ctx)
	if err != nil {
		return nil, found, err
	}
	if !c.heldOff {
		if err := r.checkpointAfter(ctx, dueBytes); err != nil {
			return nil, found, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, r.o.Time)
	defer cancel()
	watched := make(chan error, 1)
	go func() {
		var err error
		if found, err = w.watch(limited, first); err != nil {
			cancel()
		}
		watched <- err
	}()
	commits, err = work.run(limited, c.clients)
	if err != nil {
		cancel()
	}
	return commits, found, errors.Join(err, <-watched, ctx.Err())
}
