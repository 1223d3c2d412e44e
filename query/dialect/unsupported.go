package dialect

// The statements of this file are known by their first words only: the server refuses them, to those who may run them. Text is what
// follows these words.

// XA is a statement about a distributed transaction.
type XA struct{ Text string }

func (s XA) String() string { return words("XA", s.Text) }

func parseXA(p *Parser) (Statement, error) { return XA{p.Rest()}, nil }

// Help is HELP.
type Help struct{ Text string }

func (s Help) String() string { return words("HELP", s.Text) }

func parseHelp(p *Parser) (Statement, error) { return Help{p.Rest()}, nil }

// Backup is BACKUP STAGE, BACKUP LOCK and BACKUP UNLOCK.
type Backup struct{ Text string }

func (s Backup) String() string { return words("BACKUP", s.Text) }

func parseBackup(p *Parser) (Statement, error) { return Backup{p.Rest()}, nil }

// Binlog is BINLOG, which applies events.
type Binlog struct{ Text string }

func (s Binlog) String() string { return words("BINLOG", s.Text) }

func parseBinlog(p *Parser) (Statement, error) { return Binlog{p.Rest()}, nil }

// Install is INSTALL PLUGIN and INSTALL SONAME.
type Install struct{ Text string }

func (s Install) String() string { return words("INSTALL", s.Text) }

func parseInstall(p *Parser) (Statement, error) { return Install{p.Rest()}, nil }

// Uninstall is UNINSTALL PLUGIN and UNINSTALL SONAME.
type Uninstall struct{ Text string }

func (s Uninstall) String() string { return words("UNINSTALL", s.Text) }

func parseUninstall(p *Parser) (Statement, error) { return Uninstall{p.Rest()}, nil }

// Handler is HANDLER, which reads a table without SQL.
type Handler struct {
	Table TableName
	Text  string
}

func (s Handler) String() string { return words("HANDLER", s.Table.text(), s.Text) }

func parseHandler(p *Parser) (Statement, error) {
	table, err := p.table()
	return Handler{table, p.Rest()}, err
}

// ChangeMaster is CHANGE MASTER.
type ChangeMaster struct{ Text string }

func (s ChangeMaster) String() string { return words("CHANGE MASTER", s.Text) }

func parseChange(p *Parser) (Statement, error) {
	if !p.Accept("MASTER") {
		return nil, p.Syntax()
	}
	return ChangeMaster{p.Rest()}, nil
}

// StartSlave is START SLAVE, in all its forms.
type StartSlave struct{ Text string }

func (s StartSlave) String() string { return words("START", s.Text) }

func parseStartSlave(p *Parser) (Statement, error) {
	if next := p.Peek(); !next.Is("SLAVE") && !next.Is("REPLICA") && !next.Is("ALL") {
		return nil, p.Syntax()
	}
	return StartSlave{p.Rest()}, nil
}

// StopSlave is STOP SLAVE, in all its forms.
type StopSlave struct{ Text string }

func (s StopSlave) String() string { return words("STOP", s.Text) }

func parseStop(p *Parser) (Statement, error) {
	if next := p.Peek(); !next.Is("SLAVE") && !next.Is("REPLICA") && !next.Is("ALL") {
		return nil, p.Syntax()
	}
	return StopSlave{p.Rest()}, nil
}
