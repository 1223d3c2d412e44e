package dialect

// ShowMasterStatus is SHOW MASTER STATUS.
type ShowMasterStatus struct{}

func (ShowMasterStatus) String() string { return "SHOW MASTER STATUS" }

// ShowBinaryLogs is SHOW BINARY LOGS.
type ShowBinaryLogs struct{}

func (ShowBinaryLogs) String() string { return "SHOW BINARY LOGS" }

// ShowBinlogEvents is SHOW BINLOG EVENTS.
type ShowBinlogEvents struct{ LogEvents }

func (s ShowBinlogEvents) String() string { return words("SHOW BINLOG EVENTS", s.text()) }

// ShowRelaylogEvents is SHOW RELAYLOG EVENTS.
type ShowRelaylogEvents struct{ LogEvents }

func (s ShowRelaylogEvents) String() string { return words("SHOW RELAYLOG EVENTS", s.text()) }

// LogEvents is a part of a log.
type LogEvents struct {
	File  string // "" for the first
	From  uint64 // offset of the first event
	Limit Limit
}

// firstEvent is the offset of the first event of a log file.
const firstEvent = 4

func (e LogEvents) text() string {
	in, from := "", ""
	if e.File != "" {
		in = "IN " + QuoteString(e.File)
	}
	if e.From != firstEvent {
		from = "FROM " + number(e.From)
	}
	return words(in, from, e.Limit.text())
}

// ShowSlaveHosts is SHOW SLAVE HOSTS.
type ShowSlaveHosts struct{}

func (ShowSlaveHosts) String() string { return "SHOW SLAVE HOSTS" }

// ShowSlaveStatus is SHOW SLAVE STATUS, of one connection or of all.
type ShowSlaveStatus struct {
	All        bool
	Connection string // "" for the default one
}

func (s ShowSlaveStatus) String() string {
	if s.All {
		return "SHOW ALL SLAVES STATUS"
	}
	connection := ""
	if s.Connection != "" {
		connection = QuoteString(s.Connection)
	}
	return words("SHOW SLAVE", connection, "STATUS")
}
