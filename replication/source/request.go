package source

import (
	"context"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Checksum is what the replica announced in @master_binlog_checksum.
type Checksum byte

// Values of Checksum.
const (
	ChecksumUnaware Checksum = iota // the variable was not set: a replica of before checksums
	ChecksumNone                    // NONE: does not expect one before the format description
	ChecksumCRC32                   // CRC32
)

// Capabilities of a replica, from @mariadb_slave_capability.
const (
	CapabilityUnknown      = 0 // MySQL, or MariaDB before 5.3
	CapabilityAnnotate     = 1
	CapabilityHoles        = 2
	CapabilityCheckpoint   = 3
	CapabilityGTID         = 4
	checkCancellationEvery = 64 // events
)

// Request is what a replica asked for before and with COM_BINLOG_DUMP.
type Request struct {
	ServerID  uint32 // of the replica; 0 (a tool) stops at the end, like NonBlock
	SlaveName string // for messages only

	// By file and position. An empty file is the oldest one.
	File string
	Pos  uint64

	// By GTID, if @slave_connect_state was set; File and Pos are ignored then.
	GTIDMode         bool
	ConnectState     gtid.Position
	StrictMode       bool // @slave_gtid_strict_mode
	IgnoreDuplicates bool // @slave_gtid_ignore_duplicates
	// UntilGTID is @slave_until_gtid; nil if it was not set.
	UntilGTID gtid.Position

	Annotate   bool // flag BINLOG_SEND_ANNOTATE_ROWS_EVENT (2) of COM_BINLOG_DUMP
	NonBlock   bool // flag BINLOG_DUMP_NON_BLOCK (1): end at the end of the log
	Capability int  // @mariadb_slave_capability
	Checksum   Checksum

	// HeartbeatPeriod is @master_heartbeat_period; 0 means no heartbeats.
	HeartbeatPeriod time.Duration

	// Last, if not nil, ends when nothing more will be logged: Dump returns nil when everything is sent then.
	Last context.Context

	// SemiSync is the replica as one that acknowledges what it receives; nil if it does not. Such a replica gets what the log
	// offers (binlog.Log.Offer), others only what is visible. It needs a request that waits for more.
	SemiSync SemiSync

	// At, if not nil, is called with the segment that the dump starts in, and with every one it comes to.
	At func(segment uint64)
	// Flush, if not nil, is called whenever Dump is about to wait.
	Flush func() error
}

// SemiSync is told by Dump, in its goroutine, what a replica has and is about to get.
type SemiSync interface {
	// Has says that the replica has everything before at: its start, and what is skipped there because of its position.
	Has(at logpos.Pos)
	// GroupEnds is called before the last event of a group is sent, which ends at end.
	GroupEnds(end logpos.Pos)
}

// copies reports whether the reader may be copying the log's files (mariadb-binlog --raw), in which every event
// has to lie where it lies here: such tools ask for a file and a position, and want no checksum before
// the format description, whereas replicas announce the primary's.
func (r *Request) copies() bool { return !r.GTIDMode && r.Checksum == ChecksumNone }
