package apply

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/convert"
	"github.com/duramendb/duramen/replication/replica/filter"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/txn"
)

// inFlightBytes bounds what is started and not committed: about as many bytes of events, and inFlightGroups groups.
const (
	inFlightBytes  = 32 << 20
	inFlightGroups = 4096
)

// Options are the settings that an applier reads when it starts.
type Options struct {
	// Own reports whether a group of this server's own, which has been here before, is in its log: it is left out. nil: none is.
	Own func(gtid.GTID) bool
	// Strict is gtid_strict_mode.
	Strict bool
	// Idempotent is slave_exec_mode=IDEMPOTENT.
	Idempotent  bool
	Conversions convert.Conversions // slave_type_conversions
	Filter      *filter.Filter      // nil passes everything
	// IgnoreServerIDs, DoDomains and IgnoreDomains are those of the connection.
	IgnoreServerIDs []uint32
	DoDomains       []uint32
	IgnoreDomains   []uint32
	// Applied are groups that are left out, as they have been applied: where the primary is asked by file and position, it may send some again.
	Applied Window
	// Executions knows which groups of MySQLs have been executed; nil: none has.
	Executions Executions
	// LockWaitTimeout bounds waits for the rows of local transactions; after Retries attempts the applier stops.
	LockWaitTimeout time.Duration
	Retries         int
	RowImage        txn.RowImage
	// Duplicates is shared by all appliers with gtid_ignore_duplicates, nil without. GTIDs says that the connection uses GTIDs: only then it leaves out
	// what others have applied.
	Duplicates *Duplicates
	GTIDs      bool
	// Triggers is slave_run_triggers_for_rbr as it is now; nil: NO.
	Triggers func() string
	// Ahead has rows read ahead from the beginning, not only once look-ups are found to be slow.
	Ahead bool
	// CrewForTesting is told how many groups were prepared beside others, or that some have to be applied one by one again.
	CrewForTesting func(prepared int, again bool)
	Logger         *slog.Logger
}

// Window are the groups behind one position, up to another one, in the domains of that.
type Window struct{ After, UpTo gtid.Position }

func (w Window) holds(g gtid.GTID) bool {
	return g.Seq > w.After[g.Domain].Seq && g.Seq <= w.UpTo[g.Domain].Seq
}

// Executions knows which groups of MySQLs have been executed, by whatever connection they came.
type Executions interface {
	// Claim says that a group is going to be executed, unless it has been. An error is that another applier is executing it.
	Claim(g gtid.MySQL) (executed bool, err error)
	// Release says that the group that was claimed last has not been started to be committed, and will not be.
	Release()
}

// Session runs statements of a primary. It is asked for when the first one comes.
type Session interface {
	// Begin begins a group. What follows is committed as one transaction with this GTID.
	Begin(g *primary.Part)
	// Event takes an event of the group that is no row: a statement, what belongs to it, the end of the group.
	Event(ctx context.Context, p *primary.Part, e *event.Event) error
	// Txn is the transaction for the group's rows.
	Txn(ctx context.Context) (*txn.Txn, error)
	// Related gives what changes rows of a table together with what foreign keys ask for, of the table or to it, in a transaction, which may be one that
	// the session knows nothing of. It is nil if they ask for nothing. The session may be between two groups.
	Related(ctx context.Context, t *txn.Txn, tbl *catalog.Table, how Changes) (RowChange, error)
	// Triggers are the kinds of changes for which a table has triggers. The session may be between two groups.
	Triggers(cat *catalog.Snapshot, tbl *catalog.Table) Changes
	// Triggered runs change, which changes rows of a table in one way, and deletes those that are in the way if how has that as well, with what runs the triggers
	// of the table for that.
	Triggered(ctx context.Context, e *event.Event, tbl *catalog.Table, how Changes, change func(ctx context.Context, fire Triggers) error) error
	// Generation gives what computes some of the generated columns of a table's rows, in images; nil if expressions are not understood. The session may be between
	// two groups.
	Generation(ctx context.Context, e *event.Event, tbl *catalog.Table, computed func(column int) bool) (func(image []byte) ([]byte, error), error)
	// Explain gives the number and the text that clients would get for an error about a row with this image; 0 if that is none of SQL's.
	Explain(ctx context.Context, tbl *catalog.Table, image []byte, err error) (number uint16, text string)
	// Commit commits the group, if its last event has not done so, as an empty one if it has changed nothing.
	Commit(ctx context.Context) (txn.CommitInfo, error)
	// Rollback undoes what there is of the group.
	Rollback()
	// Restarted says that a primary's temporary tables are gone.
	Restarted(serverID uint32)
	Close()
}

// Changes are kinds of changes of rows.
type Changes struct {
	Insert, Update, Delete bool
	// Whole has nothing left of a change that fails, as others follow it.
	Whole bool
}

// RowChange changes a row, which is locked if it is there. Without before it is an insertion, without after a deletion.
type RowChange func(ctx context.Context, key, before, after []byte) error

// Triggers run the triggers of a table for its changes. Rows are images; there is no old one of an insertion, no new one of a deletion.
type Triggers interface {
	// Before runs those that fire before the change, and gives the new row as they leave it.
	Before(ctx context.Context, old, new []byte) ([]byte, error)
	// After runs those that fire after it.
	After(ctx context.Context, old, new []byte) error
}

// Report is told how far the applier is, and asked what it cannot know. Its methods are called by several goroutines, and do not block.
type Report interface {
	// Executed: a group, whose last part this is, is durable, or there was nothing to do for it; so is everything before it.
	Executed(p *primary.Part)
	// Retried: a group is tried again, as a local transaction was in its way.
	Retried()
	// Skips reports whether sql_slave_skip_counter wants a group left out.
	Skips(p *primary.Part) bool
	// State says what the applier waits for, in MariaDB's words.
	State(text string)
}

// Applier applies parts. Its methods are for one goroutine.
type Applier struct {
	txns    *txn.Manager
	opts    Options
	report  Report
	open    func() (Session, error)
	session Session

	line    *txn.Line
	ahead   *ahead
	crew    *crew
	flights *flights
	tables  map[uint64]*mapped
	rows    rowFinder

	// Of the group whose parts are coming:
	group  *primary.Part // its first part; nil between groups
	how    treatment
	inside bool // by the session
	// ended, if not nil, has to be told whether the group is durable, once.
	ended func(durable bool)
	// ownSeen are GTIDs of this server's own that came back, and are later than gtid_slave_pos.
	ownSeen gtid.Position
}

// New makes an applier. session makes the session for statements.
func New(txns *txn.Manager, o Options, report Report, session func() (Session, error)) *Applier {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	a := &Applier{txns: txns, opts: o, report: report, open: session, line: &txn.Line{}, tables: map[uint64]*mapped{}}
	a.flights, a.ahead = newFlights(report), newAhead(txns)
	a.ahead.on.Store(o.Ahead)
	a.crew = newCrew(a)
	if o.Duplicates != nil {
		o.Duplicates.enter()
	}
	return a
}

// Close ends the applier: what is under way is committed, an unfinished group is rolled back. The error is that of a group that was under way.
func (a *Applier) Close() error {
	a.abandon()
	a.crew.abandon()
	err := a.drained()
	if err == nil {
		err = a.keepOwn()
	}
	a.flights.close()
	if a.opts.Duplicates != nil {
		a.opts.Duplicates.leave()
	}
	a.ahead.close()
	a.crew.close()
	if a.session != nil {
		a.session.Close()
	}
	return err
}

// drain returns when everything that was taken is committed, or something has failed.
func (a *Applier) drain(ctx context.Context) error {
	if err := a.crew.flush(ctx); err != nil {
		return err
	}
	return a.drained()
}

// drained returns when everything that was started is committed, or has failed.
func (a *Applier) drained() error {
	a.flights.drain()
	return a.flights.failure()
}

// Apply applies a part. After an error nothing but Close may be called. ctx ends waits, not commits. more says that others have come after it: then it may have
// been taken only, see crew.
func (a *Applier) Apply(ctx context.Context, p *primary.Part, more bool) error {
	if err := a.flights.failure(); err != nil {
		return err
	}
	if p.Kind != primary.Group {
		return a.event(ctx, p)
	}
	if a.group != nil && (p.First || p.GTID.GTID != a.group.GTID.GTID) {
		a.abandon() // the primary was started anew in the middle of it, or sends it once more
	}
	if p.First {
		if err := a.begin(ctx, p); err != nil {
			a.abandon()
			return err
		}
	}
	if a.group == nil {
		return &primary.Error{Number: 1593, Text: fmt.Sprintf("the primary has sent a part of group %s without its beginning", p.Name())}
	}
	err := a.part(ctx, p, more)
	if err != nil {
		a.abandon()
		return err
	}
	if p.Last {
		a.group = nil
	}
	return nil
}

// event applies what is no group.
func (a *Applier) event(ctx context.Context, p *primary.Part) error {
	if p.Kind != primary.Restarted {
		return nil
	}
	a.abandon()
	if err := a.crew.flush(ctx); err != nil {
		return err
	}
	if a.session != nil {
		if err := a.drained(); err != nil {
			return err
		}
		a.session.Restarted(p.GTID.GTID.Server)
	}
	a.flights.add(flight{part: p}) // the groups before it may be under way
	return nil
}

// abandon rolls back what there is of a group.
func (a *Applier) abandon() {
	if a.group != nil && a.inside {
		a.session.Rollback()
	}
	if a.group != nil && a.group.MySQL.Valid() && a.opts.Executions != nil {
		a.opts.Executions.Release()
	}
	a.group, a.inside = nil, false
	if ended := a.ending(); ended != nil {
		ended(false)
	}
}

// part applies a part of a group.
func (a *Applier) part(ctx context.Context, p *primary.Part, more bool) error {
	if a.how == applied && !a.inside && p.First && p.Last && rowsOnly(p) {
		if taken, err := a.crew.takes(ctx, p, more && a.opts.Duplicates == nil); taken || err != nil {
			return err
		}
		return a.rowGroups(ctx, p)
	}
	if err := a.crew.flush(ctx); err != nil {
		return err
	}
	switch {
	case a.how != applied && !p.Last:
		return nil
	case a.how == gone: // its acknowledgement is one of all before it
		a.flights.add(flight{part: p})
		return nil
	case a.how == emptied:
		return a.commit(ctx, a.transaction(p), p)
	case a.inside || !p.First || !p.Last:
		return a.throughSession(ctx, p)
	}
	return a.again(ctx, p, a.throughSession)
}

// again applies a group that is there as a whole, once more if a local transaction was in its way.
func (a *Applier) again(ctx context.Context, p *primary.Part, try func(context.Context, *primary.Part) error) error {
	for n := 0; ; n++ {
		err := try(ctx, p)
		if err == nil || n >= a.opts.Retries || !inTheWay(err) {
			return err
		}
		if a.inside {
			a.session.Rollback()
			a.inside = false
		}
		a.report.Retried()
		a.opts.Logger.Info("a replicated transaction is tried again", "gtid", p.Name(), "err", err)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// inTheWay reports whether an error comes from another transaction, and may not come again.
func inTheWay(err error) bool {
	var known *primary.Error
	if errors.As(err, &known) && (known.Number == 1205 || known.Number == 1213) {
		return true
	}
	return errors.Is(err, txn.ErrDeadlock) || errors.Is(err, txn.ErrLockWaitTimeout) || errors.Is(err, txn.ErrRowChanged)
}

// rowsOnly reports whether a group has nothing but rows.
func rowsOnly(p *primary.Part) bool {
	if p.GTID.Flags&(event.FLStandalone|event.FLPreparedXA|event.FLCompletedXA) != 0 {
		return false
	}
	for i := range p.Events {
		switch body := p.Events[i].Body.(type) {
		case *event.TableMapInfo, *event.RowsInfo, *event.Annotate, *event.Xid:
		case *event.Query:
			if body.SQL != "COMMIT" || i != len(p.Events)-1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// options are those of the transaction of a group.
func (a *Applier) options(p *primary.Part) txn.Options {
	return txn.Options{Isolation: txn.ReadCommitted, LockWaitTimeout: a.opts.LockWaitTimeout, Domain: p.GTID.GTID.Domain, ServerID: p.GTID.GTID.Server,
		Replicated: true, MySQL: p.MySQL, RowImage: a.opts.RowImage, Line: a.line, Durable: p.Acknowledge}
}

// rowGroups applies a group of rows, by the session if triggers are to be run for some of them.
func (a *Applier) rowGroups(ctx context.Context, p *primary.Part) error {
	err := a.again(ctx, p, a.rowGroup)
	if !errors.Is(err, errTriggers) {
		return err
	}
	return a.again(ctx, p, a.throughSession)
}

// rowGroup applies a group of rows.
func (a *Applier) rowGroup(ctx context.Context, p *primary.Part) error {
	t, err := a.prepared(ctx, p)
	if err != nil {
		return err
	}
	return a.commit(ctx, t, p)
}

// prepared makes the changes of a group of rows in a transaction. With an error it was rolled back.
func (a *Applier) prepared(ctx context.Context, p *primary.Part) (*txn.Txn, error) {
	t := a.transaction(p)
	a.rows.begin()
	for i := range p.Events {
		if err := a.rowEvent(ctx, t, p, &p.Events[i]); err != nil {
			t.Rollback()
			return nil, err
		}
	}
	return t, nil
}

// transaction begins the one of a group.
func (a *Applier) transaction(p *primary.Part) *txn.Txn {
	t := a.txns.Begin(a.options(p))
	t.SetSeqNo(p.GTID.GTID.Seq, a.opts.Strict)
	t.SetTimestamp(time.Unix(int64(p.Timestamp), 0))
	return t
}

// commit starts the commit of a group. One that has changed nothing is logged as well: its GTID must not be missing.
func (a *Applier) commit(ctx context.Context, t *txn.Txn, p *primary.Part) error {
	if err := a.flights.room(ctx, p.Bytes); err != nil {
		t.Rollback()
		return err
	}
	s, err := txn.Start(ctx, t, a.line)
	if err != nil {
		return commitError(p, err)
	}
	a.flights.add(flight{part: p, wait: s.Wait, ended: a.ending()})
	return nil
}

// throughSession applies a part by the session, when all before it is committed.
func (a *Applier) throughSession(ctx context.Context, p *primary.Part) error {
	if !a.inside {
		if err := a.drain(ctx); err != nil {
			return err
		}
		if err := a.openSession(); err != nil {
			return err
		}
		a.session.Begin(p)
		a.inside = true
		a.rows.begin()
	}
	for i := range p.Events {
		if err := a.sessionEvent(ctx, p, &p.Events[i]); err != nil {
			return err
		}
	}
	if !p.Last {
		return nil
	}
	if _, err := a.session.Commit(ctx); err != nil {
		return commitError(p, err)
	}
	a.inside = false
	a.flights.add(flight{part: p, ended: a.ending()})
	return nil
}

func (a *Applier) openSession() error {
	if a.session != nil {
		return nil
	}
	s, err := a.open()
	if err == nil {
		a.session = s
	}
	return err
}

func (a *Applier) sessionEvent(ctx context.Context, p *primary.Part, e *event.Event) error {
	switch e.Body.(type) {
	case *event.Annotate, *event.TableMapInfo, *event.RowsInfo:
		t, err := a.session.Txn(ctx)
		if err != nil {
			return err
		}
		return a.rowEvent(ctx, t, p, e)
	}
	return a.session.Event(ctx, p, e)
}

// rowEvent applies an event of a row group.
func (a *Applier) rowEvent(ctx context.Context, t *txn.Txn, p *primary.Part, e *event.Event) error {
	switch body := e.Body.(type) {
	case *event.Annotate:
		t.BeginStatement(string(body.SQL), true)
	case *event.TableMapInfo:
		return a.tableMap(ctx, t, body)
	case *event.RowsInfo:
		return a.changeRows(ctx, t, p, e, body)
	}
	return nil
}

// commitError words an error of a commit.
func commitError(p *primary.Part, err error) error {
	var known *primary.Error
	var order *commit.OutOfOrderError
	switch {
	case errors.As(err, &known) || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &order):
		return &primary.Error{Number: 1950, Cause: err, Text: fmt.Sprintf("An attempt was made to binlog GTID %s which would create an out-of-order sequence number with existing GTID %s, and gtid strict mode is enabled",
			order.GTID, order.Last)}
	}
	return &primary.Error{Number: 1593, Text: fmt.Sprintf("Fatal error: committing %s: %v", p.Name(), err), Cause: err}
}
