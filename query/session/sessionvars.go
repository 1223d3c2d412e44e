package session

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// Variables that are read on every statement, looked up once.
var (
	VarLockWait      = MustVar("innodb_lock_wait_timeout")
	varMDLWait       = MustVar("lock_wait_timeout")
	VarSQLLogBin     = MustVar("sql_log_bin")
	varRowImage      = MustVar("binlog_row_image")
	varHeapTableSize = MustVar("max_heap_table_size")
	varDomainID      = MustVar("gtid_domain_id")
	varSeqNo         = MustVar("gtid_seq_no")
	varServerID      = MustVar("server_id")
	varIsolation     = MustVar("tx_isolation")
	varReadOnlyTx    = MustVar("tx_read_only")
	varAnnotate      = MustVar("binlog_annotate_row_events")
	VarSQLMode       = MustVar("sql_mode")
	varLongQueryTime = MustVar("long_query_time")
	VarMaxExecTime   = MustVar("max_statement_time")

	varSkipReplication = MustVar("skip_replication")
)

func MustVar(name string) *sysvar.Def {
	d, ok := sysvar.Lookup(name)
	if !ok {
		panic("query: no variable " + name)
	}
	return d
}

// computedVariables are session variables whose value is a state of the session.
func (s *Session) computedVariables() {
	s.Vars.Computed("timestamp", s.Clock.shown)
	s.Vars.Computed("last_gtid", func() any { return s.lastGTID })
	thread := MustVar("pseudo_thread_id")
	s.Vars.Computed(thread.Name, func() any {
		if set := s.Vars.Stored(thread); set != uint64(0) {
			return set
		}
		return uint64(s.Info.ID)
	})
	s.Vars.Computed("in_transaction", func() any {
		if s.InTransaction() {
			return uint64(1)
		}
		return uint64(0)
	})
	s.Vars.Computed("warning_count", func() any { return uint64(s.Warnings.Count()) })
	s.Vars.Computed("error_count", func() any {
		n := uint64(0)
		for _, w := range s.Warnings.All() {
			if w.Level == "Error" {
				n++
			}
		}
		return n
	})
}

// checkVariable refuses values that a session must not have now.
func (s *Session) checkVariable(ctx context.Context, d *sysvar.Def, v any) (any, error) {
	switch d.Name {
	case "sql_log_bin":
		if s.InTransaction() {
			return nil, mysqlerr.Newf(1694, "Cannot modify @@session.sql_log_bin inside a transaction")
		}
		return v, nil
	case "server_id":
		if s.Tx != nil && s.Tx.Changed() {
			return nil, mysqlerr.Newf(mysqlerr.UnknownError, "Cannot modify @@session.%s inside a transaction", d.Name)
		}
		return v, nil
	case "gtid_domain_id", "gtid_seq_no":
		return v, s.checkGTIDVariable(d, v)
	case "autocommit":
		if v == int8(1) && !s.autocommit && s.InTransaction() {
			return v, s.CommitAll(ctx)
		}
	case "time_zone", "character_set_client", "character_set_connection", "character_set_results", "character_set_server", "character_set_database",
		"character_set_filesystem",
		"collation_connection", "collation_server", "collation_database":
		v, err := s.Server.SQL.CheckCharset(ctx, d.Name, v)
		if err == nil {
			setOfDB(s, d, v)
		}
		return v, err
	case "default_storage_engine", "storage_engine", "default_tmp_storage_engine", "enforce_storage_engine":
		return s.Server.Engines.Variable(ctx, d.Name, v)
	}
	return v, RefuseUnsupported(d, v)
}

// variableChanged keeps the copies up to date that the session holds of some variables.
func (s *Session) variableChanged(d *sysvar.Def, v any) {
	text, _ := v.(string)
	switch d.Name {
	case "autocommit":
		s.autocommit = v == int8(1)
	case "timestamp":
		seconds, _ := v.(float64)
		s.Clock.fix(seconds)
	case "sql_mode":
		s.LexMode = dialect.ModeOf(text)
	case "tx_isolation": // what SET TRANSACTION has said of the next transaction gives way
		if !s.InTransaction() {
			s.Next.HasIsolation = false
		}
	case "tx_read_only":
		if !s.InTransaction() {
			s.Next.HasAccess = false
		}
	}
	s.follower.Changed(d, v)
}
