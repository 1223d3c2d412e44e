package query

import (
	"context"
	"fmt"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/txn"
)

// Applier runs the statements of a primary's log, in its groups. Each group is one transaction here, with the GTID that it has there:
//
//	Begin
//	    Intvar, Rand, UserVar, LoadBlock      for the Statement behind them
//	    Statement, Load                       of a QUERY, of an EXECUTE_LOAD_QUERY
//	    Txn                                   for rows, which the caller applies
//	Commit, or Rollback
//
// Commit is called for each group, also where a statement has committed: what is left of the group is nothing then. A group that changes
// nothing here is logged with its GTID alone. After an error the caller calls Rollback, and may begin the group again.
//
// An Applier is for one goroutine at a time.
type Applier struct {
	s      *Session
	group  Group
	skip   logged.SkipErrors
	before valuesBefore
	files  map[uint32]*loadedFile
	// temporary are the tables of the primary's connections but current's, whose tables the session has.
	temporary map[connection]gms.TemporaryTables
	current   connection
	// settings are the statement's whose settings the session has; nil: none.
	settings      *event.Query
	madeTemporary bool // or dropped, by a statement of the group
}

// connection is one of a primary's, which temporary tables belong to.
type connection struct{ server, thread uint32 }

// Group is what follows of the GTID event that a group begins with.
type Group struct {
	event.GTIDInfo
	// Timestamp is the GTID event's, in Unix seconds.
	Timestamp uint32
	// MySQL says that the primary is one, and MySQLGTID, if it is Valid, what that calls the group.
	MySQL     bool
	MySQLGTID gtid.MySQL
}

// systemUser is whom SHOW PROCESSLIST names.
const systemUser = "system user"

// NewApplier makes the session of an SQL thread. It has all privileges, no account, and does not count as a connection of a client. It ends with
// Close; after KILL of its id every statement has error 1927.
func (e *Engine) NewApplier() (*Applier, error) {
	skip, err := logged.ParseSkipErrors(e.Globals.Str("slave_skip_errors"))
	if err != nil {
		return nil, err
	}
	s, err := e.NewSession(session.ConnInfo{User: systemUser})
	if err != nil {
		return nil, err
	}
	a := &Applier{s: s, skip: skip, files: map[uint32]*loadedFile{}, temporary: map[connection]gms.TemporaryTables{}}
	s.Replicated = &session.Replicated{}
	gms.WorkFor(s.sql, accounts.Name{})
	for _, v := range []logged.Setting{
		{Name: "autocommit", Value: true}, {Name: "tx_read_only", Value: false}, {Name: "max_statement_time", Value: 0.0}, {Name: "sql_safe_updates", Value: false},
		{Name: "sql_select_limit", Value: ^uint64(0)}, {Name: "character_set_results", Value: "utf8mb4"},
	} {
		if err := s.Vars.Set(context.Background(), v.Name, v.Value); err != nil {
			s.Close()
			return nil, fmt.Errorf("applier: %w", err)
		}
	}
	a.SetState("Waiting for the next event in relay log")
	return a, nil
}

// WorkFor says whose thread's row SHOW PROCESSLIST shows what it does in.
func (a *Applier) WorkFor(thread uint32) { a.s.Proc.WorkFor(thread) }

// SetState is the column State of the thread in SHOW PROCESSLIST.
func (a *Applier) SetState(state string) { a.s.SetState("Slave_SQL", state) }

// ID is the thread's in SHOW PROCESSLIST.
func (a *Applier) ID() uint32 { return a.s.ID() }

// Begin begins a group. What is open of another one is rolled back.
func (a *Applier) Begin(g Group) {
	a.Rollback()
	a.group, a.madeTemporary = g, false
	a.s.Replicated = &session.Replicated{GTID: g.GTID, MySQL: g.MySQLGTID}
	a.s.Vars.Store(varServerID, uint64(g.GTID.Server))
	a.s.Vars.Store(varDomainID, uint64(g.GTID.Domain))
	a.s.Clock.Fixed = time.Unix(int64(g.Timestamp), 0)
}

var varServerID, varDomainID = session.MustVar("server_id"), session.MustVar("gtid_domain_id")

// Txn is the transaction of the group, for rows that the caller changes in it. A group that consists of rows alone needs no Applier.
func (a *Applier) Txn() *txn.Txn {
	a.open()
	return a.s.EnsureTxn()
}

// open has what follows belong to one transaction.
func (a *Applier) open() {
	if !a.s.InTransaction() {
		a.s.Chain(session.NextTransaction{})
	}
}

// Commit ends the group: it is in the log then.
func (a *Applier) Commit(ctx context.Context) (txn.CommitInfo, error) {
	s := a.s
	s.Replicated.Query = nil
	s.Clock.Fixed = time.Unix(int64(a.group.Timestamp), 0)
	run := s.Begin(ctx, "COMMIT")
	var info txn.CommitInfo
	err := s.sql.MapError(run, s.sql.Protect(func() (err error) {
		info, err = s.Replicated.End(run, s.Session)
		return err
	}))
	s.End()
	a.SetState("")
	a.forgetFiles()
	return info, s.toResults(err)
}

// Rollback gives up what is not committed of the group.
func (a *Applier) Rollback() {
	a.s.Replicated.Query, a.s.Replicated.RowsFollow = nil, false
	a.s.RollbackAll()
	a.before = valuesBefore{}
	a.forgetFiles()
}

// Close ends the session, with the primary's temporary tables.
func (a *Applier) Close() {
	a.Rollback()
	clear(a.temporary)
	a.s.Close()
}

// Statement runs a QUERY event. Its error is worded for SHOW SLAVE STATUS, and has the one of the statement as its cause.
func (a *Applier) Statement(ctx context.Context, h event.Header, q *event.Query) error {
	defer func() { a.before = valuesBefore{} }()
	switch logged.ControlOf(q.SQL) {
	case logged.Begin:
		a.open()
		return nil
	case logged.Commit:
		_, err := a.Commit(ctx)
		return err
	case logged.Rollback:
		return a.rollBack()
	}
	if a.group.ExtraFlags&(event.FLExtraStartAlter|event.FLExtraRollbackAlter) != 0 { // COMMIT ALTER has the text again
		return nil
	}
	if err := logged.CutShort(q); err != nil {
		return err
	}
	about, err := a.read(q)
	known := q
	if err == nil {
		known, about, err = logged.Known(q, about)
	}
	if err == nil {
		err = a.run(ctx, h, known, about)
	}
	return a.judge(q, err)
}

// judge says what an error means for the thread.
func (a *Applier) judge(q *event.Query, err error) error {
	stop := logged.Judge(err, q, a.skip)
	switch {
	case stop != nil:
		return stop
	case err != nil && q.ErrorCode == 0:
		a.s.engine.Log.Warn("an error of a replicated statement is skipped", "GTID", a.group.GTID.String(), "query", q.SQL, "err", err)
	}
	return nil
}

// rollBack is ROLLBACK as the end of a group, which a primary logs for what cannot be rolled back there: temporary tables, which are dropped
// or made in the group, and tables of engines without transactions. All tables of this server have transactions.
func (a *Applier) rollBack() error {
	if tx := a.s.Tx; tx != nil && tx.Changed() && !a.madeTemporary {
		return mysqlerr.NotYet("A transaction that the primary has rolled back, with tables that keep what was changed there")
	}
	a.s.RollbackAll()
	return nil
}

// read reads a statement. What MySQL says of a table whose rows follow is left out.
func (a *Applier) read(q *event.Query) (*logged.About, error) {
	about, err := logged.AboutOf(q)
	if err == nil {
		return &about, nil
	}
	if cut, ok := logged.WithoutStart(about.Text); ok {
		plain := *q
		plain.SQL, plain.Charset[0] = cut, mysql.Collation_utf8mb4_general_ci // which it was converted to
		if about, err := logged.AboutOf(&plain); err == nil && about.MakesTable() {
			about.Rewritten = true
			return &about, nil
		}
	}
	return &about, err
}

// standalone reports whether the group is one statement, which commits by itself. MySQL has no mark for these: others begin with BEGIN.
func (a *Applier) standalone() bool {
	return a.group.Flags&event.FLStandalone != 0 || a.group.MySQL && !a.s.InTransaction()
}

// run runs a statement with its settings. Its error is that of the statement.
func (a *Applier) run(ctx context.Context, h event.Header, q *event.Query, about *logged.About) error {
	s := a.s
	if xa, ok := about.Tree.(*tree.XA); ok {
		return a.xa(xa)
	}
	r := s.Replicated
	if !a.standalone() || about.Rewritten {
		if about.MakesTable() && !s.InTransaction() {
			r.RowsFollow = true
		} else {
			a.open()
		}
	}
	r.Query = q
	defer func() { r.Query, r.RowsFollow, r.Random, r.File = nil, false, nil, nil }()
	if err := a.set(ctx, h, q); err != nil {
		return err
	}
	if err := a.before.give(s, r); err != nil {
		return err
	}
	if err := a.refuse(q, about); err != nil {
		return err
	}
	text := q.SQL
	if about.Rewritten || about.Renamed {
		text = a.sent(about.Text)
	}
	if a.s.Server.Globals.Str("slave_ddl_exec_mode") == "IDEMPOTENT" {
		other, err := a.idempotent(ctx, about)
		if err != nil {
			return err
		}
		if other != "" {
			text = a.sent(other)
		}
	}
	a.madeTemporary = a.madeTemporary || about.Temporary()
	err := s.Execute(ctx, text, nowhere{})
	s.Vars.Store(varInsertID, uint64(0)) // it was for this statement
	a.SetState("Applying replicated events")
	return err
}

// sent is a text of this server as the primary would have sent it, in its character set.
func (a *Applier) sent(text string) string { return session.TextsOf(a.s.Session).ToClient(text) }

var varInsertID = session.MustVar("insert_id")

// nowhere is where results of replicated statements go.
type nowhere struct{}

func (nowhere) Columns([]result.Column) error { return nil }
func (nowhere) Row(result.Row) error          { return nil }
func (nowhere) EndRows(result.Status) error   { return nil }
func (nowhere) OK(result.OK) error            { return nil }
