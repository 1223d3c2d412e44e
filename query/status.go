package query

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// statusCounters are the status variables that count; those that show a state
// are computed when they are asked for.
type statusCounters struct {
	questions atomic.Int64
	com       [comCount]atomic.Int64
	mu        sync.RWMutex
	others    map[string]*atomic.Int64
}

// comKind is the index of the Com_ counters that are counted on every statement.
type comKind int

const (
	comSelect comKind = iota
	comInsert
	comUpdate
	comDelete
	comReplace
	comCommit
	comRollback
	comBegin
	comSet
	comCall
	comOther
	comCount
)

var comNames = [comCount]string{"Com_select", "Com_insert", "Com_update", "Com_delete", "Com_replace",
	"Com_commit", "Com_rollback", "Com_begin", "Com_set_option", "Com_call_procedure", ""}

func newStatusCounters() *statusCounters {
	c := &statusCounters{others: map[string]*atomic.Int64{}}
	for _, name := range strings.Fields(`Aborted_clients Aborted_connects Bytes_received Bytes_sent Connections
		Com_stmt_prepare Com_stmt_execute Com_stmt_close Com_alter_table Com_create_table Com_drop_table Com_create_db
		Com_drop_db Com_create_index Com_drop_index Com_truncate Com_show_status Com_show_variables Com_lock_tables
		Com_unlock_tables Com_flush Com_kill Com_change_db Errors Max_used_connections Slow_queries Opened_tables
		Created_tmp_tables Created_tmp_disk_tables Handler_read_rnd_next Handler_write Select_scan Sort_rows
		Access_denied_errors Ssl_accepts`) {
		c.others[name] = new(atomic.Int64)
	}
	return c
}

func (c *statusCounters) add(name string, delta int64) {
	c.mu.RLock()
	n := c.others[name]
	c.mu.RUnlock()
	if n == nil {
		c.mu.Lock()
		if n = c.others[name]; n == nil {
			n = new(atomic.Int64)
			c.others[name] = n
		}
		c.mu.Unlock()
	}
	n.Add(delta)
}

// question counts a statement.
func (c *statusCounters) question(st *statement) {
	c.questions.Add(1)
	k := comOther
	switch n := st.ast.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		k = comSelect
	case *sqlparser.Insert:
		k = comInsert
		if n.Action == sqlparser.ReplaceStr {
			k = comReplace
		}
	case *sqlparser.Update:
		k = comUpdate
	case *sqlparser.Delete:
		k = comDelete
	case *sqlparser.Set:
		k = comSet
	case *sqlparser.Call:
		k = comCall
	}
	c.com[k].Add(1)
}

// statusRow is one row of SHOW STATUS.
type statusRow struct{ name, value string }

// statusRows are all status variables, by name.
func (e *Engine) statusRows() []statusRow {
	var rows []statusRow
	add := func(name string, v any) { rows = append(rows, statusRow{name, fmt.Sprint(v)}) }
	c := e.status
	add("Questions", c.questions.Load())
	add("Queries", c.questions.Load())
	for i, name := range comNames {
		if name != "" {
			add(name, c.com[i].Load())
		}
	}
	c.mu.RLock()
	for name, n := range c.others {
		add(name, n.Load())
	}
	c.mu.RUnlock()

	sessions := e.sessions.all()
	running, dumps, stmts := 0, 0, 0
	for _, s := range sessions {
		switch s.proc.Info().Command {
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
	add("Threads_cached", 0)
	add("Threads_created", e.lastID.Load())
	add("Slaves_connected", dumps)
	add("Slaves_running", 0)
	add("Slave_running", "OFF")
	add("Prepared_stmt_count", stmts)
	uptime := int64(time.Since(e.started).Seconds())
	add("Uptime", uptime)
	add("Uptime_since_flush_status", uptime)
	e.binlogStatus(add)
	for _, fixed := range [][2]string{
		{"Compression", "OFF"}, {"Ssl_cipher", ""}, {"Ssl_version", ""}, {"Open_tables", "0"}, {"Open_files", "0"},
		{"Innodb_row_lock_current_waits", "0"}, {"Innodb_page_size", "16384"}, {"Flush_commands", "0"},
		{"Rpl_semi_sync_master_status", "OFF"}, {"Rpl_semi_sync_slave_status", "OFF"}, {"Rpl_semi_sync_master_clients", "0"},
		{"wsrep_on", "OFF"}, {"Last_query_cost", "0.000000"}, {"Tc_log_page_size", "4096"},
	} {
		add(fixed[0], fixed[1])
	}
	sort.Slice(rows, func(i, j int) bool { return strings.ToLower(rows[i].name) < strings.ToLower(rows[j].name) })
	return rows
}

// binlogStatus adds what the log and the pipeline count.
func (e *Engine) binlogStatus(add func(string, any)) {
	stats := e.store.Pipeline().Stats()
	add("Binlog_commits", stats.Commits)
	add("Binlog_group_commits", stats.GroupCommits)
	add("Binlog_group_commit_trigger_count", stats.GroupCommitTriggerCount)
	add("Binlog_group_commit_trigger_timeout", stats.GroupCommitTriggerTimeout)
	add("Binlog_group_commit_trigger_lock_wait", 0)
	add("Binlog_bytes_written", stats.BytesWritten)
	add("Binlog_disk_use", e.store.Log().DiskUse())
	add("Binlog_syncs", stats.Syncs)
	add("Binlog_sync_method", e.store.Log().SyncMethod().String())
	add("Binlog_groups_in_flight", e.store.Pipeline().Depth())
	visible := e.store.Log().Visible()
	add("Binlog_snapshot_file", e.store.Log().SegmentName(visible.Segment))
	add("Binlog_snapshot_position", visible.Offset)
	hits, misses := e.store.Log().GTIDIndexStats()
	add("Binlog_gtid_index_hit", hits)
	add("Binlog_gtid_index_miss", misses)
	e.waits.status(add)
	txns := e.store.Txns().Stats()
	add("Binlog_cache_use", txns.CacheUse)
	add("Binlog_cache_disk_use", txns.CacheDiskUse)
	add("Binlog_large_commits", txns.LargeCommits)
	add("Binlog_stmt_cache_use", 0)
	add("Binlog_stmt_cache_disk_use", 0)
}

// Statistics is the answer to COM_STATISTICS.
func (s *Session) Statistics() string {
	e := s.engine
	up := max(int64(time.Since(e.started).Seconds()), 1)
	q := e.status.questions.Load()
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Open tables: 0  Queries per second avg: %.3f",
		up, len(e.sessions.all()), q, float64(q)/float64(up))
}
