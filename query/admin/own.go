// Package admin runs the statements of the server's own (SHOW, FLUSH, KILL, BEGIN, LOCK TABLES, SET NAMES, PURGE, PREPARE ...), which no
// SQL engine sees, and makes the rows of information_schema that are about the server.
package admin

import (
	"context"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/own"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// answers reports whether a statement is the session's to run: some are so only for some tables and databases, and
// go-mysql-server's for the others.
func (s Session) answers(st dialect.Statement) bool {
	switch st := st.(type) {
	case dialect.ShowColumns:
		return s.show().describes(useOf(st.Table))
	case dialect.Describe:
		return s.show().describes(useOf(st.Table))
	case dialect.ShowCreateTable:
		return s.show().writesDefinition(useOf(st.Table))
	case dialect.DropRoutine:
		return !s.hasRoutine(st)
	case dialect.ShowTables:
		return strings.EqualFold(s.DBOf(statement.Use{DB: st.DB}), "mysql")
	}
	return true
}

// runOwn runs a statement of the session's own. It returns rows, or sends its results to sink itself and returns sentAlready.
func (s Session) runOwn(ctx context.Context, st dialect.Statement, sink result.Sink, more bool) (*adminRows, error) {
	if own.Lasting(st) { // those that there are most of
		return nil, s.runPlainOwn(ctx, st)
	}
	if account.Runs(st) {
		return s.account(ctx, st)
	}
	switch st := st.(type) {
	// They send what other statements send.
	case dialect.Execute:
		return sentAlready, s.execute(ctx, st, sink, more)
	case dialect.ExecuteImmediate:
		return sentAlready, s.executeImmediate(ctx, st, sink, more)
	case dialect.SetStatement:
		return sentAlready, s.setStatement(ctx, st, result.Followed(sink, more))
	case dialect.CreateOrReplace:
		return sentAlready, s.SQL.CreateOrReplace(ctx, st.Drop(), st.Create, st.Text, sink, more)

	case dialect.ShowDuramenClone:
		return sentAlready, s.clone(ctx, sink, more)

	case dialect.MaintainTables:
		return s.maintainTables(ctx, st)
	case dialect.ShowMasterStatus:
		return s.showMasterStatus()
	case dialect.ShowBinaryLogs:
		return s.showBinaryLogs(), nil
	case dialect.ShowBinlogEvents:
		return s.binlogEvents(ctx, st)
	case dialect.ShowRelaylogEvents:
		return s.relaylogEvents(st)
	case dialect.ShowSlaveHosts:
		return s.showSlaveHosts(), nil
	case dialect.ShowSlaveStatus:
		return s.showSlaveStatus(st)
	case dialect.ShowEngines:
		return showEngines(s.Session), nil
	case dialect.ShowEngine:
		return s.show().showEngine(st, time.Now())
	case dialect.ShowPlugins:
		return s.Engine.showPlugins(), nil
	case dialect.ShowProfiles:
		return noRows("Query_ID", "Duration", "Query"), nil
	case dialect.ShowProcesslist:
		return s.Engine.processList(s.Session, st.Full), nil
	case dialect.ShowWarnings:
		return s.show().showWarnings(st), nil
	case dialect.ShowWarningCount:
		return s.show().countWarnings(st), nil
	case dialect.ShowVariables:
		return filtered([]string{"Variable_name", "Value"}, variableRows(s.Session, st.Global), st.Filter)
	case dialect.ShowStatus:
		return filtered([]string{"Variable_name", "Value"}, s.Engine.statusRows(s.Session), st.Filter)
	case dialect.ShowColumns:
		return s.show().showColumns(ctx, useOf(st.Table), st.Full, st.Filter)
	case dialect.Describe:
		return s.show().showColumns(ctx, useOf(st.Table), false, dialect.Filter{Like: st.Like})
	case dialect.ShowTables:
		return s.show().showSystemTables(ctx, st)
	case dialect.ShowOpenTables:
		return filtered([]string{"Database", "Table", "In_use", "Name_locked"}, nil, st.Filter)
	case dialect.ShowTableStatus:
		return s.show().showView(ctx, &tableStatusView, statement.Use{DB: st.DB}, st.Filter)
	case dialect.ShowIndex:
		return s.show().showView(ctx, &indexView, useOf(st.Table), dialect.Filter{Where: st.Where})
	case dialect.ShowCollation:
		return s.show().showView(ctx, &collationView, statement.Use{}, st.Filter)
	case dialect.ShowTriggers:
		return s.show().showView(ctx, &triggerView, statement.Use{DB: st.DB}, st.Filter)
	case dialect.ShowEvents:
		return s.show().showView(ctx, &eventView, statement.Use{DB: st.DB}, st.Filter)
	case dialect.ShowRoutines:
		return s.show().showRoutines(ctx, st)
	case dialect.ShowCreateTable:
		return s.show().showCreateTable(ctx, useOf(st.Table))
	case dialect.ShowCreateView:
		return s.show().showCreated(st.View, s.show().createdView)
	case dialect.ShowCreateTrigger:
		return s.show().showCreated(st.Trigger, s.show().createdTrigger)
	case dialect.ShowCreateProcedure:
		return s.show().showCreated(st.Procedure, s.show().createdProcedure)
	case dialect.ShowCreateEvent:
		return s.show().showCreated(st.Event, s.show().createdEvent)
	case dialect.ShowCreateDatabase:
		return s.show().showCreateDatabase(st)
	}
	return nil, s.runPlainOwn(ctx, st)
}

// runPlainOwn runs a statement that yields nothing but OK.
func (s Session) runPlainOwn(ctx context.Context, st dialect.Statement) error {
	switch st := st.(type) {
	case dialect.Shutdown:
		return s.shutdown(st)
	case dialect.Kill:
		return s.killConnections(st)

	case dialect.StartTransaction:
		return s.beginTransaction(ctx, st)
	case dialect.Commit:
		return s.commit(ctx, st.Completion)
	case dialect.Rollback:
		return s.rollback(st.Completion)
	case dialect.RollbackTo:
		return s.RollbackToSavepoint(st.Name)
	case dialect.Savepoint:
		return s.CreateSavepoint(st.Name)
	case dialect.ReleaseSavepoint:
		return s.ReleaseSavepoint(st.Name)
	case dialect.SetTransaction:
		return s.setTransaction(ctx, st)
	case dialect.LockTables:
		return s.lockNamed(ctx, st)
	case dialect.UnlockTables:
		return s.unlockAll(ctx)

	case dialect.Flush:
		return s.flush(ctx, st)
	case dialect.FlushTables:
		return s.flushTables(ctx, st)
	case dialect.PurgeBinaryLogs:
		return s.purgeBinaryLogs(ctx, st)
	case dialect.ResetMaster:
		return s.resetMaster(ctx, st.To)
	case dialect.ResetQueryCache: // there is none
		return nil
	case dialect.ChangeMaster:
		return s.changeMaster(ctx, st)
	case dialect.StartSlave:
		return s.startSlave(ctx, st)
	case dialect.StopSlave:
		return s.stopSlave(ctx, st)
	case dialect.ResetSlave:
		return s.replicated(s.Engine.Replication.Reset(s.connection(st.Connection), st.All))

	case dialect.Prepare:
		return s.prepareFrom(ctx, st)
	case dialect.Deallocate:
		return s.Statements.Deallocate(st.Name)
	case dialect.Do:
		_, err := s.Statements.ExecuteFirst(ctx, "SELECT "+st.Expressions, discardSink{})
		return err
	case dialect.SetNames:
		return s.SQL.SetNames(st.Charset, st.Collation)
	case dialect.SetCharacterSet:
		if err := s.SQL.SetNames(st.Charset, ""); err != nil {
			return err
		}
		for _, of := range []string{"character_set_", "collation_"} { // the connection's are the database's
			s.Vars.Store(session.MustVar(of+"connection"), s.Vars.Str(of+"database"))
		}
		return nil
	case dialect.DropRoutine:
		return s.dropNoRoutine(ctx, st)
	case dialect.AlterKeys: // every index is kept up to date
		return s.CommitAll(ctx)

	case dialect.Handler:
		return mysqlerr.NotYet("HANDLER")
	case dialect.ChecksumTables:
		return mysqlerr.NotYet("CHECKSUM TABLE")
	case dialect.XA, dialect.Help, dialect.Backup, dialect.Binlog, dialect.Install, dialect.Uninstall:
		return mysqlerr.NotYet(firstWords(st.String()))
	}
	return mysqlerr.NotYet(st.String()) // a value that nobody runs, see TestEveryStatementHasARunner
}

// useOf is the table that a statement names.
func useOf(n dialect.TableName) statement.Use { return statement.Use{DB: n.DB, Name: n.Name} }

// firstWords are the first two words of a statement, as far as they are words.
func firstWords(text string) string {
	toks := dialect.Tokens(text, dialect.Mode{}, 2)
	out := strings.ToUpper(toks[0].Text)
	if len(toks) > 1 && toks[1].Kind == dialect.Word {
		out += " " + strings.ToUpper(toks[1].Text)
	}
	return out
}

// shutdown is SHUTDOWN: the answer comes before the server begins to go.
func (s Session) shutdown(st dialect.Shutdown) error {
	if s.Engine.Shutdown == nil {
		return mysqlerr.New(mysqlerr.NotSupportedYet, "SHUTDOWN of an embedded server")
	}
	s.Engine.Shutdown(st.WaitForReplicas)
	return nil
}

// Session is a session that runs a statement of its own.
type Session struct {
	*session.Session
	SQL        *gms.Session
	Engine     *Server
	Statements Statements
}

// showing is a session that runs a SHOW, or a statement like it.
type showing struct{ Session }

func (s Session) show() showing { return showing{s} }
