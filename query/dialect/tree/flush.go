package tree

// Flush is FLUSH.
type Flush struct {
	Span
	NoWriteToLog bool
	// Tables is FLUSH TABLES, with the tables it names and what is done with them; else Items.
	Tables []*TableName
	Lock   string // WITH READ LOCK, WITH READ LOCK AND DISABLE CHECKPOINT, FOR EXPORT or nothing
	Items  []*FlushItem
}

// FlushItem is one of the other things: LOGS, STATUS, PRIVILEGES ... or, with Own, a table of the information schema.
type FlushItem struct {
	Span
	What    string
	Own     bool
	Name    *string  // of RELAY LOGS and REPLICA: a connection
	Channel bool     // it was named by FOR CHANNEL
	Domains []*Value // DELETE_DOMAIN_ID, of BINARY LOGS
}

// Reset is RESET.
type Reset struct {
	Span
	Items []*ResetItem
}

// ResetItem is REPLICA, MASTER or QUERY CACHE.
type ResetItem struct {
	Span
	What    string
	Name    *string
	All     bool
	Channel *string
	To      string // of MASTER; empty: not said
}

// Purge is PURGE BINARY LOGS, TO a log or BEFORE a time.
type Purge struct {
	Span
	To     *string
	Before Expr
}

// Kill is KILL.
type Kill struct {
	Span
	Soft  bool
	Query bool
	ID    bool // QUERY ID: the number is that of a query
	Of    Expr
	User  *Account
}

// Backup is BACKUP STAGE, LOCK and UNLOCK.
type Backup struct {
	Span
	What  string
	Stage Ident
	Table *TableName
}

// Plugin is INSTALL and UNINSTALL of PLUGIN and SONAME. An empty name: the whole library.
type Plugin struct {
	Span
	Uninstall   bool
	IfNotExists bool // UNINSTALL: IF EXISTS
	Name        Ident
	Library     *string
}

// Help is HELP.
type Help struct {
	Span
	Topic string
}

// Shutdown is SHUTDOWN.
type Shutdown struct {
	Span
	WaitForReplicas bool
}

func (*Flush) statement()    {}
func (*Reset) statement()    {}
func (*Purge) statement()    {}
func (*Kill) statement()     {}
func (*Backup) statement()   {}
func (*Plugin) statement()   {}
func (*Help) statement()     {}
func (*Shutdown) statement() {}

func (n *Flush) print(p *printer) {
	p.word("FLUSH")
	p.when(n.NoWriteToLog, "NO_WRITE_TO_BINLOG")
	if n.Items != nil {
		list(p, n.Items)
		return
	}
	p.word("TABLES")
	list(p, n.Tables)
	p.words(n.Lock)
}

func (n *FlushItem) print(p *printer) {
	if n.Own {
		p.name(n.What)
	} else {
		p.word(n.What)
	}
	if n.Channel {
		p.word("FOR CHANNEL")
	}
	if n.Name != nil {
		p.text(*n.Name)
	}
	if n.Domains != nil {
		p.word("DELETE_DOMAIN_ID =")
		parens(p, n.Domains)
	}
}

func (n *Reset) print(p *printer) {
	p.word("RESET")
	list(p, n.Items)
}

func (n *ResetItem) print(p *printer) {
	p.word(n.What)
	if n.Name != nil {
		p.text(*n.Name)
	}
	p.when(n.All, "ALL")
	comment(p, "FOR CHANNEL", n.Channel)
	if n.To != "" {
		p.words("TO", n.To)
	}
}

func (n *Purge) print(p *printer) {
	p.word("PURGE BINARY LOGS")
	comment(p, "TO", n.To)
	if n.Before != nil {
		p.word("BEFORE")
		n.Before.print(p)
	}
}

func (n *Kill) print(p *printer) {
	p.word("KILL")
	p.when(n.Soft, "SOFT")
	p.when(n.Query, "QUERY")
	p.when(n.ID, "ID")
	if n.User != nil {
		p.word("USER")
		n.User.print(p)
		return
	}
	n.Of.print(p)
}

func (n *Backup) print(p *printer) {
	p.words("BACKUP", n.What)
	if n.Stage.Text != "" {
		n.Stage.print(p)
	}
	if n.Table != nil {
		n.Table.print(p)
	}
}

func (n *Plugin) print(p *printer) {
	if n.Uninstall {
		p.word("UNINSTALL")
	} else {
		p.word("INSTALL")
	}
	if n.Name.Text == "" {
		p.word("SONAME")
		p.when(n.IfNotExists, "IF EXISTS")
		p.text(*n.Library)
		return
	}
	p.word("PLUGIN")
	switch {
	case n.IfNotExists && n.Uninstall:
		p.word("IF EXISTS")
	case n.IfNotExists:
		p.word("IF NOT EXISTS")
	}
	n.Name.print(p)
	comment(p, "SONAME", n.Library)
}

func (n *Help) print(p *printer) {
	p.word("HELP")
	p.text(n.Topic)
}

func (n *Shutdown) print(p *printer) {
	p.word("SHUTDOWN")
	p.when(n.WaitForReplicas, "WAIT FOR ALL REPLICAS")
}
