package session

import (
	"context"
	"io"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/txn"
)

// Replicated is what a session that runs the statements of a primary's log knows of the group which they are of. The group is one
// transaction here as well, committed with its own GTID: End commits it, or the one statement of which it consists does.
type Replicated struct {
	// GTID is what the group is committed with.
	GTID gtid.GTID
	// MySQL is what a MySQL, from which it came, calls it.
	MySQL gtid.MySQL
	// Query is the running statement as the primary has logged it: its own log record has the same settings. Nil between statements.
	Query *event.Query
	// RowsFollow says that the running statement makes a table whose rows come behind it in the group, which stays open.
	RowsFollow bool
	// Random makes the numbers of RAND() in the running statement; nil: they are those of any session.
	Random interface{ Float64() float64 }
	// File is what the running LOAD DATA reads; nil: it is none.
	File func() (io.ReadCloser, error)
	// Rows changes rows as a primary's log has them, in place of the running statement, whose triggers it gets; nil: the statement is one as any other.
	Rows func(ctx context.Context, fire RowTriggers) error
	// Displacing is a DELETE of the table that Rows inserts into, whose triggers fire for the rows that make way; "": none does.
	Displacing string

	ending bool // End is committing
	done   bool // the group is in the log
	info   txn.CommitInfo
}

// RowTriggers run the triggers of a table for one kind of changes, and for deletions of rows that make way for it. Rows are images; there is no old one of an
// insertion, no new one of a deletion.
type RowTriggers interface {
	// Before runs those that fire before the change, and gives the new row as they leave it.
	Before(ctx context.Context, old, new []byte) ([]byte, error)
	// After runs those that fire after it.
	After(ctx context.Context, old, new []byte) error
}

// errTwice says that a statement wants to commit more, or earlier, than the primary did.
func errTwice() error {
	return mysqlerr.Newf(mysqlerr.NotSupportedYet, "This server would commit a part of a replicated transaction by itself here; "+
		"run the statement by hand, and skip it")
}

// options are those of the group's transaction. Whatever else says in the log that a group came by replication belongs here.
func (r *Replicated) options(o *txn.Options) {
	o.Domain, o.ServerID, o.Replicated, o.MySQL = r.GTID.Domain, r.GTID.Server, true, r.MySQL
}

// mayCommit refuses a commit that would cut the group into two. What is not for replicas has no GTID, and may be committed at any time.
func (r *Replicated) mayCommit(tx *txn.Txn, explicit bool) error {
	if r.ending || tx == nil || tx.Options().SkipBinlog {
		return nil
	}
	if explicit || r.done && tx.Changed() {
		return errTwice()
	}
	return nil
}

// numbered gives the group's transaction its number.
func (r *Replicated) numbered(tx *txn.Txn, strict bool) {
	if r.ending {
		txn.LogEmpty(tx)
	}
	if !tx.Options().SkipBinlog {
		tx.SetSeqNo(r.GTID.Seq, strict)
	}
}

// committed notes where the group is.
func (r *Replicated) committed(info txn.CommitInfo) {
	if info.GTID.Seq != 0 {
		r.done, r.info = true, info
	}
}

// partly reports whether a statement that has failed keeps what it has done until then, because it did on the primary: such a one is
// logged only if it has changed a table there that knows no transactions.
func partly(s *Session) bool {
	return s.Replicated != nil && s.Replicated.Query != nil && s.Replicated.Query.ErrorCode != 0
}

// End commits the open group, with nothing but its GTID if it has changed nothing here. It may be called for one that a statement has
// committed. After an error nothing of the group is left.
func (r *Replicated) End(ctx context.Context, s *Session) (txn.CommitInfo, error) {
	if r.done {
		if s.Tx != nil && s.Tx.Changed() {
			s.RollbackAll()
			return txn.CommitInfo{}, errTwice()
		}
		s.RollbackAll()
		return r.info, nil
	}
	s.EnsureTxn()
	r.ending = true
	defer func() { r.ending = false }()
	if err := s.CommitAll(ctx); err != nil {
		return txn.CommitInfo{}, err
	}
	return r.info, nil
}

// event is QueryEvent for a statement of a primary: its settings as they are, with what is run here.
func (r *Replicated) event(s *Session, text string) event.Query {
	q, of := *r.Query, r.Query
	var client uint16
	if q.SQL, client = TextsOf(s).logged(text); q.Charset != [3]uint16{} {
		q.Charset[0] = client
		if q.SQL == of.SQL {
			q.Charset[0] = of.Charset[0]
		}
	}
	q.ErrorCode, q.XID, q.GTIDFlags3, q.AlterSeq = 0, 0, 0, 0
	q.SQLMode = sysvar.SQLModeBits(s.Vars.Str("sql_mode")) // another server's bits mean other things
	return q
}
