package dialect

// The statements of this file are known by their first words only: the server refuses them, to those who may run them. Text is what
// follows these words.

// XA is a statement about a distributed transaction.
type XA struct{ Text string }

func (s XA) String() string { return words("XA", s.Text) }

// Help is HELP.
type Help struct{ Text string }

func (s Help) String() string { return words("HELP", s.Text) }

// Backup is BACKUP STAGE, BACKUP LOCK and BACKUP UNLOCK.
type Backup struct{ Text string }

func (s Backup) String() string { return words("BACKUP", s.Text) }

// Binlog is BINLOG, which applies events.
type Binlog struct{ Text string }

func (s Binlog) String() string { return words("BINLOG", s.Text) }

// Install is INSTALL PLUGIN and INSTALL SONAME.
type Install struct{ Text string }

func (s Install) String() string { return words("INSTALL", s.Text) }

// Uninstall is UNINSTALL PLUGIN and UNINSTALL SONAME.
type Uninstall struct{ Text string }

func (s Uninstall) String() string { return words("UNINSTALL", s.Text) }

// Handler is HANDLER, which reads a table without SQL.
type Handler struct {
	Table TableName
	Text  string
}

func (s Handler) String() string { return words("HANDLER", s.Table.text(), s.Text) }
