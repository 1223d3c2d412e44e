package follow

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Options is what a connection asks for.
type Options struct {
	Settings primary.Settings
	// ServerID is ours: a primary that has the same is refused.
	ServerID uint32
	// ReportHost and ReportPort are what SHOW SLAVE HOSTS of the primary shows of us; at most 255 bytes of the host are sent.
	ReportHost string
	ReportPort uint16
	// Reconnects says that the thread has had a connection before, which is how errors are worded.
	Reconnects bool
	// From is where to start in the modes that start from a GTID position; in NoGTID it is Settings.Place.
	From gtid.Position
	// Executed is where to start in these modes if the primary is a MySQL with gtid_mode=ON: behind these.
	Executed gtid.Set
	// Strict is gtid_strict_mode, IgnoreDuplicates gtid_ignore_duplicates.
	Strict, IgnoreDuplicates bool
	// Until is START SLAVE UNTIL master_gtid_pos, nil without.
	Until gtid.Position
	// SemiSync is rpl_semi_sync_slave_enabled.
	SemiSync bool
	// KillTimeout is rpl_semi_sync_slave_kill_conn_timeout: how long Close may take to let a semi-synchronous primary know that nobody
	// acknowledges any more. 0: it is not told, and finds out when it sends something.
	KillTimeout time.Duration
	// NetTimeout is slave_net_timeout: a primary that is silent for so long is gone. 0 is a minute.
	NetTimeout time.Duration
	// MaxPacket is slave_max_allowed_packet: no event may have more bytes. 0 is 1 GiB.
	MaxPacket int
	// State, if not nil, is called with what SHOW SLAVE STATUS shows as Slave_IO_State, as Connect goes on.
	State func(string)
	// Logger gets what is worth a line and no error. nil: nobody.
	Logger *slog.Logger
}

const (
	defaultNetTimeout = time.Minute
	defaultMaxPacket  = 1 << 30
)

func (o *Options) ensureDefaults() {
	if o.NetTimeout <= 0 {
		o.NetTimeout = defaultNetTimeout
	}
	if o.MaxPacket <= 0 {
		o.MaxPacket = defaultMaxPacket
	}
	if o.State == nil {
		o.State = func(string) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// who names the primary as MariaDB's messages do.
func (o *Options) who() string {
	s := &o.Settings
	return s.User + "@" + s.Host + ":" + strconv.Itoa(int(s.Port))
}

// Flavor is whose log format a primary writes.
type Flavor uint8

// Flavors.
const (
	MariaDB Flavor = iota // with its GTIDs; Duramen is one of them
	MySQL                 // followed by the set of its GTIDs, or by file and position
)

func (f Flavor) String() string { return [...]string{"MariaDB", "MySQL"}[f] }

// Info is what a connection knows of its primary.
type Info struct {
	ServerID uint32
	Version  string
	Flavor   Flavor
	// ClockDifference is our time less the primary's, in whole seconds.
	ClockDifference time.Duration
	// ConnectionID is what the primary calls this connection in its process list.
	ConnectionID uint32
	// GTID says that the log was asked for by GTID position. It is false in spite of the settings if the primary has no such GTIDs.
	GTID bool
	// Set says that it was MySQL's GTIDs: GTID is true as well.
	Set bool
	// SemiSync says that the primary knows semi-sync and was told that we acknowledge.
	SemiSync bool
	// Heartbeats counts those that were received on this connection.
	Heartbeats uint64
}
