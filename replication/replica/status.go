package replica

import (
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Status is what SHOW SLAVE STATUS says of a connection.
type Status struct {
	Name string
	// Settings are those of CHANGE MASTER, without the password. GTID is No if the primary has no GTIDs that we know.
	Settings primary.Settings
	// IOPhase, IOState, SQLRuns and SQLState are the threads; the states are empty if they do not run.
	IOPhase           Phase
	IOState, SQLState string
	SQLRuns           bool
	IO, SQL           ThreadInfo
	// IOError and SQLError are nil if nothing is wrong.
	IOError, SQLError *primary.Error
	// Received and Executed are places in the primary's log; GTIDs is Gtid_IO_Pos, nil without GTIDs.
	Received, Executed primary.Place
	GTIDs              gtid.Position
	// Set is what was received of MySQL's GTIDs, with what was executed before; nil unless the primary was asked by it.
	Set gtid.Set
	// QueueBytes and QueueGroups are what is received and not executed: bytes on the wire, and groups that are whole.
	QueueBytes, QueueGroups int
	Until                   Until
	PrimaryID               uint32
	// SecondsBehind is how old the first group is that is not executed, 0 if there is none; nil unless both threads run.
	SecondsBehind *uint64
	// Age is how old that group is, whether the threads run or not; nil if nobody knows: there is none, and one of the threads does not run.
	Age *time.Duration
	// RemainingDelay is how long a group is held back by MASTER_DELAY, nil if none is.
	RemainingDelay *time.Duration
	SkipCounter    uint64
	// Counted since the server has started.
	DDLGroups, NonTransactionalGroups, TransactionalGroups uint64
	Heartbeats, Retried, Entries                           uint64
	// ReceivedGroups may count a group again that is received anew, as after a restart of the SQL thread; ReceivedBytes is on the wire. Acks are the
	// acknowledgements that were sent (semi-sync).
	ReceivedGroups, ReceivedBytes, Acks uint64
	LastHeartbeat                       time.Time
}

// ExecutedGroups are all groups that are durable here, or of which nothing was to be done.
func (s *Status) ExecutedGroups() uint64 {
	return s.DDLGroups + s.NonTransactionalGroups + s.TransactionalGroups
}

// status waits for no thread.
func (c *connection) status() Status {
	now := c.cfg.now()
	s := Status{Name: c.name}
	s.QueueBytes, s.QueueGroups = c.queue.size()
	s.Age, s.SecondsBehind = c.behind(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	t, n := &c.mu.status, &c.mu.counts
	s.Settings = c.mu.settings
	s.Settings.Password = ""
	if t.fellBack {
		s.Settings.GTID = primary.NoGTID
	}
	s.IOPhase, s.IOState, s.SQLRuns, s.SQLState = t.phase, t.ioState, c.mu.sql != nil, t.sqlState
	s.IOError, s.SQLError = t.ioError, t.sqlError
	if c.mu.io != nil {
		s.IO = c.mu.io.info
	}
	if c.mu.sql != nil {
		s.SQL = c.mu.sql.info
	}
	s.Received, s.Executed = c.mu.received.place, c.mu.executed.place
	switch {
	case t.bySet:
		s.Set = c.mu.received.set.Clone()
	case s.Settings.GTID != primary.NoGTID:
		s.GTIDs = c.mu.received.gtids.Clone()
	}
	s.Until, s.PrimaryID, s.SkipCounter = c.mu.until, t.primaryID, t.skip
	if !t.delayUntil.IsZero() {
		rest := max(t.delayUntil.Sub(now), 0)
		s.RemainingDelay = &rest
	}
	s.DDLGroups, s.NonTransactionalGroups, s.TransactionalGroups = n.ddl, n.nonTransactional, n.transactional
	s.Heartbeats, s.Retried, s.Entries, s.LastHeartbeat = n.heartbeats, n.retried, n.entries, n.lastHeartbeat
	s.ReceivedGroups, s.ReceivedBytes, s.Acks = n.received, n.receivedBytes, n.acks
	return s
}
