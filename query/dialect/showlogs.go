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
type ShowRelaylogEvents struct {
	Connection Connection
	LogEvents
}

func (s ShowRelaylogEvents) String() string { return textOf(s) }

func (s ShowRelaylogEvents) print(p *printer) {
	p.words("SHOW RELAYLOG")
	s.Connection.words(p)
	p.words("EVENTS")
	if text := s.text(); text != "" {
		p.words(text)
	}
}

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

// ShowDuramenClone is SHOW DURAMEN CLONE, which MariaDB has not: the files of the data directory, for another server.
type ShowDuramenClone struct{}

func (ShowDuramenClone) String() string { return "SHOW DURAMEN CLONE" }
