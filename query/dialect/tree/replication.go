package tree

// ChangeMaster is CHANGE MASTER.
type ChangeMaster struct {
	Span
	Name    *string // a connection
	Options []*Option
	Channel *string // FOR CHANNEL
}

// Replica is START and STOP of replicas.
type Replica struct {
	Span
	Stop    bool
	All     bool // ALL REPLICAS
	Name    *string
	Threads []string  // SQL_THREAD, IO_THREAD
	Until   []*Option // MASTER_LOG_FILE, MASTER_LOG_POS, MASTER_GTID_POS ...
	Channel *string
}

// BinlogEvent is BINLOG, with the events in base64.
type BinlogEvent struct {
	Span
	Events string
	// Variables are those of BINLOG @a, @b, in which a row event of more than one text stands.
	Variables []string
}

func (*ChangeMaster) statement() {}
func (*Replica) statement()      {}
func (*BinlogEvent) statement()  {}

func (n *ChangeMaster) print(p *printer) {
	p.word("CHANGE MASTER")
	if n.Name != nil {
		p.text(*n.Name)
	}
	p.word("TO")
	assignments(p, n.Options)
	comment(p, "FOR CHANNEL", n.Channel)
}

// assignments prints options with = and commas between them.
func assignments(p *printer, options []*Option) {
	for i, o := range options {
		if i > 0 {
			p.byte(',')
		}
		o.printWith(p, " =")
	}
}

func (n *Replica) print(p *printer) {
	if n.Stop {
		p.word("STOP")
	} else {
		p.word("START")
	}
	if n.All {
		p.word("ALL REPLICAS")
	} else {
		p.word("REPLICA")
	}
	if n.Name != nil {
		p.text(*n.Name)
	}
	for i, t := range n.Threads {
		if i > 0 {
			p.byte(',')
		}
		p.word(t)
	}
	comment(p, "FOR CHANNEL", n.Channel)
	if n.Until != nil {
		p.word("UNTIL")
		assignments(p, n.Until)
	}
}

func (n *BinlogEvent) print(p *printer) {
	p.word("BINLOG")
	if n.Variables == nil {
		p.text(n.Events)
		return
	}
	for i, v := range n.Variables {
		if i > 0 {
			p.byte(',')
		}
		p.word("@")
		p.name(v)
	}
}
