package suite

import (
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// Info is what a run was made with.
type Info struct {
	Config   Config                  `json:"config"`
	Started  time.Time               `json:"started"`
	Machine  Machine                 `json:"machine"`
	Sysbench string                  `json:"sysbench"`
	Servers  map[string]target.Facts `json:"servers"` // by contender
}

// Result is a turn that has ended: with Measured, or with the reason why there is none.
type Result struct {
	Turn
	Time     time.Time `json:"time"` // of its end
	Failed   string    `json:"failed,omitempty"`
	Measured *Measured `json:"measured,omitempty"`
}

// Measured is what was counted during the measured time of a turn. A device.Count may be unknown.
type Measured struct {
	Transactions uint64        `json:"transactions"`
	Errors       uint64        `json:"errors"` // transactions that had to be repeated
	Elapsed      time.Duration `json:"elapsed_ns"`
	Latency      load.Latency  `json:"latency"`
	ClientCPU    time.Duration `json:"client_cpu_ns"`
	ServerCPU    device.Count  `json:"server_cpu_ns"`
	// Traffic is that of the server's process and of the device of its data directory, whoever causes it there.
	device.Traffic
	// Syncs of files by the server's process, as the kernel counts them.
	Syncs device.Count `json:"syncs"`
	// ServerSyncs are those that the server tells: Duramen those of its log; MariaDB and MySQL those of
	// InnoDB, to which the ones of the binary log have to be added.
	ServerSyncs device.Count `json:"server_syncs"`
	// Commits went through the binary log in Groups.
	Commits  device.Count `json:"binlog_commits"`
	Groups   device.Count `json:"binlog_groups"`
	LogBytes device.Count `json:"binlog_bytes"` // as the server counts what it writes there
	// CommitBytes are those that Duramen has written for commits into its logs, by its own count: what it fills ahead of need and what
	// checkpoints write is not in it.
	CommitBytes device.Count `json:"commit_bytes"`
	PeakMemory  device.Count `json:"peak_memory_bytes"`
	// Sync was measured just before the turn, with Config.Pairs; nil: not known.
	Sync *SyncTime `json:"bare_sync,omitempty"`
}

// PerSecond is the throughput.
func (m *Measured) PerSecond() float64 { return float64(m.Transactions) / m.Elapsed.Seconds() }
