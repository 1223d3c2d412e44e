package crashtest

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// knowledge is what the clients know at a moment about what a store has to hold. It
// outlives a crash.
type knowledge struct {
	// history is what is in the log, in log order.
	history []*commit
	// maybe holds, by tag, transactions that were being committed when the power failed: recovery
	// decides about them.
	maybe map[int64][]change
	// hotSeen: by table, the highest value of the hot row that a reader saw.
	hotSeen map[uint32]int64
	// copied: what a replica has received, by the end of its group in the log.
	copied map[logpos.Pos]gtid.GTID
	// begun is the last RESET MASTER; beginning is one that was under way, which recovery decides about.
	begun, beginning reset
	// hidden says that a RESET MASTER began in the life before: what was being committed may have been
	// committed before it, and then only the tables tell.
	hidden bool
}

// reset is a log that was begun anew: in a file with a number higher than any before, with a GTID state.
type reset struct {
	first uint64 // 0: none
	state string
}

func newKnowledge() knowledge {
	return knowledge{maybe: map[int64][]change{}, hotSeen: map[uint32]int64{}, copied: map[logpos.Pos]gtid.GTID{}}
}

func (k *knowledge) clone() knowledge {
	c := knowledge{begun: k.begun, beginning: k.beginning, hidden: k.hidden, maybe: maps.Clone(k.maybe), hotSeen: maps.Clone(k.hotSeen), copied: maps.Clone(k.copied), history: slices.Clone(k.history)}
	for i, h := range c.history {
		copied := *h // recovery changes what is known of it
		c.history[i] = &copied
	}
	return c
}

// life is the time between two crashes.
type life struct {
	lab   *lab
	fs    *crashfs.FS
	store *store.Store
	// step is called by clients between two of their steps. errGiveUp tells them to end.
	step func(ctx context.Context) error
	// soon, if there is one, is called before a disturbance: rare as they are, few crashes would fall into one by chance.
	soon func()

	// failing says that the disk of an engine has failed: what a table change leaves that was rolled back then, the next start removes.
	failing atomic.Bool

	mu struct {
		sync.Mutex
		crashed bool
		commits []*commit
		// inFlight are the transactions in Commit, by tag.
		inFlight map[int64][]change
		// synced is the number of the last change of sync_binlog, if it is 1 since; 0 if it is not 1.
		synced  int
		changes int
		refused int
		gaveUp  int
		seen    []string // for Stats.Seen
	}
}

func newLife(l *lab, fs *crashfs.FS) *life {
	lf := &life{lab: l, fs: fs, step: func(context.Context) error { return nil }}
	lf.mu.inFlight = map[int64][]change{}
	lf.mu.changes = 1
	if *l.opts.SyncBinlog == 1 {
		lf.mu.synced = 1
	}
	return lf
}

// stepDies takes a step, and reports whether the process has died in it, which is no error.
func (lf *life) stepDies(ctx context.Context) bool { return lf.step(ctx) != nil }

// known is what is known at this moment, if the power fails now.
func (lf *life) known() knowledge {
	commits := lf.sorted()
	lf.mu.Lock()
	defer lf.mu.Unlock()
	k := lf.lab.knowledge
	k.history = append(slices.Clip(k.history), commits...)
	k = k.clone()
	maps.Copy(k.maybe, lf.mu.inFlight)
	return k
}

// count adds what happened in this life to the statistics.
func (lf *life) count() {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	s := &lf.lab.stats
	s.Committed += len(lf.mu.commits)
	s.Refused += lf.mu.refused
	s.GaveUp += lf.mu.gaveUp
	for _, what := range lf.mu.seen {
		s.see(what, 1)
	}
}

// onCrash is called right before the picture is taken: what returns to a
// client from now on is too late to count as acknowledged.
func (lf *life) onCrash() {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	lf.mu.crashed = true
}

func (lf *life) crashed() bool {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	return lf.mu.crashed
}

// setSyncBinlog is SET GLOBAL sync_binlog.
func (lf *life) setSyncBinlog(n uint64) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	lf.mu.changes++
	lf.mu.synced = 0
	if n == 1 {
		lf.mu.synced = lf.mu.changes
	}
	lf.store.Pipeline().SetSyncBinlog(n)
}

// committing notes a transaction that is about to call Commit, and returns since when sync_binlog is 1.
func (lf *life) committing(tag int64, changes []change) (synced int) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	lf.mu.inFlight[tag] = changes
	return lf.mu.synced
}

// committed notes that Commit returned; a zero end says that nothing was logged.
func (lf *life) committed(tag int64, info txn.CommitInfo, synced int) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	changes := lf.mu.inFlight[tag]
	delete(lf.mu.inFlight, tag)
	if info.End.IsZero() {
		return
	}
	lf.mu.commits = append(lf.mu.commits, &commit{end: info.End, gtid: info.GTID, changes: changes,
		acked: !lf.mu.crashed && synced > 0 && synced == lf.mu.synced})
}

// resetLog is RESET MASTER TO n.
func (lf *life) resetLog(ctx context.Context, rng *rand.Rand) error {
	log := lf.store.Log()
	state := gtid.NewState()
	if rng.IntN(3) == 0 {
		state = log.StateClone()
	}
	r := reset{first: log.End().Segment + 100, state: state.String()} // higher, so that positions keep their order
	lf.mu.Lock()
	if !lf.mu.crashed { // what happens after the picture was taken does not count
		lf.lab.beginning, lf.lab.hidden = r, true
	}
	lf.mu.Unlock()
	err := lf.store.ResetLog(ctx, r.first, state, false)
	lf.mu.Lock()
	defer lf.mu.Unlock()
	if lf.mu.crashed {
		return err
	}
	lf.lab.beginning = reset{}
	if err == nil {
		lf.lab.begun = r
	}
	return err
}

func (lf *life) increment(n *int) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	*n++
}

// saw notes what happened, for Stats.Seen.
func (lf *life) saw(what string) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	lf.mu.seen = append(lf.mu.seen, what)
}

func (lf *life) nextID() int64 { return 10_000 + lf.lab.ids.Add(1) }

// prepare makes what the clients expect to be there.
func (lf *life) prepare(ctx context.Context) error {
	if err := lf.createDatabase(ctx); err != nil {
		return err
	}
	return lf.createAccounts(ctx)
}

// createDatabase makes the database in a new data directory.
func (lf *life) createDatabase(ctx context.Context) error {
	if lf.store.Catalog().Current().Database(database) != nil {
		return nil
	}
	w := &worker{life: lf, rng: lf.lab.newRNG()}
	w.begin(txn.Options{})
	if err := w.change(catalog.Change{Databases: []catalog.DatabaseDef{{Name: database}}}, "CREATE DATABASE "+database); err != nil {
		return err
	}
	return w.commit(ctx)
}
