package server

import (
	"github.com/prometheus/client_golang/prometheus"
)

// collector reads the counters of a server when it is scraped.
type collector struct{ s *Server }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("duramen_"+name, help, labels, nil)
}

var (
	connectionsDesc = desc("connections", "Open client connections.")
	acceptedDesc    = desc("connections_accepted_total", "Connections accepted since the start.")
	refusedDesc     = desc("connections_refused_total", "Connections refused because of max_connections.")
	abortedDesc     = desc("connections_aborted_total", "Connections that ended by an error or without a goodbye.")
	panicsDesc      = desc("connection_panics_total", "Connections that ended by a panic.")
	commandsDesc    = desc("commands_total", "Client commands.", "command")
	commitsDesc     = desc("commits_total", "Transactions written to the log.")
	groupsDesc      = desc("commit_groups_total", "Groups of transactions written to the log, each by one write and at most one sync.")
	syncsDesc       = desc("binlog_syncs_total", "Syncs of the log by commits.")
	logBytesDesc    = desc("binlog_written_bytes_total", "Bytes written to the log.")
	logSegmentDesc  = desc("binlog_segment", "Number of the binary log file being written.")
	engineDurable   = desc("engine_durable_segment", "Number of the binary log file up to which a storage engine has made its files complete.", "engine")
	engineOffset    = desc("engine_durable_offset_bytes", "Place in that file.", "engine")
	engineLag       = desc("engine_lag_bytes", "Binary log that a crash now would have to replay for a storage engine.", "engine")
	enginePending   = desc("engine_pending_bytes", "Memory taken by changes that a storage engine has not written to its files.", "engine")
	engineDisk      = desc("engine_disk_bytes", "Size of a storage engine's files.", "engine")
	engineWritten   = desc("engine_written_bytes_total", "Bytes that a storage engine has written to its files.", "engine")
	engineFlushes   = desc("engine_checkpoints_total", "Checkpoints and flushes of a storage engine.", "engine")
	engineFlushTime = desc("engine_checkpoint_seconds_total", "Time taken by checkpoints and flushes of a storage engine.", "engine")
	logOffsetDesc   = desc("binlog_offset_bytes", "Written end in the binary log file being written.")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	st := c.s.wire.Stats()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(connectionsDesc, float64(st.Connections))
	counter(acceptedDesc, st.Accepted)
	counter(refusedDesc, st.Refused)
	counter(abortedDesc, st.Aborted)
	counter(panicsDesc, st.Panics)
	for name, n := range st.Commands {
		counter(commandsDesc, n, name)
	}
	commits := c.s.store.Pipeline().Stats()
	counter(commitsDesc, commits.Commits)
	counter(groupsDesc, commits.GroupCommits)
	counter(syncsDesc, commits.Syncs)
	counter(logBytesDesc, commits.BytesWritten)
	end := c.s.store.Log().End()
	gauge(logSegmentDesc, float64(end.Segment))
	gauge(logOffsetDesc, float64(end.Offset))
	for _, st := range c.s.store.EngineStates() {
		if st.Volatile {
			continue
		}
		gauge(engineDurable, float64(st.Durable.Position.Segment), st.Name)
		gauge(engineOffset, float64(st.Durable.Position.Offset), st.Name)
		gauge(engineLag, float64(st.LagBytes), st.Name)
		gauge(enginePending, float64(st.PendingBytes), st.Name)
		gauge(engineDisk, float64(st.DiskBytes), st.Name)
		counter(engineWritten, st.WrittenBytes, st.Name)
		counter(engineFlushes, st.Checkpoints, st.Name)
		out <- prometheus.MustNewConstMetric(engineFlushTime, prometheus.CounterValue, st.CheckpointTime.Seconds(), st.Name)
	}
	c.replication(out)
}
