package replica

import (
	"context"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// UntilKind is what START SLAVE UNTIL names.
type UntilKind byte

// Kinds. UntilRelay is a place in the relay log, which there is not: it is refused, as MariaDB refuses a file that it has not.
const (
	NoUntil UntilKind = iota
	UntilPlace
	UntilRelay
	UntilGTID
)

// Until is START SLAVE UNTIL.
type Until struct {
	Kind  UntilKind
	Place primary.Place // the SQL thread ends with the first group that ends there or behind
	// List is master_gtid_pos as it was written, GTIDs what it means.
	List  string
	GTIDs gtid.Position
}

// Applying is a SQL thread: what Apply has to know, what it takes, and what it says of itself. Take is for one goroutine, and the other methods
// are safe for concurrent use.
type Applying struct {
	// Name is the connection's.
	Name     string
	Settings primary.Settings
	// AtPlace, if not nil, is gtid_slave_pos at the place where the connection starts, which a crash has left behind what was executed: groups
	// behind AtPlace and up to gtid_slave_pos have been executed.
	AtPlace gtid.Position

	c     *connection
	until Until
	// taken is where the last group ends that was taken; within says that the group is not taken completely.
	taken  primary.Place
	within bool
}

// The states of a SQL thread, as SHOW SLAVE STATUS has them.
const (
	stateReads  = "Reading event from the relay log"
	stateAllIn  = "Slave has read all relay log; waiting for more updates"
	stateDelays = "Waiting until MASTER_DELAY seconds after master executed event"
	stateNoRoom = "Waiting for someone to free space"
)

// roomRetry is how long the SQL thread waits on a full disk before it tries again. (A MariaDB waits 60 s.)
const roomRetry = time.Second

// startSQL starts the SQL thread. The caller holds statement; no SQL thread runs.
func (c *connection) startSQL(ctx context.Context) error {
	if !c.queue.rewind() {
		// A part of a group was given away and cannot be given again: everything that is not executed is received anew.
		io, _ := c.threads()
		if err := c.stop(ctx, errStopped, io); err != nil {
			return err
		}
		c.queue.empty()
		c.mu.Lock()
		c.mu.followsOn = false
		c.mu.Unlock()
		if io != nil {
			c.startIO()
		}
	}
	c.mu.Lock()
	c.mu.status.sqlState, c.mu.status.sqlError = stateReads, nil
	a := c.applyingLocked()
	c.mu.Unlock()
	c.start(&c.mu.sql, func(ctx context.Context) { c.apply(ctx, a) })
	return nil
}

func (c *connection) applyingLocked() *Applying {
	return &Applying{Name: c.name, Settings: c.mu.settings, AtPlace: c.mu.atPlace, c: c, until: c.mu.until, taken: c.mu.executed.place}
}

// apply is the SQL thread.
func (c *connection) apply(ctx context.Context, a *Applying) {
	saved, mode, before := make(chan struct{}), a.Settings.GTID, c.executedPlace()
	saving, done := context.WithCancel(ctx)
	go func() {
		defer close(saved)
		c.savePlaces(saving, mode, before)
	}()
	err := c.cfg.Apply(ctx, a)
	for c.awaitsRoom(ctx, err) {
		c.mu.Lock()
		a = c.applyingLocked()
		c.mu.Unlock()
		err = c.cfg.Apply(ctx, a)
	}
	done()
	<-saved
	until := errors.Is(err, ErrUntil)
	c.mu.Lock()
	c.mu.status.sqlState, c.mu.status.delayUntil, c.mu.status.noRoom = "", time.Time{}, false
	failed := err != nil && !until && ctx.Err() == nil
	var why *primary.Error
	if failed {
		why = asThreadError(err)
		c.mu.status.sqlError = why
	}
	at, io := c.mu.executed.place, c.mu.io
	c.mu.Unlock()
	if until && a.until.Kind == UntilGTID && io != nil {
		io.cancel(ErrUntil) // both end
	}
	if err := c.save(); err != nil {
		c.cfg.Logger.Error("replica: the place in the primary's log cannot be saved", "connection", c.name, "err", err)
	}
	if failed {
		c.cfg.Logger.Error("replica: the SQL thread has ended", "connection", c.name, "number", why.Number, "err", why.Text, "cause", causeText(why),
			"file", at.File, "position", at.Pos, "gtid_slave_pos", c.cfg.SlavePos().String())
		return
	}
	c.cfg.Logger.Info("replica: the SQL thread has ended", "connection", c.name, "until", until, "file", at.File, "position", at.Pos,
		"gtid_slave_pos", c.cfg.SlavePos().String())
}

// awaitsRoom reports whether the disk was full, and that it is to be tried again: some time has passed then, and what was taken and not executed is taken
// again. Meanwhile SHOW SLAVE STATUS has the error. It is false where that cannot be, as a part of a group was given away.
func (c *connection) awaitsRoom(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	why := asThreadError(err)
	if why.Number != diskFull || !c.queue.rewind() {
		return false
	}
	c.mu.Lock()
	first := !c.mu.status.noRoom
	c.mu.status.noRoom, c.mu.status.sqlState, c.mu.status.sqlError, c.mu.status.delayUntil = true, stateNoRoom, why, time.Time{}
	c.mu.Unlock()
	if first {
		c.cfg.Logger.Error("replica: the SQL thread waits for room on the disk", "connection", c.name, "number", why.Number, "err", why.Text, "cause", causeText(why),
			"gtid_slave_pos", c.cfg.SlavePos().String())
	}
	return c.cfg.sleep(ctx, roomRetry) == nil
}

// roomAgainLocked notes that something was executed: there is room, if there was none.
func (c *connection) roomAgainLocked() {
	if !c.mu.status.noRoom {
		return
	}
	c.mu.status.noRoom, c.mu.status.sqlError, c.mu.status.sqlState = false, nil, stateReads
	c.cfg.Logger.Info("replica: there is room on the disk again", "connection", c.name)
}

// savePlaces writes the file every second in which something was executed, where the next start goes by what it says: without GTIDs. last is what it says
// already.
func (c *connection) savePlaces(ctx context.Context, mode primary.GTIDMode, last primary.Place) {
	if mode != primary.NoGTID {
		select {
		case <-c.fellBack:
		case <-ctx.Done():
			return
		}
	}
	for {
		if c.cfg.sleep(ctx, time.Second) != nil {
			return
		}
		c.mu.Lock()
		at, byPlace := c.mu.executed.place, mode == primary.NoGTID || c.mu.status.fellBack
		c.mu.Unlock()
		if byPlace && at != last {
			if err := c.save(); err != nil {
				c.cfg.Logger.Error("replica: the place in the primary's log cannot be saved", "connection", c.name, "err", err)
			}
			last = at
		}
	}
}

// Take waits for the next part, a group or a stretch of one, or Restarted, and for MASTER_DELAY to be over. Its errors are ErrUntil and that of ctx.
func (a *Applying) Take(ctx context.Context) (*primary.Part, error) {
	for {
		if !a.within && a.untilReached() {
			return nil, ErrUntil
		}
		p, reached, moved := a.c.queue.tryTake()
		if moved {
			a.moved(reached)
		}
		switch {
		case p == nil:
			a.state(stateAllIn)
			select {
			case <-a.c.queue.ready:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		case p.Kind == primary.UntilReached:
			return nil, ErrUntil
		case p.Kind == primary.Moved:
		case p.Kind == primary.Group:
			if err := a.delay(ctx, p); err != nil {
				return nil, err
			}
			a.state(stateReads)
			if a.within = !p.Last; p.Last {
				a.taken = p.Place
			}
			return p, nil
		default:
			return p, nil
		}
	}
}

// untilReached reports whether everything up to the place of START SLAVE UNTIL is taken.
func (a *Applying) untilReached() bool {
	return a.until.Kind == UntilPlace && a.taken.File != "" && !before(a.taken, a.until.Place)
}

// before compares two places in logs of one basename, whose files have numbers.
func before(a, b primary.Place) bool {
	if x, y := fileNumber(a.File), fileNumber(b.File); x != y {
		return x < y
	}
	return a.Pos < b.Pos
}

func fileNumber(file string) uint64 {
	n, _ := strconv.ParseUint(strings.TrimPrefix(path.Ext(file), "."), 10, 64)
	return n
}

// delay waits until MASTER_DELAY after the primary has logged the group.
func (a *Applying) delay(ctx context.Context, p *primary.Part) error {
	if a.Settings.Delay == 0 || !p.First || p.Timestamp == 0 {
		return nil
	}
	a.c.mu.Lock()
	due := time.Unix(int64(p.Timestamp), 0).Add(a.Settings.Delay + a.c.mu.status.clockDiff)
	wait := due.Sub(a.c.cfg.now())
	if wait > 0 {
		a.c.mu.status.delayUntil, a.c.mu.status.sqlState = due, stateDelays
	}
	a.c.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	err := a.c.cfg.sleep(ctx, wait)
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	a.c.mu.status.delayUntil = time.Time{}
	return err
}

func (a *Applying) state(text string) {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	if !a.c.mu.status.noRoom {
		a.c.mu.status.sqlState = text
	}
}

func (a *Applying) moved(to primary.Place) {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	a.c.mu.executed.place = to
	a.c.tellMovedLocked()
}

// ThreadID is the thread's in the process list.
func (a *Applying) ThreadID() uint32 {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	return a.c.mu.sql.info.ID
}

// State says what the thread does, in MariaDB's words; Take sets it as well.
func (a *Applying) State(text string) { a.state(text) }

// Executed says that a group is durable in this server's log, or that what Restarted asks for is done: p is its last part. It counts and moves the
// place that SHOW SLAVE STATUS shows.
func (a *Applying) Executed(p *primary.Part) {
	reached, moved := a.c.queue.executed(p)
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	if moved {
		a.c.mu.executed.place, a.c.mu.atPlace = reached, nil
		a.c.tellMovedLocked()
	}
	if p.Kind != primary.Group {
		return
	}
	a.c.roomAgainLocked()
	counts := &a.c.mu.counts
	counts.entries += uint64(len(p.Events)) + 1
	switch {
	case p.GTID.Flags&event.FLDDL != 0:
		counts.ddl++
	case p.GTID.Flags&event.FLTransactional != 0:
		counts.transactional++
	default:
		counts.nonTransactional++
	}
}

// Retried counts a transaction that was begun again.
func (a *Applying) Retried() {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	a.c.mu.counts.retried++
}

// Skips reports whether sql_slave_skip_counter wants a group left out (it is to be asked once, with the first part), and counts it. The counter
// counts events, but a group is left out as a whole, as in MariaDB.
func (a *Applying) Skips(p *primary.Part) bool {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	n := a.c.mu.status.skip
	if n == 0 {
		return false
	}
	a.c.mu.status.skip -= min(n, uint64(len(p.Events))+1)
	return true
}
