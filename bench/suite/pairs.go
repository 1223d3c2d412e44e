package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// Pair makes a contender two servers of one kind: a primary, which the clients use, and a replica, which follows it all the time.
type Pair struct {
	// Of is the server that both are; pairs of one server are compared with each other.
	Of string `json:"of"`
	// SemiSync: each commit waits for the replica's acknowledgement, before anybody sees it (AFTER_SYNC).
	SemiSync bool `json:"semi_sync"`
	// Primary and Replica are further lines of their option files.
	Primary []string `json:"primary,omitempty"`
	Replica []string `json:"replica,omitempty"`
}

// ReplicaName is what the replica of a contender is called in Info.Servers.
func ReplicaName(contender string) string { return contender + ", replica" }

// pairsOf are the pairs that a server is measured as, by what is added to its name. The first one is without semi-sync.
func pairsOf(s target.Spec) (modes []string, pairs map[string]Pair) {
	const async, semisync, unsynced = "async", "semisync", "semisync-unsynced"
	afterSync, enabled := "rpl-semi-sync-master-wait-point = AFTER_SYNC", "rpl-semi-sync-slave-enabled = ON"
	switch s.Kind {
	case target.Duramen:
		return []string{async, semisync}, map[string]Pair{
			async: {}, semisync: {SemiSync: true, Primary: []string{afterSync}, Replica: []string{enabled}},
		}
	case target.MariaDB:
		// It has to keep up with 64 clients, and to log what it applies, as who takes the primary's place has to.
		replica := []string{"log-slave-updates = ON", "slave-parallel-mode = optimistic", "slave-parallel-threads = 4"}
		synced := append(slices.Clone(replica), "sync-relay-log = 1")
		return []string{async, semisync, unsynced}, map[string]Pair{
			async:    {Replica: synced},
			semisync: {SemiSync: true, Primary: []string{afterSync}, Replica: append(slices.Clone(synced), enabled)},
			unsynced: {SemiSync: true, Primary: []string{afterSync}, Replica: append(slices.Clone(replica), enabled)},
		}
	default:
		return nil, nil
	}
}

// SetPairs makes the pairs of each server: it returns the servers that the clients use. Others than Duramen and MariaDB have none.
func (c *Config) SetPairs(specs []target.Spec) ([]target.Spec, error) {
	var primaries []target.Spec
	c.Pairs = map[string]Pair{}
	for _, s := range specs {
		modes, pairs := pairsOf(s)
		if len(modes) == 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s takes no part: a pair is two Duramens or two MariaDBs that are started for a run.", s.Name))
		}
		for _, mode := range modes {
			p := pairs[mode]
			p.Of = s.Name
			primary := s
			primary.Name += "-" + mode
			c.Pairs[primary.Name] = p
			primaries = append(primaries, primary)
		}
	}
	if len(primaries) == 0 {
		return nil, fmt.Errorf("suite %s needs a Duramen or a MariaDB that it can start", c.Suite)
	}
	return primaries, nil
}

// validatePair reports a workload that pairs cannot run.
func (c *Config) validatePair(w load.Workload) error {
	if len(c.Pairs) > 0 && len(w.Sets) > 0 {
		return fmt.Errorf("%s: a workload whose tables are in other engines than the default one is not for pairs of primary and replica", w.Name)
	}
	return nil
}

// startReplica starts the replica of a pair, whose primary has been loaded.
func (r *runner) startReplica(ctx context.Context, c target.Contender) (server, error) {
	replica := c
	replica.Name += "-replica"
	plain := strings.ReplaceAll(replica.String(), "/", "-")
	return r.o.startForTesting(ctx, replica, target.Options{
		Dir: filepath.Join(r.o.Out, "servers", plain), DataDir: filepath.Join(r.data.path, plain), CacheBytes: r.o.CacheBytes,
		Extra: slices.Concat(r.o.Extra[c.Name], r.o.Pairs[c.Name].Replica), ServerID: 2, Replica: true, // the primary has the id 1
	})
}

// loadPair fills the tables of a primary, and lets a replica follow it until that has them, too.
func (r *runner) loadPair(ctx context.Context, c target.Contender, s server) (target.Facts, error) {
	if _, err := r.load(ctx, c, s); err != nil {
		return target.Facts{}, err
	}
	r.progress.say("starting the replica of %s", c)
	replica, err := r.startReplica(ctx, c)
	if err != nil {
		return target.Facts{}, err
	}
	r.replicas[c.String()] = replica
	if err := r.join(ctx, r.o.Pairs[c.Name], s, replica); err != nil {
		return target.Facts{}, err
	}
	facts, err := replica.Facts(ctx)
	if err != nil {
		return facts, err
	}
	r.store.info.Servers[ReplicaName(c.String())] = facts
	return s.Facts(ctx) // with what join has set
}

// join lets the replica of a pair follow its primary, wherever that listens now, and has commits wait for it if they should. Nobody
// writes meanwhile, so no commit goes unacknowledged for want of a replica.
func (r *runner) join(ctx context.Context, p Pair, primary, replica server) error {
	if err := replica.StopReplica(ctx); err != nil {
		return err
	}
	if err := replica.Follow(ctx, primary.Address()); err != nil {
		return err
	}
	if p.SemiSync {
		if err := primary.EnableSemiSync(ctx); err != nil {
			return err
		}
	}
	if err := replica.StartReplica(ctx); err != nil {
		return err
	}
	if err := r.awaitEqualPosition(ctx, primary, replica); err != nil || !p.SemiSync {
		return err
	}
	return primary.AwaitSemiSync(ctx)
}

// awaitEqualPosition waits until the replica has applied all that the primary has logged.
func (r *runner) awaitEqualPosition(ctx context.Context, primary, replica server) error {
	ctx, cancel := context.WithTimeoutCause(ctx, applyPatience, fmt.Errorf("the replica did not apply the log within %v", applyPatience))
	defer cancel()
	to, err := primary.LogPosition(ctx)
	if err != nil {
		return err
	}
	return replica.AwaitApplied(ctx, to)
}

// commit is a turn of a pair. It only counts if every commit has waited for an acknowledgement, or none if none should, and if the
// replica has the primary's rows in the end.
func (r *runner) commit(ctx context.Context, s server, w load.Workload, t Turn) (*Measured, error) {
	p, replica := r.o.pair(t.Contender), r.replicas[t.Contender]
	if err := replica.Alive(ctx); err != nil {
		if again := replica.Restart(ctx); again != nil {
			r.broken[t.Contender] = fmt.Errorf("the replica: %w; it could not be started again: %w", err, again)
			return nil, r.broken[t.Contender]
		}
	}
	if err := r.join(ctx, p, s, replica); err != nil {
		return nil, err
	}
	r.settle(ctx)
	bare, err := r.bareSync(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.Counters(ctx)
	if err != nil {
		return nil, err
	}
	m, err := r.measure(ctx, s, w, t)
	if err != nil {
		return nil, err
	}
	m.Sync = bare
	after, err := s.Counters(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.checkAcknowledged(before, after); err != nil {
		return nil, err
	}
	if err := r.awaitEqualPosition(ctx, s, replica); err != nil {
		return nil, err
	}
	return m, requireEqualTables(ctx, s, replica)
}

// pair of a contender.
func (c *Config) pair(contender string) Pair {
	i := slices.IndexFunc(c.Contenders, func(who target.Contender) bool { return who.String() == contender })
	return c.Pairs[c.Contenders[i].Name]
}

// checkAcknowledged tells by the primary's counters, from before the warm-up until after the turn, whether it did what is measured.
func (p Pair) checkAcknowledged(before, after target.Counters) error {
	yes, ok1 := after.Since(before, "rpl_semi_sync_master_yes_tx")
	no, ok2 := after.Since(before, "rpl_semi_sync_master_no_tx")
	switch {
	case !ok1 || !ok2:
		return errors.New("the server does not tell Rpl_semi_sync_master_yes_tx and _no_tx, or has been started again")
	case p.SemiSync && no > 0:
		return fmt.Errorf("%d commits did not wait for an acknowledgement until it came (Rpl_semi_sync_master_no_tx), and %d did", no, yes)
	case p.SemiSync && yes == 0:
		return errors.New("no commit has waited for an acknowledgement")
	case !p.SemiSync && yes+no > 0:
		return fmt.Errorf("semi-sync is not off: Rpl_semi_sync_master_yes_tx has grown by %d, Rpl_semi_sync_master_no_tx by %d", yes, no)
	}
	return nil
}

// requireEqualTables reports tables in which the replica, which has applied everything, differs from its primary.
func requireEqualTables(ctx context.Context, primary, replica server) error {
	want, err := primary.Checksums(ctx)
	if err != nil {
		return err
	}
	got, err := replica.Checksums(ctx)
	if err != nil {
		return err
	}
	if len(want) == 0 {
		return errors.New("the primary has no tables that could be compared with the replica's")
	}
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if got[table] != want[table] {
			return fmt.Errorf("table %s differs: rows and checksum are %q on the primary, %q on the replica", table, want[table], got[table])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("the primary has %d tables, the replica %d", len(want), len(got))
	}
	return nil
}

// SyncTime is what a write of a block into a file of the data's device took, with what makes it durable: nothing but its data (package
// device, method settled).
type SyncTime struct {
	P50    time.Duration `json:"p50_ns"`
	Mean   time.Duration `json:"mean_ns"`
	Writes int64         `json:"writes"`
}

const (
	// bareSyncShare of a turn's time is how long the device itself is measured before it.
	bareSyncShare = 10
	bareSyncBytes = 4096
	bareSyncFile  = 4 << 20
)

// bareSync measures the device. nil where this system or file system cannot.
func (r *runner) bareSync(ctx context.Context) (*SyncTime, error) {
	res, err := device.Run(ctx, device.Options{
		Dir: r.data.path, Duration: r.o.Time / bareSyncShare, Rounds: 1, Sizes: []int{bareSyncBytes}, InFlight: []int{1},
		Methods: []string{"settled"}, FileSize: bareSyncFile,
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil //nolint:nilnil // the report says that it is not known
	}
	if err != nil {
		return nil, fmt.Errorf("measure a sync of the device: %w", err)
	}
	cell := res.Cells[0]
	if cell.Unsupported != nil || len(cell.Slices) == 0 || cell.Slices[0].Writes == 0 {
		return nil, nil //nolint:nilnil,nilerr // as above
	}
	of := cell.Slices[0]
	return &SyncTime{P50: of.P50, Mean: of.Elapsed / time.Duration(of.Writes), Writes: of.Writes}, nil
}
