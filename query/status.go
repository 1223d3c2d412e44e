package query

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// statusCounters are the status variables that count; those that show a state
// are computed when they are asked for.
type statusCounters struct {
	questions atomic.Int64
	prepared  atomic.Int64 // statements that are prepared now, in all sessions
	com       [comCount]atomic.Int64
	mu        sync.RWMutex
	others    map[string]*atomic.Int64
}

// newStatusCounters names the counters that others than the statements' own count: connections, and the wire.
func newStatusCounters() *statusCounters {
	c := &statusCounters{others: map[string]*atomic.Int64{}}
	for _, name := range strings.Fields(`Aborted_clients Aborted_connects Access_denied_errors Bytes_received Bytes_sent
		Connections Errors Max_used_connections Slow_queries Ssl_accepts`) {
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

// count is the value of a counter that add has counted.
func (c *statusCounters) count(name string) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n := c.others[name]; n != nil {
		return n.Load()
	}
	return 0
}

// statusRow is one row of SHOW STATUS.
type statusRow struct{ name, value string }

// statusRows are all status variables, by name.
func statusRows(s *Session) []statusRow {
	e := s.engine
	var rows []statusRow
	add := func(name string, v any) { rows = append(rows, statusRow{name, fmt.Sprint(v)}) }
	c := e.status
	add("Questions", c.questions.Load())
	add("Queries", c.questions.Load())
	for i, name := range comNames {
		add(name, c.com[i].Load())
	}
	c.mu.RLock()
	for name, n := range c.others {
		add(name, n.Load())
	}
	c.mu.RUnlock()

	sessions := e.sessions.all()
	running, dumps := 0, 0
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
	add("Threads_created", e.lastID.Load())
	add("Slaves_connected", dumps)
	add("Prepared_stmt_count", c.prepared.Load())
	add("Ssl_cipher", s.info.TLSCipher)
	add("Ssl_version", s.info.TLSVersion)
	uptime := int64(time.Since(e.started).Seconds())
	add("Uptime", uptime)
	add("Uptime_since_flush_status", uptime)
	e.binlogStatus(add)
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
	{"Compression", "OFF"},                                                // not in the protocol
	{"Open_tables", "0"}, {"Opened_tables", "0"}, {"Threads_cached", "0"}, // no cache of tables, none of threads
	{"Rpl_semi_sync_master_clients", "0"}, {"Rpl_semi_sync_master_status", "OFF"}, // no commit waits for a replica
	{"Rpl_semi_sync_slave_status", "OFF"}, {"Slave_running", "OFF"}, {"Slaves_running", "0"}, // and it is none
}

// binlogStatus adds what the log and the pipeline count.
func (e *Engine) binlogStatus(add func(string, any)) {
	stats := e.store.Pipeline().Stats()
	add("Binlog_commits", stats.Commits)
	add("Binlog_group_commits", stats.GroupCommits)
	add("Binlog_group_commit_trigger_count", stats.GroupCommitTriggerCount)
	add("Binlog_group_commit_trigger_timeout", stats.GroupCommitTriggerTimeout)
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
}

// Statistics is the answer to COM_STATISTICS.
func (s *Session) Statistics() string {
	e := s.engine
	up := max(int64(time.Since(e.started).Seconds()), 1)
	q := e.status.questions.Load()
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: %d  Opens: 0  Open tables: 0  Queries per second avg: %.3f",
		up, len(e.sessions.all()), q, e.status.count("Slow_queries"), float64(q)/float64(up))
}
