package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// Options of Run.
type Options struct {
	Config
	// Out gets the results.
	Out string
	// Data is the directory on the device to be measured; "" means Out. The servers' data is removed in the end.
	Data     string
	Sysbench string    // name or path; "" means sysbench
	Progress io.Writer // gets a line for each turn; nil: nowhere

	startForTesting func(context.Context, target.Contender, target.Options) (server, error)
	nowForTesting   func() time.Time
}

// ErrFailedTurns is returned, wrapped, after a run of which turns failed.
var ErrFailedTurns = errors.New("turns failed")

// server is what a run needs of a target.Server.
type server interface {
	Address() load.Address
	Pid() int
	DataDir() string
	Alive(ctx context.Context) error
	Counters(ctx context.Context) (target.Counters, error)
	Facts(ctx context.Context) (target.Facts, error)
	Engines(ctx context.Context) ([]string, error)
	TableEngine(ctx context.Context, table string) (string, error)
	Restart(ctx context.Context) error
	Flush(ctx context.Context) error
	Follow(ctx context.Context, primary load.Address) error
	StartReplica(ctx context.Context) error
	StopReplica(ctx context.Context) error
	AwaitApplied(ctx context.Context, to string) error
	LogPosition(ctx context.Context) (string, error)
	EnableSemiSync(ctx context.Context) error
	AwaitSemiSync(ctx context.Context) error
	Checksums(ctx context.Context) (map[string]string, error)
	Stop() error
}

type runner struct {
	o        Options
	store    *store
	sysbench *load.Sysbench
	progress progress
	data     *dataRoot
	meter    *device.Meter
	servers  map[string]server // nil: did not start
	broken   map[string]error  // contenders that cannot be measured any more
	primary  server            // of Config.Replicas; nil if there is none
	replicas map[string]server // of Config.Pairs, by contender; nil: did not start
	log      preparedLog       // the primary's, of the last round
}

// Run measures every turn that has no result yet. When ctx is done it ends its servers, removes
// their data and returns ctx's error; the results until then are kept.
func Run(ctx context.Context, o Options) (err error) {
	if o.Data == "" {
		o.Data = o.Out
	}
	if o.Sysbench == "" {
		o.Sysbench = "sysbench"
	}
	if o.startForTesting == nil {
		o.startForTesting = startServer
	}
	if o.nowForTesting == nil {
		o.nowForTesting = time.Now
	}
	if err := o.Validate(); err != nil {
		return err
	}
	// Servers have working directories of their own.
	for _, path := range []*string{&o.Out, &o.Data} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	temp, err := os.MkdirTemp("", "duramen-bench")
	if err != nil {
		return fmt.Errorf("make a temporary directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	r := &runner{o: o, servers: map[string]server{}, broken: map[string]error{}, replicas: map[string]server{}}
	if r.sysbench, err = load.New(ctx, o.Sysbench, temp); err != nil {
		return err
	}
	if err := os.MkdirAll(o.Data, 0o755); err != nil {
		return fmt.Errorf("make the directory for data: %w", err)
	}
	r.store, err = openStore(o.Out, Info{
		Config: o.Config, Started: o.nowForTesting().Round(time.Second), Machine: describe(o.Data),
		Sysbench: r.sysbench.Version, Servers: map[string]target.Facts{},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.store.close()) }()
	if r.data, err = openDataRoot(o.Data); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.data.remove()) }()
	defer func() { err = errors.Join(err, r.stop()) }()
	r.meter = device.NewMeter(o.Data)
	return r.run(ctx)
}

func startServer(ctx context.Context, c target.Contender, o target.Options) (server, error) {
	s, err := target.Start(ctx, c, o)
	if err != nil {
		return nil, err // not a nil *target.Server in an interface
	}
	return s, nil
}

func (r *runner) run(ctx context.Context) error {
	all := r.o.Turns()
	todo := slices.DeleteFunc(slices.Clone(all), func(t Turn) bool { return r.store.done[t] })
	r.progress = progress{
		w: r.o.Progress, now: r.o.nowForTesting, total: len(all), before: len(all) - len(todo),
		perTurn: r.o.WarmUp + r.o.Time + time.Second,
	}
	if r.progress.before > 0 {
		r.progress.say("%d of %d turns were measured before", r.progress.before, len(all))
	}
	r.progress.say("%d turns, about %s and the time to load %s", len(todo), r.progress.left().Round(time.Second), plural(len(r.o.Contenders), "server"))
	if r.o.Replicas != nil && len(todo) > 0 {
		if err := r.preparePrimary(ctx); err != nil {
			return err
		}
	}
	for _, c := range r.o.Contenders {
		if slices.ContainsFunc(todo, func(t Turn) bool { return t.Contender == c.String() }) {
			if err := r.prepare(ctx, c); err != nil {
				return err
			}
		}
	}
	if len(todo) > 0 && len(r.servers) == len(r.broken) && len(r.broken) > 0 {
		return fmt.Errorf("no server can be measured: %w", errors.Join(slices.Collect(maps.Values(r.broken))...))
	}
	failed := 0
	for _, t := range todo {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		begin := r.o.nowForTesting()
		result := r.turn(ctx, t)
		if ctx.Err() != nil {
			return context.Cause(ctx) // whatever it was, it was interrupted
		}
		result.Time = r.o.nowForTesting()
		if err := r.store.add(result); err != nil {
			return err
		}
		if result.Measured == nil {
			failed++
		}
		r.progress.turn(result, result.Time.Sub(begin))
	}
	if failed > 0 {
		return fmt.Errorf("%w: %d of %d, see the report or %s", ErrFailedTurns, failed, len(todo), filepath.Join(r.o.Out, resultsFile))
	}
	return nil
}

// prepare starts and loads a server. A server that cannot be has broken; an error ends the run.
func (r *runner) prepare(ctx context.Context, c target.Contender) error {
	name := c.String()
	r.progress.say("starting %s", name)
	r.servers[name] = nil
	plain := strings.ReplaceAll(name, "/", "-")
	o, fill := target.Options{
		Dir: filepath.Join(r.o.Out, "servers", plain), DataDir: filepath.Join(r.data.path, plain),
		CacheBytes: r.o.CacheBytes, Extra: r.o.Extra[c.Name],
	}, r.load
	if r.o.Replicas != nil {
		o.Replica, o.ServerID = true, 1+len(r.servers) // the primary has 1
		fill = r.loadReplica
	}
	if pair, is := r.o.Pairs[c.Name]; is {
		o.Extra, fill = slices.Concat(o.Extra, pair.Primary), r.loadPair
	}
	s, err := r.o.startForTesting(ctx, c, o)
	if err == nil {
		r.servers[name] = s
		var facts target.Facts
		if facts, err = fill(ctx, c, s); err == nil {
			r.store.info.Servers[name] = facts
			if err := r.store.writeInfo(); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.progress.say("%s cannot be measured: %v", name, err)
		r.broken[name] = err
	}
	return nil
}

// load fills the tables of a server that has started.
func (r *runner) load(ctx context.Context, c target.Contender, s server) (target.Facts, error) {
	facts, err := s.Facts(ctx)
	if err != nil {
		return facts, err
	}
	o := r.options(s, load.Workload{Tables: r.o.tablesMade()}, Turn{Clients: loaders})
	o.Sets = r.o.tableSets(c)
	if err := requireEngines(ctx, s, o.Sets); err != nil {
		return facts, err
	}
	r.progress.say("loading %s", c)
	if err := r.sysbench.Prepare(ctx, o); err != nil {
		return facts, err
	}
	if facts.Engines, err = madeEngines(ctx, s, o.Sets); err != nil {
		return facts, err
	}
	return facts, r.flush(ctx, s)
}

// loaders is how many tables are filled at the same time.
const loaders = 4

func (r *runner) stop() error {
	var errs []error
	if r.primary != nil {
		errs = append(errs, r.primary.Stop())
	}
	for _, c := range r.o.Contenders {
		if s := r.servers[c.String()]; s != nil { // it started
			if err := s.Stop(); err != nil && r.broken[c.String()] == nil {
				errs = append(errs, err)
			}
		}
		if s := r.replicas[c.String()]; s != nil {
			if err := s.Stop(); err != nil && r.broken[c.String()] == nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
