package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/mysqlerr/storage"
	"github.com/duramendb/duramen/query/native"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/convert"
	"github.com/duramendb/duramen/replication/replica/filter"
	"github.com/duramendb/duramen/replication/replica/follow"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// This file is what the threads of a replica do, between the manager of its connections (package replica), what connects (follow), and what applies
// (apply): the settings of this server that they read when they start.

// receive is an attempt of an IO thread.
func (e *Engine) receive(ctx context.Context, r *replica.Receiving) error {
	settings := r.Settings
	settings.Place = r.Place
	conn, err := follow.Connect(ctx, follow.Options{
		Settings: settings, ServerID: uint32(e.GlobalUint("server_id")), From: r.GTIDs, Executed: r.Executed, Until: r.Until,
		Reconnects: r.Reconnects,
		ReportHost: e.GlobalString("report_host"), ReportPort: uint16(e.GlobalUint("report_port")),
		Strict: e.Globals.On("gtid_strict_mode"), IgnoreDuplicates: e.Globals.On("gtid_ignore_duplicates"),
		SemiSync: e.Globals.On("rpl_semi_sync_slave_enabled"), KillTimeout: time.Duration(e.GlobalUint("rpl_semi_sync_slave_kill_conn_timeout")) * time.Second,
		NetTimeout: time.Duration(e.GlobalUint("slave_net_timeout")) * time.Second, MaxPacket: int(e.GlobalUint("slave_max_allowed_packet")),
		State: func(text string) {
			if text == "Checking master version" {
				r.Preparing()
			}
			r.State(text)
		},
		Logger: e.Log,
	})
	if err != nil {
		return err
	}
	err = e.receiveParts(ctx, conn, r)
	return errors.Join(err, conn.Close())
}

func (e *Engine) receiveParts(ctx context.Context, conn *follow.Conn, r *replica.Receiving) error {
	info := conn.Info()
	r.Primary(info.ServerID, info.ClockDifference)
	if !info.GTID && r.Settings.GTID != primary.NoGTID {
		r.WithoutGTIDs()
	}
	if info.Set {
		r.BySet()
	}
	r.Connected()
	if info.SemiSync {
		e.semiSyncReplicas.Add(1)
		defer e.semiSyncReplicas.Add(-1)
	}
	for beats := uint64(0); ; {
		p, err := conn.Next(ctx)
		if err != nil {
			return err
		}
		for n := conn.Info().Heartbeats; beats < n; beats++ {
			r.Heartbeat()
		}
		if ack := p.Acknowledge; ack != nil {
			var sent atomic.Bool
			p.Acknowledge = func(end logpos.Pos) {
				if sent.Swap(true) {
					return
				}
				if end.IsZero() {
					end = e.Store.Log().Visible()
				}
				// A replica that forgets what it has acknowledged makes semi-sync worthless, so this is true whatever sync_binlog says.
				if err := e.Store.Pipeline().SyncTo(end); err != nil {
					return // the process ends
				}
				ack(end)
				e.acksSent.Add(1)
				r.Acknowledged()
			}
		}
		if err := r.Put(ctx, p); err != nil {
			return err
		}
		if p.Kind == primary.UntilReached {
			return nil
		}
	}
}

// apply is a SQL thread.
func (e *Engine) apply(ctx context.Context, r *replica.Applying) error {
	if err := store.Replicates(e.Store); err != nil {
		return &primary.Error{Number: mysqlerr.NotSupportedYet, Text: err.Error()}
	}
	o, err := e.applyOptions(r)
	if err != nil {
		return err
	}
	x := e.executions.begin(e.Executed)
	defer x.end()
	o.Executions = x
	a := apply.New(e.Store.Txns(), o, r, func() (apply.Session, error) {
		s, err := e.NewApplier()
		if err != nil {
			return nil, err
		}
		s.WorkFor(r.ThreadID())
		return &following{Applier: s, filter: o.Filter}, nil
	})
	err = threadError(a.Run(ctx, r.Take))
	return firstOf(a.Close(), err)
}

// firstOf is the error of a group that was under way, if there was one: it was before the other.
func firstOf(underWay, then error) error {
	if underWay != nil && !errors.Is(then, underWay) {
		return threadError(underWay)
	}
	return then
}

func (e *Engine) applyOptions(r *replica.Applying) (apply.Options, error) {
	own := uint32(e.GlobalUint("server_id"))
	conversions, err := convert.ParseConversions(e.GlobalString("slave_type_conversions"))
	if err != nil {
		return apply.Options{}, err
	}
	taken, err := e.filters.of(r.Name)
	if err != nil {
		return apply.Options{}, err
	}
	o := apply.Options{
		Strict: e.Globals.On("gtid_strict_mode"), Idempotent: e.GlobalString("slave_exec_mode") == "IDEMPOTENT", Conversions: conversions,
		Filter: taken, IgnoreServerIDs: r.Settings.IgnoreServerIDs, DoDomains: r.Settings.DoDomains, IgnoreDomains: r.Settings.IgnoreDomains,
		LockWaitTimeout: time.Duration(e.GlobalUint("innodb_lock_wait_timeout")) * time.Second, Retries: int(min(e.GlobalUint("slave_transaction_retries"), 1<<30)),
		Triggers: func() string { return e.GlobalString("slave_run_triggers_for_rbr") }, Logger: e.Log,
	}
	o.GTIDs = r.Settings.GTID != primary.NoGTID
	if e.Globals.On("gtid_ignore_duplicates") { // nothing runs while it is set
		o.Duplicates = e.duplicates
	}
	if !e.cfg.Replica.SameServerID {
		// What a crash has taken from this server's log, while a replica kept it, comes back from there: it is not left out.
		o.Own = func(g gtid.GTID) bool { return g.Server == own && e.Store.Log().StateClone().Contains(g) }
	}
	if r.Settings.GTID == primary.NoGTID && r.AtPlace != nil {
		o.Applied = apply.Window{After: r.AtPlace, UpTo: e.SlavePos()}
	}
	switch e.GlobalString("binlog_row_image") {
	case "MINIMAL":
		o.RowImage = txn.ImageMinimal
	case "NOBLOB":
		o.RowImage = txn.ImageNoBlob
	}
	return o, nil
}

// following is an Applier as package apply wants to see it.
type following struct {
	*Applier
	filter *filter.Filter
}

func (f *following) Begin(p *primary.Part) {
	f.Applier.Begin(Group{GTIDInfo: p.GTID, Timestamp: p.Timestamp, MySQL: p.GTID.GTID.Seq == 0, MySQLGTID: p.MySQL})
}

// Event runs what is no row.
func (f *following) Event(ctx context.Context, p *primary.Part, e *event.Event) error {
	err := f.event(ctx, e)
	if err == nil {
		return nil
	}
	failed := threadError(err)
	var known *primary.Error
	if errors.As(failed, &known) {
		known.Text += fmt.Sprintf(" (GTID %s, at %s:%d)", p.Name(), p.Place.File, e.Header.LogPos)
	}
	return failed
}

func (f *following) event(ctx context.Context, e *event.Event) error {
	switch body := e.Body.(type) {
	case *event.IntvarInfo:
		f.Intvar(body)
	case *event.RandInfo:
		f.Rand(body)
	case *event.UserVarInfo:
		return f.UserVar(body)
	case *event.LoadBlock:
		return f.LoadBlock(body)
	case *event.LoadQuery:
		load := *body // the event may be given to another applier
		if !f.passes(&load.Query) {
			return nil
		}
		return f.Load(ctx, e.Header, &load)
	case *event.Query:
		q := *body
		if !f.passes(&q) {
			return nil
		}
		return f.Statement(ctx, e.Header, &q)
	case *event.XAPrepareInfo:
		return f.XAPrepare(body)
	case *event.Xid:
	}
	return nil
}

// passes rewrites the default database of a statement, and reports whether the filters take it.
func (f *following) passes(q *event.Query) bool {
	if f.filter == nil || logged.ControlOf(q.SQL) != logged.NoControl {
		return true
	}
	q.Schema = f.filter.Rewritten(q.Schema)
	about, err := logged.AboutOf(q)
	if err != nil {
		return true // running it says what is wrong
	}
	if about.Database != "" {
		return f.filter.DatabaseStatement(about.Database)
	}
	if !f.filter.Statement(q.Schema) {
		return false
	}
	var names []filter.Name
	for _, t := range about.Updated {
		names = append(names, filter.Name{DB: t.DB, Table: t.Name})
	}
	// The rules about tables are not for what names none: accounts, FLUSH.
	return len(names) == 0 || f.filter.Tables(names)
}

func (f *following) Txn(context.Context) (*txn.Txn, error) { return f.Applier.Txn(), nil }

func (f *following) Restarted(serverID uint32) { f.DropTemporaryTables(serverID) }

func (f *following) Related(ctx context.Context, t *txn.Txn, tbl *catalog.Table, how apply.Changes) (apply.RowChange, error) {
	change, err := f.s.native().RelatedChange(ctx, t, tbl, native.RowChanges(how))
	return apply.RowChange(change), err
}

func (f *following) Triggers(cat *catalog.Snapshot, tbl *catalog.Table) apply.Changes {
	return apply.Changes(f.s.native().TriggersOf(cat, tbl))
}

func (f *following) Triggered(ctx context.Context, e *event.Event, tbl *catalog.Table, how apply.Changes, change func(ctx context.Context, fire apply.Triggers) error) error {
	return f.RowsWithTriggers(ctx, e.Header, tbl, native.RowChanges(how), func(ctx context.Context, fire session.RowTriggers) error { return change(ctx, fire) })
}

func (f *following) Generation(ctx context.Context, e *event.Event, tbl *catalog.Table, computed func(column int) bool) (func(image []byte) ([]byte, error), error) {
	return f.GenerationForRows(ctx, e.Header, tbl, computed)
}

func (f *following) Explain(ctx context.Context, tbl *catalog.Table, image []byte, err error) (number uint16, text string) {
	var e *mysqlerr.Error
	if !errors.As(f.s.native().Named(ctx, tbl, image, err), &e) {
		return 0, ""
	}
	return e.Number, e.Message
}

// fullDisk is MariaDB's text, and what to do.
const fullDisk = `Disk full (binlog); waiting for someone to free some space... (errno: 28 "No space left on device"). Free space on the disk of the data directory, ` +
	"or PURGE BINARY LOGS that no replica needs; it goes on by itself then, or with START SLAVE if Slave_SQL_Running is No"

// fullTmpdir is fullDisk for tmpdir, whose name it takes twice.
const fullTmpdir = `Disk full (%s); waiting for someone to free some space... (errno: 28 "No space left on device"). Free space on the disk of tmpdir (%[1]s), where the file of a ` +
	"replicated LOAD DATA has to go; it goes on by itself then, or with START SLAVE if Slave_SQL_Running is No"

// threadError is an error of SQL as SHOW SLAVE STATUS shows it.
func threadError(err error) error {
	var known *primary.Error
	var ours *mysqlerr.Error
	var mismatch *convert.TypeError
	var tmpdir *tmpdirFullError
	if errors.As(err, &tmpdir) {
		return &primary.Error{Number: mysqlerr.DiskFull, Text: fmt.Sprintf(fullTmpdir, os.TempDir()), Cause: err}
	}
	if err != nil && storage.From(err).Number == mysqlerr.DiskFull {
		return &primary.Error{Number: mysqlerr.DiskFull, Text: fullDisk, Cause: err}
	}
	switch {
	case errors.As(err, &known) && errors.As(err, &mismatch):
		shown := *mismatch
		shown.To = ddltext.Type(shown.To)
		return &primary.Error{Number: known.Number, Text: shown.Error(), Cause: known.Cause}
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &ours):
		return &primary.Error{Number: ours.Number, Text: ours.Message, Cause: err}
	}
	return &primary.Error{Number: 1593, Text: "Fatal error: " + err.Error(), Cause: err}
}
