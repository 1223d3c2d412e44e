package primary

import "time"

// GTIDMode is MASTER_USE_GTID: from where a connection starts.
type GTIDMode uint8

// Modes. SlavePos is the default.
const (
	SlavePos   GTIDMode = iota // from gtid_slave_pos
	CurrentPos                 // from gtid_current_pos
	NoGTID                     // from Settings.Place
)

// Shown is Using_Gtid of SHOW SLAVE STATUS.
func (m GTIDMode) Shown() string {
	return [...]string{"Slave_Pos", "Current_Pos", "No"}[m]
}

// Settings are what CHANGE MASTER TO says of a primary. They are not changed while a thread of the connection runs.
type Settings struct {
	Host     string
	Port     uint16
	User     string
	Password string `json:",omitempty"`
	// ConnectRetry is the time between two attempts to connect, RetryCount how many there are (0: no end).
	ConnectRetry time.Duration
	RetryCount   uint64
	// HeartbeatPeriod is how long the primary may be silent; 0 for as long as it likes.
	HeartbeatPeriod time.Duration
	// Delay is MASTER_DELAY.
	Delay time.Duration
	GTID  GTIDMode
	// Place is where NoGTID starts, and, in all modes, up to where the log was read when this was saved.
	Place Place
	TLS   TLS
	// BySet says that Place is not where a MySQL with gtid_mode=ON is asked from in the modes with GTIDs: gtid_executed is. Without it, and with a Place, the
	// place was reached while nobody kept the set, which would ask for everything before it once more.
	BySet bool `json:",omitempty"`
	// IgnoreServerIDs are servers whose groups are left out, DoDomains (if not empty) the only domains that are taken, IgnoreDomains
	// those that are not. What is left out is logged as an empty group, so that its GTID is not missing.
	IgnoreServerIDs []uint32 `json:",omitempty"`
	DoDomains       []uint32 `json:",omitempty"`
	IgnoreDomains   []uint32 `json:",omitempty"`
}

// TLS are the MASTER_SSL_... options: file names, and lists as OpenSSL writes them.
type TLS struct {
	On                                  bool
	CA, CAPath, Cert, Key, CRL, CRLPath string `json:",omitempty"`
	Cipher                              string `json:",omitempty"`
	VerifyServerCert                    bool
}

// Place is a position in the primary's log files, as it counts them. The zero value means the start of its oldest file.
type Place struct {
	File string
	Pos  uint64
}
