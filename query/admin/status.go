package admin

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/txn"
)

// statusRow is one row of SHOW STATUS.
type statusRow struct{ name, value string }

// statusList are all status variables, by name.
func (e *Server) statusList(s *session.Session) []statusRow {
	var rows []statusRow
	add := func(name string, v any) { rows = append(rows, statusRow{name, fmt.Sprint(v)}) }
	e.Status.Each(func(name string, n int64) { add(name, n) })

	sessions := e.Sessions.All()
	running, dumps := 0, 0
	for _, s := range sessions {
		switch s.Proc.Info().Command {
		case "Binlog Dump":
			dumps++
			running++
		case "Sleep":
		default:
			running++
		}
	}
	add("Threads_connected", len(sessions))
	add("Threads_running", running)
	add("Threads_created", e.LastID.Load())
	add("Slaves_connected", dumps)
	compression := "OFF"
	if s.Info.Capabilities&mysql.CLIENT_COMPRESS != 0 {
		compression = "ON"
	}
	add("Compression", compression)
	add("Ssl_cipher", s.Info.TLSCipher)
	add("Ssl_version", s.Info.TLSVersion)
	uptime := int64(time.Since(e.Started).Seconds())
	add("Uptime", uptime)
	add("Uptime_since_flush_status", uptime)
	entries, bytes := e.Programs()
	add("Direct_programs", entries)
	add("Direct_programs_bytes", bytes)
	e.binlogStatus(s, add)
	e.replicaStatus(s, add)
	rows = append(rows, notHere...)
	sort.Slice(rows, func(i, j int) bool { return strings.ToLower(rows[i].name) < strings.ToLower(rows[j].name) })
	return rows
}

// notHere are counters and states that clients and monitors ask for, of what Duramen does not have: they are
// what MariaDB shows where it does not have it either. A variable that MariaDB would count here, and we do not
// (Handler_read_rnd_next, Created_tmp_tables), is not in the list at all.
var notHere = []statusRow{
	{"Binlog_group_commit_trigger_lock_wait", "0"},                      // no commit group is closed early because somebody waits for a row
	{"Binlog_stmt_cache_use", "0"}, {"Binlog_stmt_cache_disk_use", "0"}, // every table is transactional
	{"Open_tables", "0"}, {"Opened_tables", "0"}, {"Threads_cached", "0"}, // no cache of tables, none of threads
}

// binlogStatus adds what the log and the pipeline count.
func (e *Server) binlogStatus(s *session.Session, add func(string, any)) {
	stats := e.Store.Pipeline().Stats()
	add("Binlog_commits", stats.Commits)
	add("Binlog_group_commits", stats.GroupCommits)
	add("Binlog_group_commit_trigger_count", stats.GroupCommitTriggerCount)
	add("Binlog_group_commit_trigger_timeout", stats.GroupCommitTriggerTimeout)
	add("Binlog_bytes_written", stats.BytesWritten)
	add("Binlog_disk_use", e.Store.Log().DiskUse())
	add("Binlog_syncs", stats.Syncs)
	add("Binlog_sync_method", e.Store.Log().SyncMethod().String())
	add("Binlog_groups_in_flight", e.Store.Pipeline().Depth())
	add("Commit_protocol", string(e.Store.CommitProtocol()))
	syncs, bytes := e.Store.CommitCost()
	add("Commit_syncs", syncs)
	add("Commit_bytes_written", bytes)
	redo := e.Store.RedoStats()
	add("Engine_redo_syncs", redo.Syncs)
	add("Engine_redo_bytes_written", redo.Bytes)
	snapshot := e.snapshotAt(s)
	add("Binlog_snapshot_file", e.Store.Log().SegmentName(snapshot.Segment))
	add("Binlog_snapshot_position", snapshot.Offset)
	hits, misses := e.Store.Log().GTIDIndexStats()
	add("Binlog_gtid_index_hit", hits)
	add("Binlog_gtid_index_miss", misses)
	e.engineStatus(add)
	e.SemiSync.Status(add)
	e.SQL.Waits.Status(add)
	txns := e.Store.Txns().Stats()
	add("Binlog_cache_use", txns.CacheUse)
	add("Binlog_cache_disk_use", txns.CacheDiskUse)
	add("Binlog_large_commits", txns.LargeCommits)
	// MariaDB counts as transactions over several engines also those that are it only because of the replica's position.
	positions := e.Store.PositionStats()
	add("Transactions_multi_engine", txns.MultiEngine+positions.MadeMulti)
	add("Transactions_gtid_foreign_engine", positions.Foreign)
}

// snapshotAt is the place in the log of the session's consistent snapshot, which dumps note, as long as its transaction lasts; else where the log ends.
func (e *Server) snapshotAt(s *session.Session) logpos.Pos {
	if s.Tx != nil {
		if at, ok := txn.SnapshotAt(s.Tx); ok {
			return at
		}
	}
	return e.Store.Log().Visible()
}

// engineStatus adds how far each storage engine is behind the log, and what it has written.
func (e *Server) engineStatus(add func(string, any)) {
	log := e.Store.Log()
	for _, st := range e.Store.EngineStates() {
		of := "Engine_" + strings.ToLower(st.Name) + "_"
		add(of+"applied", st.Applied.Position.In(log.Basename()))
		if st.Volatile {
			continue
		}
		add(of+"durable", st.Durable.Position.In(log.Basename()))
		add(of+"lag_bytes", st.LagBytes)
		add(of+"pending_bytes", st.PendingBytes)
		add(of+"disk_use", st.DiskBytes)
		add(of+"bytes_written", st.WrittenBytes)
		add(of+"checkpoints", st.Checkpoints)
		add(of+"checkpoint_time_ms", st.CheckpointTime.Milliseconds())
	}
}

// Statistics are the answer to COM_STATISTICS.
func (e *Server) Statistics() string {
	up := max(int64(time.Since(e.Started).Seconds()), 1)
	q := e.Status.Asked()
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: %d  Opens: 0  Open tables: 0  Queries per second avg: %.3f",
		up, len(e.Sessions.All()), q, e.Status.Count("Slow_queries"), float64(q)/float64(up))
}

// statusRows are the rows of SHOW STATUS.
func (e *Server) statusRows(s *session.Session) [][]any {
	var out [][]any
	for _, r := range e.statusList(s) {
		out = append(out, []any{r.name, r.value})
	}
	return out
}
