package query

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/txn"
)

// set gives the session the settings of a statement.
func (a *Applier) set(ctx context.Context, h event.Header, q *event.Query) error {
	s := a.s
	a.connect(connection{h.ServerID, q.ThreadID})
	at := time.Unix(int64(h.Timestamp), 0)
	if q.HasMicroseconds {
		at = at.Add(time.Duration(q.Microseconds) * time.Microsecond)
	}
	s.Clock.Fixed = at
	gms.WorkFor(s.sql, accounts.Name{User: q.InvokerUser, Host: q.InvokerHost})
	if err := a.vary(ctx, q); err != nil {
		return err
	}
	if q.Schema != s.DB() {
		s.SetDB(q.Schema)
	} else {
		session.FollowDB(s.Session)
	}
	collation, err := logged.DatabaseCollation(q)
	if err != nil || collation == "" {
		return err
	}
	return s.Vars.Set(ctx, "collation_database", collation)
}

// vary sets the variables of a statement, unless they are those of the last one.
func (a *Applier) vary(ctx context.Context, q *event.Query) error {
	s, last := a.s, a.settings
	if last != nil && last.Flags2 == q.Flags2 && last.SQLMode == q.SQLMode && last.Charset == q.Charset && last.TimeZone == q.TimeZone &&
		last.LCTimeNames == q.LCTimeNames && last.AutoIncrementIncrement == q.AutoIncrementIncrement && last.AutoIncrementOffset == q.AutoIncrementOffset {
		return nil
	}
	a.settings = nil
	list, err := logged.Settings(q, a.group.MySQL)
	if err != nil {
		return err
	}
	zone := q.TimeZone
	if zone == "" {
		zone = s.Server.Globals.Str("time_zone")
	}
	for _, v := range append(list, logged.Setting{Name: "time_zone", Value: zone}) {
		if err := s.Vars.Set(ctx, v.Name, v.Value); err != nil {
			return s.toResults(s.sql.MapError(ctx, err))
		}
	}
	a.settings = q
	return nil
}

// connect gives the session the temporary tables of one of the primary's connections.
func (a *Applier) connect(to connection) {
	if to == a.current {
		return
	}
	had := gms.ExchangeTemporary(a.s.sql, a.temporary[to])
	delete(a.temporary, to)
	if !had.Empty() {
		a.temporary[a.current] = had
	}
	a.current = to
}

// DropTemporaryTables drops the temporary tables of a primary that has been started anew. It is called between groups.
func (a *Applier) DropTemporaryTables(serverID uint32) {
	for c := range a.temporary {
		if c.server == serverID {
			delete(a.temporary, c)
		}
	}
	if a.current.server == serverID {
		a.s.Temp.DropAll()
	}
}

// refuse says what a statement asks for that this server does not do, where that is not a variable.
func (a *Applier) refuse(q *event.Query, about *logged.About) error {
	switch {
	case q.Flags2&event.Flags2AutoIsNull != 0 && about.Tree != nil && logged.AsksNull(about.Tree):
		return mysqlerr.NotYet("sql_auto_is_null=ON")
	case q.Flags2&event.Flags2InsertHistory != 0:
		return mysqlerr.NotYet("system_versioning_insert_history=ON")
	case q.Flags2&event.Flags2ExplicitTimestamp == 0 && !a.group.MySQL && logged.DefinesTimestamps(about.Tree):
		return mysqlerr.NotYet("A TIMESTAMP column under explicit_defaults_for_timestamp=OFF")
	case q.Flags2&event.Flags2IfExists != 0 && logged.ChecksExistence(about.Tree):
		return mysqlerr.NotYet("sql_if_exists=ON")
	}
	return nil
}

// idempotent is what is run instead of a definition whose end is there already, under slave_ddl_exec_mode=IDEMPOTENT; "" for the statement
// as it is. In MariaDB, a table of the name of a new one is replaced with its rows, whatever they are. Here it is if it has none: rows that
// are not the primary's are nothing that a replica may drop by itself, and the statement fails (1050).
func (a *Applier) idempotent(ctx context.Context, about *logged.About) (string, error) {
	cat := a.s.engine.Store.Catalog().Current()
	switch n := about.Tree.(type) {
	case *tree.CreateDatabase:
		if !n.IfNotExists && !n.OrReplace && cat.Database(n.Name.Text) != nil {
			return about.Insert(int(n.Name.Start), "IF NOT EXISTS "), nil
		}
	case *tree.Drop:
		if n.IfExists || n.Temporary || n.What != "TABLE" && n.What != "DATABASE" {
			return "", nil
		}
		for _, name := range n.Names {
			there := cat.Database(name.Name.Text) != nil
			if n.What == "TABLE" {
				db := a.inDB(name)
				there = cat.Table(db, name.Name.Text) != nil || a.s.Temp.Has(db, name.Name.Text)
			}
			if !there {
				return about.Insert(int(n.Names[0].Start), "IF EXISTS "), nil
			}
		}
	case *tree.CreateTable:
		if n.Temporary || n.IfNotExists || n.OrReplace || cat.Table(a.inDB(n.Name), n.Name.Name.Text) == nil {
			return "", nil
		}
		empty, err := a.empty(ctx, a.inDB(n.Name), n.Name.Name.Text)
		if err != nil || !empty {
			return "", err
		}
		return about.Insert(int(n.Start)+len("CREATE "), "OR REPLACE "), nil
	}
	return "", nil
}

func (a *Applier) inDB(n *tree.TableName) string {
	if n.DB.Text != "" {
		return n.DB.Text
	}
	return a.s.DB()
}

// empty reports whether a table has no rows.
func (a *Applier) empty(ctx context.Context, db, name string) (bool, error) {
	tx := a.s.EnsureTxn()
	tbl := tx.Catalog().Table(db, name)
	if tbl == nil {
		return true, nil
	}
	rows, err := tx.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest})
	if err != nil {
		return false, err
	}
	some := rows.Next()
	err = rows.Err()
	if closed := rows.Close(); err == nil {
		err = closed
	}
	a.s.EndIdle()
	return !some, err
}

// xa runs the statements of an XA transaction that are logged as ones: within its group they mean nothing.
func (a *Applier) xa(n *tree.XA) error {
	switch n.Verb {
	case "START", "BEGIN":
		a.open()
		return nil
	case "END":
		return nil
	case "ROLLBACK": // of one that was left out: there is nothing of it here
		return a.rollBack()
	}
	return errXA()
}

func errXA() error {
	return mysqlerr.NotYet("An XA transaction that is prepared in one group of the log and committed in another; let the primary use XA COMMIT ... ONE PHASE, " +
		"make the changes of this one here by hand, and leave out both groups, each with SET GLOBAL sql_slave_skip_counter=1; START SLAVE")
}

// XAPrepare runs an XA_PREPARE event: the end of a group like XID, if the transaction is committed with it.
func (a *Applier) XAPrepare(x *event.XAPrepareInfo) error {
	if x.OnePhase {
		return nil // Commit follows
	}
	q := event.Query{SQL: "XA PREPARE " + xaName(x)}
	return logged.Worded(errXA(), &q)
}

func xaName(x *event.XAPrepareInfo) string {
	return strings.Join([]string{dialect.QuoteString(string(x.GTRID)), dialect.QuoteString(string(x.BQUAL)), strconv.FormatUint(uint64(x.FormatID), 10)}, ",")
}
