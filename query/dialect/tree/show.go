package tree

// Show is SHOW of anything. What is the words after SHOW, in capitals, without FULL, GLOBAL, SESSION and what is in the other fields:
// TABLES, COLUMNS, CREATE TABLE, ENGINE STATUS, BINLOG EVENTS ...
type Show struct {
	Span
	What   string
	Full   bool
	Scope  string     // GLOBAL, SESSION or nothing
	Object *TableName // of CREATE ..., COLUMNS, INDEX, PROCEDURE CODE ...
	DB     Ident      // FROM a database; empty: not said
	Name   *Value     // an engine, a connection, a library
	Part   string     // what stands behind that: ENGINE x STATUS, REPLICA 'x' STATUS, RELAYLOG 'x' EVENTS
	User   *Account   // of GRANTS FOR and CREATE USER

	IfNotExists bool // of CREATE DATABASE

	Like  *string
	Where Expr

	// Of BINLOG EVENTS and RELAYLOG EVENTS.
	Log      *string
	Position string
	Channel  *string // FOR CHANNEL

	Limit  *ShowLimit
	Kinds  []string // of PROFILE
	Query  string   // PROFILE FOR QUERY
	Format string   // of EXPLAIN and ANALYZE ... FOR
	For    Expr
}

// ShowLimit is LIMIT. Offset is empty if there is none; both are as they were written.
type ShowLimit struct {
	Span
	Offset, Count string
}

func (*Show) statement() {}

func (n *Show) print(p *printer) {
	p.word("SHOW")
	p.when(n.Full, "FULL")
	p.words(n.Scope, n.What)
	p.when(n.IfNotExists, "IF NOT EXISTS")
	if n.Name != nil {
		n.Name.print(p)
	}
	p.words(n.Part)
	if n.Object != nil {
		if n.What == "COLUMNS" || n.What == "INDEX" {
			p.word("FROM")
		}
		n.Object.print(p)
	}
	after(p, "FROM", &n.DB)
	if n.User != nil {
		p.when(n.What == "GRANTS", "FOR")
		n.User.print(p)
	}
	comment(p, "IN", n.Log)
	if n.Position != "" {
		p.words("FROM", n.Position)
	}
	n.printRest(p)
}

func (n *Show) printRest(p *printer) {
	for i, k := range n.Kinds {
		if i > 0 {
			p.byte(',')
		}
		p.word(k)
	}
	if n.Query != "" {
		p.words("FOR QUERY", n.Query)
	}
	comment(p, "LIKE", n.Like)
	if n.Where != nil {
		p.word("WHERE")
		n.Where.print(p)
	}
	if n.Limit != nil {
		n.Limit.print(p)
	}
	comment(p, "FOR CHANNEL", n.Channel)
	if n.Format != "" {
		p.words("FORMAT =", n.Format)
	}
	if n.For != nil {
		p.word("FOR")
		n.For.print(p)
	}
}

func (n *ShowLimit) print(p *printer) {
	p.word("LIMIT")
	if n.Offset != "" {
		p.word(n.Offset)
		p.byte(',')
	}
	p.word(n.Count)
}
