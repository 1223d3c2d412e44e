package applying

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/store/crashtest"
)

// knowledge is what was promised and what was asked for.
type knowledge struct {
	// Groups of the primary that were sent, and that were acknowledged.
	sent, acked int
	// Local transactions, which have numbers from 1 and are committed in their order.
	localsBegun, locals int
	// Changes of gtid_slave_pos: the last one gives otherDomain its number.
	positionsBegun, positions int
	// purged is what SET GLOBAL gtid_purged, which comes first, was found to have said.
	purged int
	// resets says that a RESET MASTER was begun.
	resets bool
}

// shot is what is found when the power fails.
type shot struct {
	fs            *crashfs.FS
	op            crashfs.Op
	n             int // of the operation, from 1
	before, after knowledge
}

// crashLab is the life of a replica, one after the other on what a crash has left of the one before.
type crashLab struct {
	t    *testing.T
	rng  *rand.Rand
	h    *history
	tune func(*store.Options)
	// mysql says that the primary is a MySQL that is followed by file and position, which a crash may have left behind what was executed.
	mysql bool

	mu     sync.Mutex
	moved  *sync.Cond
	known  knowledge
	failed error
	// through is the last group before which none lacks its acknowledgement, ahead are those behind it that have theirs: groups are led by several
	// goroutines.
	through int
	ahead   map[int]bool
}

var labKinds = []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10, NoCompactions: true}}

// Enabled, Handle, WithAttrs and WithGroup make a log handler of it: an error in the log is one of the test.
func (l *crashLab) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

func (l *crashLab) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	l.fail(errors.New(text))
	return nil
}
func (l *crashLab) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *crashLab) WithGroup(string) slog.Handler      { return l }

func (l *crashLab) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
	l.moved.Broadcast()
}

func (l *crashLab) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// note changes what is known.
func (l *crashLab) note(change func(k *knowledge)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.known)
	l.moved.Broadcast()
}

func (l *crashLab) knows() knowledge {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

// await waits until so many groups are acknowledged, or something has failed.
func (l *crashLab) await(groups int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.through < groups && l.failed == nil {
		l.moved.Wait()
	}
}

func (l *crashLab) acknowledged(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch again := n <= l.through || l.ahead[n]; {
	case again && l.mysql:
		return // it was sent again, and left out
	case again && l.failed == nil:
		l.failed = fmt.Errorf("group %d is acknowledged twice", n)
	}
	for l.ahead[n] = true; l.ahead[l.through+1]; l.through++ {
		delete(l.ahead, l.through+1)
	}
	l.known.acked = max(l.known.acked, n) // it stands for all before it
	l.moved.Broadcast()
}

// replica is a server on a file system, whose primary is the history.
func (l *crashLab) replica(fs *crashfs.FS) *server {
	s := &server{t: l.t, id: 2, fs: fs, dir: "/data"}
	seed := l.rng.Uint64()
	s.tune = func(o *store.Options) {
		o.Engines, o.Logger = labKinds, slog.New(l)
		o.Fatal = func(err error) { l.fail(fmt.Errorf("the process died though nothing was broken: %w", err)) }
		l.tune(o)
	}
	s.config = func(c *query.Config) {
		c.Variables = map[string]any{"server_id": uint64(s.id), "replicate_wild_ignore_table": "skipped.%"}
		c.Replica = replica.Config{FS: fs, Dir: s.dir, Receive: func(ctx context.Context, r *replica.Receiving) error {
			r.Primary(1, 0)
			r.Connected()
			draw := rand.New(rand.NewPCG(seed, 0))
			earlier := 0
			if l.mysql {
				earlier = draw.IntN(6)
			}
			err := l.h.send(ctx, r.GTIDs, earlier, draw, func(p *primary.Part) error {
				if !l.mysql {
					p.MySQL = gtid.MySQL{}
				}
				return r.Put(ctx, p)
			},
				func(n int) { l.note(func(k *knowledge) { k.sent = max(k.sent, n) }) }, l.acknowledged)
			if errors.Is(err, errSent) {
				l.fail(err)
			}
			return err
		}}
	}
	s.open()
	return s
}

// verify looks at what was found, and takes it as what is known from now on.
func (l *crashLab) verify(s *server, before, after knowledge) {
	t := l.t
	pos := s.engine.SlavePos()
	n, ok := l.h.reached(pos)
	require.True(t, ok, "gtid_slave_pos is %s, which is behind no group of the primary", pos)
	require.GreaterOrEqual(t, n, before.acked, "what was acknowledged is gone (gtid_slave_pos %s)", pos)
	require.LessOrEqual(t, n, after.sent, "gtid_slave_pos %s is beyond what was sent", pos)
	require.Equal(t, l.h.state(n), stateOf(s), "the tables behind %d groups", n)
	positions := int(pos[otherDomain].Seq)
	require.True(t, before.positions <= positions && positions <= after.positionsBegun, "SET GLOBAL gtid_slave_pos: %d, acknowledged %d, begun %d", positions, before.positions, after.positionsBegun)

	purged := l.verifyExecuted(s, n, before, after)

	locals := s.query("SELECT n, half FROM local.t ORDER BY 1, 2")
	require.Zero(t, len(locals)%2, "half of a transaction: %s", locals)
	for i, row := range locals {
		require.Equal(t, fmt.Sprintf("%d|%d|", 1+i/2, i%2), row)
	}
	require.True(t, before.locals <= len(locals)/2 && len(locals)/2 <= after.localsBegun, "local transactions: %d, acknowledged %d, begun %d", len(locals)/2, before.locals, after.localsBegun)

	l.verifyLog(s, n, after.resets)
	require.NoError(t, crashtest.VerifyEngines(s.store, false))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.through, l.ahead = n, map[int]bool{}
	l.known = knowledge{sent: n, acked: n, localsBegun: len(locals) / 2, locals: len(locals) / 2, positionsBegun: positions, positions: positions, purged: purged, resets: after.resets}
}

// verifyExecuted checks gtid_executed behind n groups, and returns what it has of purgedSource.
func (l *crashLab) verifyExecuted(s *server, n int, before, after knowledge) (purged int) {
	have := s.engine.Executed()
	want := gtid.Set{}
	for i := range n {
		if l.mysql {
			want.Add(l.h.groups[i].mysql)
		}
	}
	require.Equal(l.t, want[mysqlSource], have[mysqlSource], "gtid_executed behind %d groups", n)
	if list := have[purgedSource]; len(list) > 0 {
		require.Len(l.t, list, 1)
		purged = int(list[0].End) - 1
	}
	require.True(l.t, before.positions <= purged && purged <= max(after.positionsBegun, before.purged), "SET GLOBAL gtid_purged: %d, acknowledged %d, begun %d", purged, before.positions, after.positionsBegun)
	return purged
}

// verifyLog checks that the log has every group of the primary once, in order, up to the n-th, or what RESET MASTER has left of them.
func (l *crashLab) verifyLog(s *server, n int, resets bool) {
	t := l.t
	first := s.store.Log().Segments()[0].Segment
	groups, _ := groupsOf(s, logpos.At(first, 0))
	var found []gtid.GTID
	for _, g := range groups {
		require.Equal(t, g.info.GTID.Server == 1, g.info.Replicated, "%s came by replication", g.info.GTID)
		if g.info.Replicated {
			found = append(found, g.info.GTID)
		}
	}
	from := n - len(found)
	require.GreaterOrEqual(t, from, 0, "groups are there twice: %s", found)
	require.True(t, from == 0 || resets, "%d groups of %d are in the log", len(found), n)
	for i, g := range found {
		require.Equal(t, l.h.groups[from+i].info.GTID, g, "group %d of the log; it ends with %s", i, found[max(0, len(found)-3):])
	}
}

// live opens what was found, verifies it, goes on to the end of the history, and compares. It returns what is found when the power fails
// in between.
func (l *crashLab) live(found shot, shots int) (taken []shot) {
	t, fs := l.t, found.fs
	imageRNG := rand.New(rand.NewPCG(l.rng.Uint64(), 1))
	within := []int{10, 60, 300}
	next, n := 1+imageRNG.IntN(within[imageRNG.IntN(3)]), 0
	l.known = found.before // during the start nothing more is promised, and what was begun may be found
	l.known.sent, l.known.localsBegun, l.known.positionsBegun, l.known.resets = found.after.sent, found.after.localsBegun, found.after.positionsBegun, found.after.resets
	var mu sync.Mutex
	fs.SetHook(func(op crashfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n != next || len(taken) == shots {
			return nil
		}
		op.Data = nil
		x := shot{op: op, n: n, before: l.knows()}
		x.fs = fs.Crash(crashfs.RandomLoss(imageRNG), imageRNG)
		x.after = l.knows()
		taken = append(taken, x)
		next = n + 1 + imageRNG.IntN(within[imageRNG.IntN(3)])
		return nil
	})
	s := l.replica(fs)
	l.verify(s, found.before, found.after)
	s.exec("START SLAVE")
	l.clients(s)
	l.await(len(l.h.groups))
	require.NoError(t, l.failure())
	s.exec("STOP SLAVE")
	now := l.knows()
	l.verify(s, now, now)
	if l.rng.IntN(2) == 0 {
		require.NoError(t, s.store.Checkpoint(context.Background()))
	}
	s.close()
	mu.Lock()
	defer mu.Unlock()
	fs.SetHook(nil)
	require.NoError(t, l.failure())
	return taken
}

// look opens what was found, verifies it, and leaves it.
func (l *crashLab) look(found shot) {
	s := l.replica(found.fs)
	l.verify(s, found.before, found.after)
	s.close()
	require.NoError(l.t, l.failure())
}

// clients do what others than the primary do, now and then.
func (l *crashLab) clients(s *server) {
	from := l.knows().acked
	for range l.rng.IntN(12) {
		from += l.rng.IntN(1 + max(0, len(l.h.groups)-from)/2)
		l.await(from)
		if l.failure() != nil {
			return
		}
		switch l.rng.IntN(9) {
		case 0, 1, 2:
			l.local(s, "SET sql_log_bin=1")
		case 3, 4, 5:
			l.local(s, "SET sql_log_bin=0")
		case 6:
			l.reposition(s)
		case 7:
			l.note(func(k *knowledge) { k.resets = true })
			s.exec("RESET MASTER")
		case 8:
			if l.rng.IntN(2) == 0 {
				s.exec("FLUSH BINARY LOGS")
			} else {
				require.NoError(l.t, s.store.Checkpoint(context.Background()))
			}
		}
	}
}

// local commits a transaction of this server's own.
func (l *crashLab) local(s *server, how string) {
	n := l.knows().localsBegun + 1
	s.exec(how, fmt.Sprintf("SET gtid_domain_id=%d", localDomain), "BEGIN", fmt.Sprintf("INSERT INTO local.t VALUES (%d, 0)", n), fmt.Sprintf("INSERT INTO local.t VALUES (%d, 1)", n))
	l.note(func(k *knowledge) { k.localsBegun = n })
	s.exec("COMMIT")
	l.note(func(k *knowledge) { k.locals = n })
}

// reposition sets gtid_slave_pos to where it is, and otherDomain to one more, and adds one to gtid_purged.
func (l *crashLab) reposition(s *server) {
	s.exec("STOP SLAVE")
	pos, n := gtid.Position{}, l.knows().positionsBegun+1
	maps.Copy(pos, s.engine.SlavePos())
	pos[otherDomain] = gtid.GTID{Domain: otherDomain, Server: otherDomain, Seq: uint64(n)}
	l.note(func(k *knowledge) { k.positionsBegun = n })
	s.exec(fmt.Sprintf("SET GLOBAL gtid_purged='+%s:%d'", purgedSource, n), fmt.Sprintf("SET GLOBAL gtid_slave_pos='%s'", pos))
	l.note(func(k *knowledge) { k.positions = n })
	s.exec("START SLAVE")
}

// newCrashLab draws how a replica is set up.
func newCrashLab(t *testing.T, h *history, rng *rand.Rand) *crashLab {
	l := &crashLab{t: t, h: h, rng: rng, ahead: map[int]bool{}}
	l.moved = sync.NewCond(&l.mu)
	log, checkpoint := []int64{16 << 10, 64 << 10, 1 << 20}[rng.IntN(3)], []int64{16 << 10, 64 << 10, 1 << 20}[rng.IntN(3)]
	l.mysql = rng.IntN(2) == 0
	large, preallocated := rng.IntN(2) == 0, rng.IntN(2) == 0
	l.tune = func(o *store.Options) {
		o.MaxBinlogSize, o.CheckpointBytes, o.NoPreallocate = log, checkpoint, !preallocated
		if large {
			o.BinlogCacheSize, o.LargeCommitThreshold, o.WriteSetMemory = 512, 4096, 4096
		}
	}
	return l
}

// begin makes a replica that has applied nothing.
func (l *crashLab) begin() shot {
	fs := crashfs.New()
	s := l.replica(fs)
	s.exec(fmt.Sprintf("SET gtid_domain_id=%d", localDomain), "CREATE DATABASE local", "CREATE TABLE local.t (n INT, half INT, PRIMARY KEY (n, half))",
		"CHANGE MASTER TO MASTER_HOST='primary', MASTER_USER='u', MASTER_USE_GTID=slave_pos")
	s.close()
	require.NoError(l.t, l.failure())
	return shot{fs: fs}
}

// TestCrashAnywhere crashes a replica at any operation of its file system, also while it starts: gtid_slave_pos is exactly the last group of the
// primary in its log, its tables are what the primary's were behind this group, what was acknowledged is there, nothing of a group is there in
// part, and the stream can go on from there to its end. In half of them the primary is a MySQL which begins a few groups before that place: gtid_executed
// has exactly the groups that are in the log, and those are left out.
//
// SEEDS=n is how many histories and set-ups it tries, beginning with SEED=n. What crashes is drawn from the seed; how the goroutines come there is not:
// a failure may need some attempts to come again.
func TestCrashAnywhere(t *testing.T) {
	first, count := envInt(t, "SEED", 1), envInt(t, "SEEDS", 250)
	if os.Getenv("DURAMEN_TEST_SCALE") == "full" {
		count = envInt(t, "SEEDS", 4000)
	}
	var mu sync.Mutex
	crashes := 0
	t.Run("seeds", func(t *testing.T) {
		// Some seeds share a history, which takes as long to write as to follow.
		const share = 10
		for number := first / share; number*share < first+count; number++ {
			t.Run(fmt.Sprintf("history-%d", number), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(number, 0))
				h := newHistory(newServer(t, 1), rng, 20+rng.IntN(40))
				for seed := max(first, number*share); seed < min(number*share+share, first+count); seed++ {
					n := crashSeed(t, h, seed)
					mu.Lock()
					crashes += n
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d seeds, %d crashes", count, crashes)
}

// crashSeed lets a replica live a few times, and returns how often it has crashed.
func crashSeed(t *testing.T, h *history, seed uint64) (crashes int) {
	l := newCrashLab(t, h, rand.New(rand.NewPCG(seed, 1)))
	when := "before the first crash"
	done := false
	defer func() {
		if !done {
			t.Logf("seed %d, %s; again: SEED=%d SEEDS=1", seed, when, seed)
		}
	}()
	found := l.begin()
	for life := range 3 {
		shots := l.live(found, 1+l.rng.IntN(3))
		for i, x := range shots {
			when = fmt.Sprintf("life %d, crash %d before operation %d (%s)", life+1, i+1, x.n, x.op)
			crashes++
			if i == len(shots)-1 {
				found = x
				break
			}
			l.look(x)
		}
		if len(shots) == 0 {
			done = true
			return crashes // the history was at its end
		}
	}
	l.live(found, 0)
	done = true
	return crashes
}

func envInt(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	var n uint64
	_, err := fmt.Sscan(text, &n)
	require.NoError(t, err, name)
	return n
}
