package dialect

import "strings"

// Connection is the name of a connection to a primary, or none: then default_master_connection says it.
type Connection struct {
	Given bool
	Name  string
}

// words are the name, or nothing.
func (c Connection) words(p *printer) {
	if c.Given {
		p.words(p.quoted(c.Name))
	}
}

// MasterOption is an option of CHANGE MASTER, or what START SLAVE UNTIL names.
type MasterOption struct {
	Name string // in capitals, in MariaDB's older words: MASTER_DEMOTE_TO_SLAVE
	// Value is what it is set to, with Text a string, else a number as it was written, or a word. IDs is used instead by options with lists.
	Value  string
	Text   bool
	IDs    []uint64
	IsList bool
}

func (o MasterOption) print(p *printer) {
	p.text.WriteString(" " + o.Name + " = ")
	switch {
	case o.IsList:
		p.text.WriteByte('(')
		list(p, o.IDs, func(id uint64) { p.text.WriteString(number(id)) })
		p.text.WriteByte(')')
	case o.Name == "MASTER_PASSWORD":
		p.text.WriteString(p.secret(o.Value))
	case o.Text:
		p.text.WriteString(p.quoted(o.Value))
	default:
		p.text.WriteString(o.Value)
	}
}

// ChangeMaster is CHANGE MASTER.
type ChangeMaster struct {
	Connection Connection
	Options    []MasterOption
}

func (s ChangeMaster) String() string { return textOf(s) }

func (s ChangeMaster) print(p *printer) {
	p.words("CHANGE MASTER")
	s.Connection.words(p)
	p.words("TO")
	list(p, s.Options, func(o MasterOption) { o.print(p) })
}

// SlaveThreads are the threads of connections that START and STOP are about; neither is set for both.
type SlaveThreads struct {
	All        bool // ALL SLAVES
	Connection Connection
	IO, SQL    bool
}

func (t SlaveThreads) print(p *printer, word string) {
	p.words(word)
	if t.All {
		p.words("ALL SLAVES")
	} else {
		p.words("SLAVE")
		t.Connection.words(p)
	}
	var threads []string
	if t.IO {
		threads = append(threads, "IO_THREAD")
	}
	if t.SQL {
		threads = append(threads, "SQL_THREAD")
	}
	if threads != nil {
		p.words(strings.Join(threads, ", "))
	}
}

// StartSlave is START SLAVE.
type StartSlave struct {
	SlaveThreads
	Until []MasterOption
}

func (s StartSlave) String() string { return textOf(s) }

func (s StartSlave) print(p *printer) {
	s.SlaveThreads.print(p, "START")
	if s.Until != nil {
		p.words("UNTIL")
		list(p, s.Until, func(o MasterOption) { o.print(p) })
	}
}

// StopSlave is STOP SLAVE.
type StopSlave struct{ SlaveThreads }

func (s StopSlave) String() string { return textOf(s) }

func (s StopSlave) print(p *printer) { s.SlaveThreads.print(p, "STOP") }

// ResetSlave is RESET SLAVE, and FLUSH SLAVE.
type ResetSlave struct {
	Connection Connection
	All        bool
}

func (s ResetSlave) String() string { return textOf(s) }

func (s ResetSlave) print(p *printer) {
	p.words("RESET SLAVE")
	s.Connection.words(p)
	p.wordsIf(s.All, "ALL")
}

// ShowSlaveStatus is SHOW SLAVE STATUS, of one connection or of all.
type ShowSlaveStatus struct {
	All        bool
	Connection Connection
}

func (s ShowSlaveStatus) String() string { return textOf(s) }

func (s ShowSlaveStatus) print(p *printer) {
	if s.All {
		p.words("SHOW ALL SLAVES STATUS")
		return
	}
	p.words("SHOW SLAVE")
	s.Connection.words(p)
	p.words("STATUS")
}
