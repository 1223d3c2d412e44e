package commit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// ErrClosed is returned by Commit after Close.
var ErrClosed = errors.New("commit: pipeline is closed")

// ErrOutcomeUnknown marks the errors of transactions that were in the log
// stage when it failed: a restart may find them committed or not. It is seen
// only where Config.Fatal returns, that is, in tests.
var ErrOutcomeUnknown = errors.New("commit: outcome unknown")

// Config says what a Pipeline works on. Log and Applier are required.
type Config struct {
	Log     Log
	Applier Applier
	// ServerID stands in GTIDs whose request has none.
	ServerID uint32

	// SyncBinlog is sync_binlog: 1 syncs every group, N every N groups, 0 none.
	// With 0 and N the log is also synced every SyncInterval.
	SyncBinlog uint64
	// SyncInterval is at least a millisecond; 0 means one second.
	SyncInterval time.Duration
	// WaitCount and WaitTime hold a group open until WaitCount transactions
	// have joined it or WaitTime has passed: binlog_commit_wait_count and
	// binlog_commit_wait_usec. Zero means not to wait.
	WaitCount int
	WaitTime  time.Duration

	// AfterSync is called when a group is durable and before it becomes
	// visible: the place where semi-sync waits. The log is visible to readers
	// up to end by then. It may be nil.
	AfterSync func(end logpos.Pos)
	// Fatal is called when a write, sync or apply failed and the process has
	// to end. The default logs the error and exits with status 1. If it
	// returns, every later Commit fails.
	Fatal func(error)
	// Logger is slog.Default if nil.
	Logger *slog.Logger

	// DepthForTesting is how many groups may be synced at a time; 0 means as many as is measured to be fastest.
	DepthForTesting int
}

// Pipeline is the group commit pipeline; see the package comment. Its methods
// are safe for concurrent use.
type Pipeline struct {
	cfg     Config
	log     Log
	applier Applier
	logger  *slog.Logger

	queue queue

	// The log stage. Everything in it is used by the holder of logMu only.
	logMu sync.Mutex
	// largeMu is held by the large transaction that waits for logMu, until it has left the log stage.
	largeMu sync.Mutex
	delay   groupDelay

	// placing is held in the log stage, but not during the sync: while groups get their places.
	placing sync.Mutex
	build   builder

	window   inFlightWindow // the order of the groups that leave the log stage
	copied   inFlightWindow // their order behind the wait for copies; numbers are given out to who enters by window
	inFlight inFlight       // the groups themselves
	depth    atomic.Int64   // how many of them there may be

	// The apply stage: at most one group is in it. barrier is held for writing
	// while the engine and the catalog change.
	applyMu sync.Mutex
	climb   climber // belongs to the holder of applyMu
	barrier sync.RWMutex

	positions positions
	tuning    tuning
	stats     counters

	broken    atomic.Pointer[error] // what fatal was called with
	stop      chan struct{}         // closed by Close
	syncDone  chan struct{}         // closed when the background syncer has ended
	closeOnce sync.Once
	closeErr  error
}

var _ txn.Committer = (*Pipeline)(nil)

// tuning is what SET GLOBAL can change while the pipeline runs.
type tuning struct {
	syncBinlog atomic.Uint64
	waitCount  atomic.Int64
	waitTime   atomic.Int64 // nanoseconds
	afterSync  atomic.Pointer[func(end logpos.Pos)]
	semiSync   semiSync
}

// New starts a pipeline that appends to cfg.Log. The applier must be complete
// up to the log's end (see package replay).
func New(cfg Config) *Pipeline {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.SyncInterval < time.Millisecond {
		cfg.SyncInterval = time.Second
	}
	p := &Pipeline{
		cfg:      cfg,
		log:      cfg.Log,
		applier:  cfg.Applier,
		logger:   cfg.Logger,
		queue:    queue{full: make(chan struct{}, 1), taken: make(chan struct{}, 1)},
		stop:     make(chan struct{}),
		syncDone: make(chan struct{}),
	}
	p.build.init(cfg.Log, cfg.ServerID, pointAt(cfg.Applier.Applied()))
	p.queue.mu.numbers.serverID = cfg.ServerID
	p.queue.renumber(p.build.point.State)
	p.window.init()
	p.copied.init()
	p.depth.Store(int64(max(cfg.DepthForTesting, 1)))
	p.SetSyncBinlog(cfg.SyncBinlog)
	p.SetWait(cfg.WaitCount, cfg.WaitTime)
	p.SetAfterSync(cfg.AfterSync)
	p.positions.advance(cfg.Log, cfg.Log.End())
	p.queue.settle(p.room())
	go p.syncInBackground()
	return p
}

// SetSyncBinlog changes sync_binlog; see Config.
func (p *Pipeline) SetSyncBinlog(n uint64) { p.tuning.syncBinlog.Store(n) }

// SetWait changes binlog_commit_wait_count and binlog_commit_wait_usec.
func (p *Pipeline) SetWait(count int, d time.Duration) {
	p.tuning.waitCount.Store(int64(count))
	p.tuning.waitTime.Store(int64(d))
}

// SetAfterSync changes the semi-sync hook; nil removes it.
func (p *Pipeline) SetAfterSync(hook func(end logpos.Pos)) {
	if hook == nil {
		p.tuning.afterSync.Store(nil)
		return
	}
	p.tuning.afterSync.Store(&hook)
}

// Commit makes req durable (by sync_binlog) and visible, and sets req.GTID and
// req.End. It returns when the transaction is acknowledged.
//
// When an error is returned and the ticket is still Waiting, nothing happened, and
// the caller still holds its locks and rolls back; binlog.ErrNoSpace is such an
// error. ctx only keeps a request from being queued: once in the queue it
// cannot be taken back.
func (p *Pipeline) Commit(ctx context.Context, req *txn.CommitRequest) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if req.File != nil {
		return p.commitLarge(ctx, req)
	}
	m := newMember(req)
	leads, err := p.queue.enqueue(m)
	if err != nil {
		m.recycle()
		return err
	}
	if leads {
		p.lead(m)
	} else {
		<-m.wake
	}
	err = m.err
	m.recycle()
	p.queue.accepted.Done()
	if err == nil {
		p.beforeAnswer(req.LocalOnly, req.End)
	}
	return err
}

// Start is for lines of transactions; see txn.Committer. The group is led by a goroutine of its own.
func (p *Pipeline) Start(ctx context.Context, req *txn.CommitRequest) (wait func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if req.File != nil { // it would overtake those of its line that have no place yet
		req.Line.Drain()
		if req.Line.Failed() {
			return nil, txn.ErrLine
		}
		err := p.Commit(ctx, req)
		if err != nil {
			req.Line.Fail() // before the next one is started
		}
		return func() error { return err }, nil
	}
	m := newMember(req)
	leads, err := p.queue.enqueue(m)
	if err != nil {
		m.recycle()
		return nil, err
	}
	if leads {
		go p.lead(nil)
	}
	return func() error {
		<-m.wake
		err := m.err
		m.recycle()
		p.queue.accepted.Done()
		if err == nil {
			p.beforeAnswer(req.LocalOnly, req.End)
		}
		return err
	}, nil
}

// Epoch is for the tickets of requests; see txn.Committer.
func (p *Pipeline) Epoch() uint64 { return p.queue.epoch.Load() }

// yieldFrom is the size of a group from which its application takes longer than to give way to the next
// leader, which now and then costs a thread's start.
const yieldFrom = 16

// lead takes a group through both stages. self is the leader's own member,
// the only one that is not woken.
func (p *Pipeline) lead(self *member) {
	contended := !p.logMu.TryLock()
	if contended {
		p.logMu.Lock()
	}
	depth := int(p.depth.Load())
	p.window.await(depth)
	g := newGroup(depth > 1)
	p.holdOpen(contended, g.overlaps)
	p.placing.Lock()
	g.members = p.queue.take()
	refused := p.writeGroup(g)
	if g.members.head != nil {
		p.inFlight.add(g)
	}
	p.placing.Unlock()
	number := p.window.begin()
	if g.overlaps {
		p.logMu.Unlock()
	}
	p.syncGroup(g)
	p.leaveLog(number, g, func() {
		if g.overlaps {
			return
		}
		p.logMu.Unlock() // after applyMu was taken, or the wait for copies begun
		if g.members.count >= yieldFrom && p.queue.count() > 0 {
			// The next leader waits for logMu, and the device waits for it: it goes first, on this thread. This
			// group is applied while it syncs.
			runtime.Gosched()
		}
	})
	p.tune(g)
	p.endGroup(g)
	p.applyMu.Unlock()

	members := g.members.head
	g.recycle()
	wakeAll(members, self)
	wakeAll(refused.head, self)
}

// endGroup applies a group that has gone through the log stage, or gives its members its error. applyMu is held.
func (p *Pipeline) endGroup(g *group) {
	p.inFlight.remove(g)
	if g.lost.Load() {
		return // its members have their error
	}
	if err := p.broken.Load(); err != nil && g.err == nil {
		g.err = *err // the sync of a group before this one failed
	}
	if g.err != nil {
		p.failGroup(g, g.err)
	} else if g.members.head != nil {
		p.applyGroup(g)
	}
}

// wakeAll wakes the members of a chain one by one. A member belongs to its
// committer again, and may be reused, from the moment it is woken.
func wakeAll(m, self *member) {
	for m != nil {
		next := m.next
		if m != self {
			m.wake <- struct{}{}
		}
		m = next
	}
}

// holdOpen lets a group grow before it is taken: as long as
// binlog_commit_wait_count and _usec say, or else as long as it pays. logMu is held. Where groups overlap,
// the wait for a free place has let the group grow.
func (p *Pipeline) holdOpen(contended, overlaps bool) {
	count, wait := int(p.tuning.waitCount.Load()), time.Duration(p.tuning.waitTime.Load())
	if count > 1 && wait > 0 {
		if p.awaitMembers(count, wait) {
			p.stats.triggerCount.Add(1)
		} else {
			p.stats.triggerTimeout.Add(1)
		}
		return
	}
	if overlaps || p.tuning.syncBinlog.Load() != 1 {
		return
	}
	started, before := time.Now(), p.queue.count()
	if target, wait := p.delay.plan(contended, before, started); target > 0 {
		p.awaitMembers(target, wait)
		p.delay.outcome(target, before, p.queue.count(), time.Since(started))
	}
}

// awaitMembers waits until count requests are queued; false if that takes too long.
func (p *Pipeline) awaitMembers(count int, wait time.Duration) bool {
	if p.queue.awaitCount(count) {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.queue.full:
		return true
	case <-timer.C:
	case <-p.stop:
	}
	p.queue.stopAwaiting()
	return false
}

// fatal reports that the process must end, and makes sure that nothing is
// acknowledged from here on if it does not.
func (p *Pipeline) fatal(err error) error {
	err = fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	p.queue.fail(err)
	if !p.broken.CompareAndSwap(nil, &err) {
		return err
	}
	if p.cfg.Fatal != nil {
		p.cfg.Fatal(err)
		return err
	}
	p.logger.Error("the server cannot continue safely and ends now; "+
		"what was acknowledged is in the binary log and will be there after a restart",
		"error", err)
	os.Exit(1)
	return err
}

// Close waits for the groups under way, refuses further ones, and makes the
// log durable. It does not close the log.
func (p *Pipeline) Close() error {
	p.closeOnce.Do(func() {
		p.queue.fail(ErrClosed)
		close(p.stop)
		p.queue.accepted.Wait()
		<-p.syncDone
		if p.broken.Load() == nil {
			p.closeErr = p.SyncLog()
		}
	})
	return p.closeErr
}

// group is one commit group on its way through the stages.
type group struct {
	members list
	end     logpos.Pos
	mark    engine.Mark
	err     error // the group failed, and the process with it

	overlaps bool          // further groups may be written before this one is synced
	write    Write         // to be finished; nil if the group is not synced on its own
	syncs    bool          // sync_binlog asks for a sync of what was appended
	syncTime time.Duration // of the sync; 0 without one
	syncEnd  time.Time

	// lost is set when Lose has taken its place.
	lost atomic.Bool
}

var groupPool = sync.Pool{New: func() any { return &group{} }}

func newGroup(overlaps bool) *group {
	g := groupPool.Get().(*group)
	g.overlaps = overlaps
	return g
}

func (g *group) recycle() {
	*g = group{}
	groupPool.Put(g)
}
