package commit

import "sync/atomic"

// counters are written by the stages and read at any time.
type counters struct {
	commits        atomic.Uint64
	groupCommits   atomic.Uint64
	triggerCount   atomic.Uint64
	triggerTimeout atomic.Uint64
	syncs          atomic.Uint64
	bytes          atomic.Uint64
}

// Stats are MariaDB's status variables of the group commit, and our own.
type Stats struct {
	Commits                   uint64 // Binlog_commits: transactions
	GroupCommits              uint64 // Binlog_group_commits: groups
	GroupCommitTriggerCount   uint64 // Binlog_group_commit_trigger_count
	GroupCommitTriggerTimeout uint64 // Binlog_group_commit_trigger_timeout
	Syncs                     uint64 // syncs of the log by the pipeline
	BytesWritten              uint64 // Binlog_bytes_written
}

// Depth is how many groups may be synced at the same time (Binlog_groups_in_flight): 1 unless more
// were measured to be faster.
func (p *Pipeline) Depth() int { return int(p.depth.Load()) }

// Stats returns the counters since the start.
func (p *Pipeline) Stats() Stats {
	c := &p.stats
	return Stats{
		Commits:                   c.commits.Load(),
		GroupCommits:              c.groupCommits.Load(),
		GroupCommitTriggerCount:   c.triggerCount.Load(),
		GroupCommitTriggerTimeout: c.triggerTimeout.Load(),
		Syncs:                     c.syncs.Load(),
		BytesWritten:              c.bytes.Load(),
	}
}
