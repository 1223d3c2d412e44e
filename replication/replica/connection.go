package replica

import (
	"context"
	"sync"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// connection is a connection to a primary, with its threads as far as they run.
type connection struct {
	name  string
	cfg   *Config
	save  func() error
	queue *queue
	// fellBack is closed when a primary without GTIDs was met for the first time; threadStatus.fellBack is about the present one. Closed under mu.
	fellBack chan struct{}
	// statement is held by the statement that is about the connection.
	statement sync.Mutex
	mu        struct {
		sync.Mutex
		settings primary.Settings
		io, sql  *thread // nil if it does not run
		until    Until
		received progress
		executed progress
		// atPlace is gtid_slave_pos at executed.place, as the file has it: the place may be behind what a crash has left executed. nil once it has moved.
		atPlace gtid.Position
		// moved is closed when executed moves or the SQL thread ends; nil if nobody waits for that.
		moved chan struct{}
		// followsOn says that received goes on from what is in the queue, or was: an IO thread may start there.
		followsOn bool
		status    threadStatus
		counts    counters
	}
}

// progress is how far the primary's log was read.
type progress struct {
	place primary.Place
	gtids gtid.Position // of what was executed it is not kept: the log knows
	set   gtid.Set      // likewise
}

// threadStatus is what the threads say of themselves.
type threadStatus struct {
	phase             Phase
	ioState, sqlState string
	ioError, sqlError *primary.Error
	primaryID         uint32
	clockDiff         time.Duration
	// fellBack says that the primary has no GTIDs that we know, bySet that they are MySQL's.
	fellBack, bySet bool
	delayUntil      time.Time // zero unless a group is held back by MASTER_DELAY
	skip            uint64    // sql_slave_skip_counter
	noRoom          bool      // the SQL thread waits for room on the disk, or tries whether there is some
}

// counters count since the server has started.
type counters struct {
	ddl, nonTransactional, transactional uint64
	heartbeats, retried, entries         uint64
	// received and receivedBytes are groups that came whole, and what all parts had on the wire; acks are acknowledgements (semi-sync).
	received, receivedBytes, acks uint64
	lastHeartbeat                 time.Time
}

// thread is a goroutine of a connection. Who runs a statement starts it, ends it with cancel and waits for done.
type thread struct {
	info   ThreadInfo
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// ThreadInfo is what the process list shows of a thread.
type ThreadInfo struct {
	ID    uint32 // 0 if it does not run
	Since time.Time
}

// Phase is how far an IO thread is.
type Phase byte

// The phases of an IO thread, which SHOW SLAVE STATUS shows as Slave_IO_Running.
const (
	NotRunning  Phase = iota
	Connecting        // not connected, or about to be
	Preparing         // connected, in the hand-shake
	Receives          // receiving the log
	phasesCount       // none, their number
)

func (p Phase) String() string { return [phasesCount]string{"No", "Connecting", "Preparing", "Yes"}[p] }

// start starts a thread. The caller holds statement, not mu.
func (c *connection) start(at **thread, run func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &thread{info: ThreadInfo{c.cfg.ThreadID(), c.cfg.now()}, cancel: cancel, done: make(chan struct{})}
	c.mu.Lock()
	*at = t
	c.mu.Unlock()
	go func() {
		defer close(t.done)
		defer cancel(nil)
		run(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		*at = nil
		c.tellMovedLocked()
	}()
}

// stop ends threads and waits until they have ended, or ctx has: then they end without anybody waiting.
func (c *connection) stop(ctx context.Context, why error, threads ...*thread) error {
	for _, t := range threads {
		if t != nil {
			t.cancel(why)
		}
	}
	for _, t := range threads {
		if t == nil {
			continue
		}
		select {
		case <-t.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// threads are those that run.
func (c *connection) threads() (io, sql *thread) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.io, c.mu.sql
}

func (c *connection) runs() bool {
	io, sql := c.threads()
	return io != nil || sql != nil
}

func (c *connection) settings() primary.Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.settings
}

// stored is the connection as the file has it. slavePos was gtid_slave_pos a moment ago.
func (c *connection) stored(slavePos gtid.Position) fileConnection {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.mu.settings
	s.Place = c.mu.executed.place
	if c.mu.atPlace != nil {
		slavePos = c.mu.atPlace
	}
	return fileConnection{c.name, s, slavePos.String()}
}

// executedPlace is up to where the primary's log is executed.
func (c *connection) executedPlace() primary.Place {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.executed.place
}

// startPosition is from where a connection without anything in its queue asks.
func (c *connection) startPosition(mode primary.GTIDMode) gtid.Position {
	switch mode {
	case primary.CurrentPos:
		return c.cfg.CurrentPos()
	case primary.NoGTID:
		return nil
	}
	return c.cfg.SlavePos()
}

// firstPosition is where events begin in a log file.
const firstPosition = 4
