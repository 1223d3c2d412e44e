package suite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// Replicas is what a suite of replicas has besides: the contenders apply what a MariaDB primary has logged.
type Replicas struct {
	// Primary writes the log. Its profile does not sync: making the log is not measured.
	Primary target.Contender `json:"primary"`
}

// ReplicaModes are those that MariaDB is measured with unless flags say otherwise: "serial" (slave_parallel_threads=0), or a value of
// slave_parallel_mode, and the number of threads.
var ReplicaModes = []string{"serial", "optimistic-4", "optimistic-16", "aggressive-4", "aggressive-16"}

const serialMode = "serial"

// modeOptions are the lines of the option file for a mode.
func modeOptions(mode string) ([]string, error) {
	if mode == serialMode {
		return []string{"slave-parallel-threads = 0"}, nil
	}
	name, threads, _ := strings.Cut(mode, "-")
	n, err := strconv.Atoi(threads)
	if err != nil || n < 1 || !slices.Contains([]string{"optimistic", "aggressive", "conservative", "minimal"}, name) {
		return nil, fmt.Errorf("mode %q of a replica: want serial, or optimistic, aggressive, conservative or minimal with a number of threads, as in optimistic-4", mode)
	}
	return []string{"slave-parallel-mode = " + name, "slave-parallel-threads = " + threads}, nil
}

// SetReplicas chooses the primary, and makes a server for each mode of each MariaDB: it returns the servers that follow it. Others than Duramen
// and MariaDB cannot.
func (c *Config) SetReplicas(specs []target.Spec, modes []string) ([]target.Spec, error) {
	var followers []target.Spec
	c.Replicas = nil
	for _, s := range specs {
		switch s.Kind {
		case target.Duramen:
			followers = append(followers, s)
		case target.MariaDB:
			if c.Replicas == nil {
				primary := s
				primary.Name = "primary"
				c.Replicas = &Replicas{Primary: target.Contender{Spec: primary, Profile: "nosync"}}
			}
			for _, mode := range modes {
				lines, err := modeOptions(mode)
				if err != nil {
					return nil, err
				}
				f := s
				f.Name += "-" + mode
				if c.Extra == nil {
					c.Extra = map[string][]string{}
				}
				c.Extra[f.Name] = append([]string{"log-slave-updates = ON"}, lines...)
				followers = append(followers, f)
			}
		default:
			c.Notes = append(c.Notes, fmt.Sprintf("%s takes no part: it is no replica of a MariaDB that is started for a run.", s.Name))
		}
	}
	if c.Replicas == nil {
		return nil, fmt.Errorf("suite %s needs a MariaDB: it writes the log that replicas apply", c.Suite)
	}
	return followers, nil
}

// preparedLog is what the contenders apply in the turns of a round.
type preparedLog struct {
	of           Turn // without contender
	to           string
	transactions uint64
}

// applyPatience is how long a replica may take for what it applies in a turn.
const applyPatience = time.Hour

// preparePrimary starts and loads the primary. Without it nothing can be measured.
func (r *runner) preparePrimary(ctx context.Context) error {
	c := r.o.Replicas.Primary
	r.progress.say("starting the primary")
	s, err := r.o.startForTesting(ctx, c, target.Options{
		Dir: filepath.Join(r.o.Out, "servers", c.Name), DataDir: filepath.Join(r.data.path, c.Name), CacheBytes: r.o.CacheBytes,
	})
	if err != nil {
		return err
	}
	r.primary = s
	r.progress.say("loading the primary")
	o := r.options(s, load.Workload{Tables: r.o.tablesMade()}, Turn{Clients: loaders})
	if err := r.sysbench.Prepare(ctx, o); err != nil {
		return err
	}
	r.log.to, err = s.LogPosition(ctx)
	return err
}

// loadReplica lets a server follow the primary until it has its tables.
func (r *runner) loadReplica(ctx context.Context, c target.Contender, s server) (target.Facts, error) {
	facts, err := s.Facts(ctx)
	if err != nil {
		return facts, err
	}
	r.progress.say("loading %s", c)
	if err := s.Follow(ctx, r.primary.Address()); err != nil {
		return facts, err
	}
	return facts, r.catchUp(ctx, s)
}

// catchUp applies what is in the log, and stops the replica.
func (r *runner) catchUp(ctx context.Context, s server) error {
	ctx, cancel := context.WithTimeoutCause(ctx, applyPatience, fmt.Errorf("it did not apply the log within %v", applyPatience))
	defer cancel()
	if err := s.StartReplica(ctx); err != nil {
		return err
	}
	if err := s.AwaitApplied(ctx, r.log.to); err != nil {
		return err
	}
	return s.StopReplica(ctx)
}

// prepareLog makes the log of a round, if it is not there: all replicas are stopped, with what came before applied.
func (r *runner) prepareLog(ctx context.Context, w load.Workload, t Turn) error {
	of := Turn{Workload: t.Workload, Clients: t.Clients, Round: t.Round}
	if r.log.of == of {
		return nil
	}
	// One that an earlier run has measured in a round, or that has failed, is behind.
	for _, c := range r.o.Contenders {
		name := c.String()
		if s := r.servers[name]; s != nil && r.broken[name] == nil {
			if err := r.catchUp(ctx, s); err != nil && ctx.Err() == nil {
				r.broken[name] = fmt.Errorf("it cannot go on: %w", err)
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.progress.say("making the log of %s, %s, repeat %d", t.Workload, plural(t.Clients, "client"), t.Round)
	res, err := r.sysbench.Run(ctx, r.options(r.primary, w, of), func(int) {}, func() {})
	if err != nil {
		return fmt.Errorf("make the log: %w", err)
	}
	to, err := r.primary.LogPosition(ctx)
	if err != nil {
		return err
	}
	r.log = preparedLog{of: of, to: to, transactions: res.Events}
	return nil
}

// apply is a turn of a replica: from its start until it has applied the whole log.
func (r *runner) apply(ctx context.Context, s server, w load.Workload, t Turn) (*Measured, error) {
	if err := s.StopReplica(ctx); err != nil { // it may have been started with its server
		return nil, err
	}
	if err := r.prepareLog(ctx, w, t); err != nil {
		return nil, err
	}
	if err := r.broken[t.Contender]; err != nil {
		return nil, err
	}
	r.settle(ctx)
	m := r.newMeters(s)
	defer m.close()
	m.begin(ctx)
	started := r.o.nowForTesting()
	err := r.catchUp(ctx, s)
	elapsed := r.o.nowForTesting().Sub(started)
	m.end(ctx)
	if err != nil {
		return nil, err
	}
	measured := &Measured{Transactions: r.log.transactions, Elapsed: elapsed}
	m.fill(measured)
	return measured, nil
}
