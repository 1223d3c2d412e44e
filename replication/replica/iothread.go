package replica

import (
	"context"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Receiving is one attempt of an IO thread: what Receive has to know, what it gives, and what it says of itself. Only Receive uses it, and not
// after it has returned, but for Acknowledged.
type Receiving struct {
	// Name is the connection's.
	Name string
	// Settings are those of the connection, with the server's RetryCount.
	Settings primary.Settings
	// GTIDs is what the primary is asked for: what follows them. In the mode NoGTID it is nil, and Place says it.
	GTIDs gtid.Position
	Place primary.Place
	// Executed is what a MySQL with GTIDs is asked for: what is not in it. In the mode NoGTID it is nil.
	Executed gtid.Set
	// Until, if not nil, is master_gtid_pos of START SLAVE UNTIL.
	Until gtid.Position
	// Attempt counts from 1, anew after each connection on which something came.
	Attempt uint64
	// Reconnects says that an attempt of this thread has been connected.
	Reconnects bool

	c         *connection
	connected bool
	// sent says that the primary has sent something since: an attempt that was worth it.
	sent bool
}

// startIO starts the IO thread. The caller holds statement; no IO thread runs.
func (c *connection) startIO() {
	c.mu.Lock()
	anew := c.mu.sql == nil || !c.mu.followsOn
	settings := c.mu.settings
	settings.RetryCount = c.cfg.RetryCount
	if anew {
		c.queue.empty()
		c.mu.received = progress{c.mu.executed.place, c.startPosition(settings.GTID), c.cfg.Executed()}
		c.mu.followsOn = true
	}
	c.mu.status.phase, c.mu.status.ioState, c.mu.status.ioError = Connecting, stateConnecting, nil
	c.mu.status.fellBack, c.mu.status.bySet = false, false
	var until gtid.Position
	if c.mu.until.Kind == UntilGTID {
		until = c.mu.until.GTIDs
	}
	c.mu.Unlock()
	c.start(&c.mu.io, func(ctx context.Context) { c.receive(ctx, settings, until) })
}

// The states of an IO thread, as SHOW SLAVE STATUS has them.
const (
	stateConnecting     = "Connecting to master"
	stateChecking       = "Checking master version"
	stateWaits          = "Waiting for master to send event"
	stateWaitsReconnect = "Waiting to reconnect after a failed master event read"
	stateReconnecting   = "Reconnecting after a failed master event read"
)

// receive is the IO thread.
func (c *connection) receive(ctx context.Context, settings primary.Settings, until gtid.Position) {
	err := c.receiveAgain(ctx, settings, until)
	c.mu.Lock()
	c.mu.status.phase, c.mu.status.ioState = NotRunning, ""
	if ctx.Err() == nil && err != nil {
		c.mu.status.ioError = err
	}
	at := c.mu.received
	c.mu.Unlock()
	switch {
	case ctx.Err() != nil || err == nil:
		c.cfg.Logger.Info("replica: the IO thread has ended", "connection", c.name, "file", at.place.File, "position", at.place.Pos, "gtid", at.gtids.String())
	default:
		c.cfg.Logger.Error("replica: the IO thread has ended", "connection", c.name, "number", err.Number, "err", err.Text, "cause", causeText(err),
			"file", at.place.File, "position", at.place.Pos, "gtid", at.gtids.String())
	}
}

// receiveAgain calls Receive until nothing more can come of it.
func (c *connection) receiveAgain(ctx context.Context, settings primary.Settings, until gtid.Position) *primary.Error {
	if settings.User == "" {
		return fail(fatal, "Fatal error: Invalid (empty) username when attempting to connect to the master server. Connection attempt terminated.")
	}
	state := stateConnecting
	for attempt := uint64(1); ; attempt++ {
		r := &Receiving{Name: c.name, Settings: settings, Until: until, Attempt: attempt, Reconnects: state == stateReconnecting, c: c}
		c.mu.Lock()
		r.Place, r.Settings.BySet = c.mu.received.place, c.mu.settings.BySet
		if settings.GTID != primary.NoGTID {
			r.GTIDs, r.Executed = c.mu.received.gtids.Clone(), c.mu.received.set.Clone()
		}
		c.mu.status.phase, c.mu.status.ioState = Connecting, state
		c.mu.Unlock()
		err := c.cfg.Receive(ctx, r)
		c.queue.dropUnfinished()
		if err == nil || ctx.Err() != nil {
			return nil //nolint:nilerr // it was told to end
		}
		failed := asThreadError(err)
		if r.sent {
			attempt = 0 // the next one comes at once
		}
		c.mu.Lock()
		c.mu.status.phase, c.mu.status.ioError = Connecting, failed
		c.mu.Unlock()
		if !failed.Retry || settings.RetryCount > 0 && attempt >= settings.RetryCount {
			return failed
		}
		c.cfg.Logger.Warn("replica: the connection to the primary has failed; trying again", "connection", c.name, "attempt", attempt,
			"number", failed.Number, "err", failed.Text, "cause", causeText(failed))
		if r.connected {
			state = stateReconnecting
		}
		if r.sent {
			continue
		}
		c.waits(state)
		if c.cfg.sleep(ctx, settings.ConnectRetry) != nil {
			return nil //nolint:nilerr // it was told to end
		}
	}
}

// waits sets the state between two attempts; an attempt to connect for the first time keeps its own.
func (c *connection) waits(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == stateReconnecting {
		c.mu.status.ioState = stateWaitsReconnect
	}
}

// State says what the thread does, in MariaDB's words.
func (r *Receiving) State(text string) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.status.ioState = text
}

// Preparing says that the primary has answered and the hand-shake goes on.
func (r *Receiving) Preparing() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.status.phase, r.c.mu.status.ioState = Preparing, stateChecking
}

// Primary notes the primary's server_id and how much our clock is ahead of its.
func (r *Receiving) Primary(serverID uint32, clockDiff time.Duration) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.status.primaryID, r.c.mu.status.clockDiff = serverID, clockDiff
}

// WithoutGTIDs says that the primary has no GTIDs that we know: the connection goes on by file and position, until a CHANGE MASTER says that a set counts.
func (r *Receiving) WithoutGTIDs() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.status.fellBack, r.c.mu.settings.BySet = true, false
	select {
	case <-r.c.fellBack:
	default:
		close(r.c.fellBack)
	}
}

// BySet says that the primary is a MySQL that was asked by the set of its GTIDs.
func (r *Receiving) BySet() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.status.bySet, r.c.mu.settings.BySet = true, true
}

// Connected says that the log comes: the thread runs, and its last error is over.
func (r *Receiving) Connected() {
	r.connected = true
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.status.phase, r.c.mu.status.ioState, r.c.mu.status.ioError = Receives, stateWaits, nil
}

// Heartbeat counts one.
func (r *Receiving) Heartbeat() {
	r.sent = true
	now := r.c.cfg.now()
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.counts.heartbeats++
	r.c.mu.counts.lastHeartbeat = now
}

// Skipped notes a group that is not put because it is one of this server's own: the position is beyond it.
func (r *Receiving) Skipped(g gtid.GTID, end primary.Place) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.received(&primary.Part{Kind: primary.Group, Last: true, Place: end, GTID: event.GTIDInfo{GTID: g}})
}

// Put gives a part to the applier, once there is room in the queue. An error is that of ctx.
func (r *Receiving) Put(ctx context.Context, p *primary.Part) error {
	if err := r.c.queue.put(ctx, p); err != nil {
		return err
	}
	r.sent = true
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.counts.receivedBytes += uint64(p.Bytes)
	if p.Kind == primary.Group && p.Last {
		r.c.mu.counts.received++
	}
	r.received(p)
	return nil
}

// Acknowledged counts an acknowledgement that was sent (semi-sync). It may be called by any goroutine, also when Receive has returned.
func (r *Receiving) Acknowledged() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.mu.counts.acks++
}

// received moves what was received; the caller holds mu.
func (r *Receiving) received(p *primary.Part) {
	if p.Kind == primary.Group && !p.Last {
		return // the next connection begins with the group
	}
	if p.Place != (primary.Place{}) {
		r.c.mu.received.place = p.Place
	}
	if g := p.GTID.GTID; p.Kind == primary.Group && g.Seq != 0 {
		if r.c.mu.received.gtids == nil {
			r.c.mu.received.gtids = gtid.Position{}
		}
		r.c.mu.received.gtids.Update(g)
	}
	if p.Kind == primary.Group && p.MySQL.Valid() {
		if r.c.mu.received.set == nil {
			r.c.mu.received.set = gtid.Set{}
		}
		r.c.mu.received.set.Add(p.MySQL)
	}
}

// behind is how old the first group is that is not executed, and Seconds_Behind_Master, which says so only while both threads run.
func (c *connection) behind(now time.Time) (age *time.Duration, seconds *uint64) {
	c.mu.Lock()
	runs := c.mu.status.phase == Receives && c.mu.sql != nil
	diff := c.mu.status.clockDiff
	c.mu.Unlock()
	stamp, pending := c.queue.oldest()
	var d time.Duration
	switch {
	case pending && stamp != 0:
		d = max(now.Sub(time.Unix(int64(stamp), 0))-diff, 0)
	case !runs:
		return nil, nil
	}
	if runs {
		s := uint64(d / time.Second)
		seconds = &s
	}
	return &d, seconds
}
