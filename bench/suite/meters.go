package suite

import (
	"context"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/bench/usage"
)

// meters read what a server, its process and its device have counted between
// two moments. What cannot be read is not known; the turn goes on.
type meters struct {
	server server
	device *device.Meter

	before, after snapshot
	peakKnown     bool
	syncs         *usage.Syncs // nil: the kernel does not count for us
	synced        device.Count
}

// snapshot is what had been counted at a moment.
type snapshot struct {
	process  usage.Process
	device   device.Traffic
	counters target.Counters // nil if the server did not tell
}

// begin and end read the process and the device closest to the measured time; questions to the server take longer.
func (m *meters) begin(ctx context.Context) {
	m.before.counters = m.ask(ctx)
	if pid := m.server.Pid(); pid != 0 {
		if syncs, err := usage.CountSyncs(pid, m.server.DataDir()); err == nil {
			m.syncs = syncs
		}
		m.peakKnown = usage.ResetPeak(pid) == nil
	}
	m.read(&m.before)
}

func (m *meters) end(ctx context.Context) {
	if m.syncs != nil {
		n, err := m.syncs.Count()
		m.synced = known(n, err == nil)
	}
	m.read(&m.after)
	m.after.counters = m.ask(ctx)
}

func (m *meters) close() {
	if m.syncs != nil {
		m.syncs.Close()
	}
}

// read reads nothing of a server on another machine, nor this one's device for it.
func (m *meters) read(s *snapshot) {
	if pid := m.server.Pid(); pid != 0 {
		s.process = usage.Read(pid)
		s.device = m.device.Read()
	}
}

func (m *meters) ask(ctx context.Context) target.Counters {
	c, err := m.server.Counters(ctx)
	if err != nil {
		return nil // if the server has died, the turn fails anyhow
	}
	return c
}

// fill writes what was counted into a measurement.
func (m *meters) fill(to *Measured) {
	to.Traffic = m.after.device.Since(m.before.device)
	to.ProcessBytes = known(m.after.process.WriteBytes-m.before.process.WriteBytes, m.before.process.IOKnown && m.after.process.IOKnown)
	to.ServerCPU = known(uint64(m.after.process.CPU-m.before.process.CPU), m.before.process.CPUKnown && m.after.process.CPUKnown)
	to.Syncs = m.synced
	if m.peakKnown {
		to.PeakMemory = known(usage.PeakMemory(m.server.Pid()))
	}
	if m.before.counters == nil || m.after.counters == nil {
		return
	}
	to.Commits = known(m.after.counters.Since(m.before.counters, "binlog_commits"))
	to.LogBytes = known(m.after.counters.Since(m.before.counters, "binlog_bytes_written"))
	to.CommitBytes = known(m.after.counters.Since(m.before.counters, "commit_bytes_written"))
	to.Groups = known(m.after.counters.Since(m.before.counters, "binlog_group_commits"))
	for _, name := range []string{"binlog_syncs", "innodb_data_fsyncs"} {
		if n, ok := m.after.counters.Since(m.before.counters, name); ok {
			to.ServerSyncs = known(n, true)
			break
		}
	}
}

func known(n uint64, is bool) device.Count {
	if !is {
		return device.Count{}
	}
	return device.Count{N: n, Known: true}
}
