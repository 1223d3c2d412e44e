package dialect

// PurgeBinaryLogs is PURGE BINARY LOGS, up to a file or a point in time.
type PurgeBinaryLogs struct {
	To     string // the first file that stays
	Before string // an expression; "" if a file is named
}

func (s PurgeBinaryLogs) String() string {
	if s.Before != "" {
		return "PURGE BINARY LOGS BEFORE " + s.Before
	}
	return "PURGE BINARY LOGS TO " + QuoteString(s.To)
}

// ResetMaster is RESET MASTER: an empty log that begins with a file number.
type ResetMaster struct{ To uint64 }

func (s ResetMaster) String() string { return "RESET MASTER TO " + number(s.To) }

// ResetQueryCache is RESET QUERY CACHE.
type ResetQueryCache struct{}

func (ResetQueryCache) String() string { return "RESET QUERY CACHE" }
