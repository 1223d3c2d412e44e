package dialect

// ShowMasterStatus is SHOW MASTER STATUS.
type ShowMasterStatus struct{}

func (ShowMasterStatus) String() string { return "SHOW MASTER STATUS" }

// ShowBinaryLogs is SHOW BINARY LOGS.
type ShowBinaryLogs struct{}

func (ShowBinaryLogs) String() string { return "SHOW BINARY LOGS" }

// parseShowMaster is SHOW MASTER {STATUS | LOGS}.
func parseShowMaster(p *Parser) (Statement, error) {
	switch {
	case p.Accept("STATUS"):
		return p.only(ShowMasterStatus{})
	case p.Accept("LOGS"):
		return p.only(ShowBinaryLogs{})
	}
	return nil, p.Syntax()
}

// parseShowBinary is SHOW BINARY LOGS, and MySQL's SHOW BINARY LOG STATUS.
func parseShowBinary(p *Parser) (Statement, error) {
	switch {
	case p.Accept("LOG", "STATUS"):
		return p.only(ShowMasterStatus{})
	case p.Accept("LOGS"):
		return p.only(ShowBinaryLogs{})
	}
	return nil, p.Syntax()
}

// parseShowBinlog is SHOW BINLOG STATUS, or SHOW BINLOG EVENTS.
func parseShowBinlog(p *Parser) (Statement, error) {
	if p.Accept("STATUS") {
		return p.only(ShowMasterStatus{})
	}
	e, err := p.events()
	return ShowBinlogEvents{e}, err
}

// ShowBinlogEvents is SHOW BINLOG EVENTS.
type ShowBinlogEvents struct{ LogEvents }

func (s ShowBinlogEvents) String() string { return words("SHOW BINLOG EVENTS", s.text()) }

// ShowRelaylogEvents is SHOW RELAYLOG EVENTS.
type ShowRelaylogEvents struct{ LogEvents }

func (s ShowRelaylogEvents) String() string { return words("SHOW RELAYLOG EVENTS", s.text()) }

// parseShowRelaylog is SHOW RELAYLOG EVENTS.
func parseShowRelaylog(p *Parser) (Statement, error) {
	e, err := p.events()
	return ShowRelaylogEvents{e}, err
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

// events is EVENTS [IN 'file'] [FROM offset] [LIMIT [offset,] count].
func (p *Parser) events() (e LogEvents, err error) {
	if !p.Accept("EVENTS") {
		return e, p.Syntax()
	}
	e.From = firstEvent
	if p.Accept("IN") {
		var ok bool
		if e.File, ok = p.StringLiteral(); !ok {
			return e, p.Syntax()
		}
	}
	if p.Accept("FROM") {
		if e.From, err = p.need(); err != nil {
			return e, err
		}
	}
	if e.Limit, err = p.limitClause(); err != nil {
		return e, err
	}
	return e, p.Done()
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

// parseShowSlave is SHOW {SLAVE | REPLICA} {HOSTS | ['connection'] STATUS}.
func parseShowSlave(p *Parser) (Statement, error) {
	if p.Accept("HOSTS") {
		return p.only(ShowSlaveHosts{})
	}
	connection, _ := p.StringLiteral()
	if !p.Accept("STATUS") {
		return nil, p.Syntax()
	}
	return p.only(ShowSlaveStatus{Connection: connection})
}

// parseShowAll is SHOW ALL {SLAVES | REPLICAS} STATUS.
func parseShowAll(p *Parser) (Statement, error) {
	if !p.AcceptAny("SLAVES", "REPLICAS") || !p.Accept("STATUS") {
		return nil, p.Syntax()
	}
	return p.only(ShowSlaveStatus{All: true})
}
