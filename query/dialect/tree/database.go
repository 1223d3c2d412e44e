package tree

// CreateDatabase is CREATE DATABASE. Charset and Collate may be DEFAULT, that keyword; empty: not said.
type CreateDatabase struct {
	Span
	OrReplace, IfNotExists bool
	Name                   Ident
	DatabaseOptions
}

// DatabaseOptions are those of CREATE DATABASE and ALTER DATABASE.
type DatabaseOptions struct {
	Charset, Collate string
	Comment          *string
}

// AlterDatabase is ALTER DATABASE. An empty name is the current database.
type AlterDatabase struct {
	Span
	Name    Ident
	Upgrade bool // UPGRADE DATA DIRECTORY NAME, instead of options
	DatabaseOptions
}

// Drop is DROP of tables, views, sequences, databases, routines, triggers, events, servers.
type Drop struct {
	Span
	What      string // TABLE, VIEW, SEQUENCE, DATABASE, PROCEDURE, FUNCTION, TRIGGER, EVENT, SERVER
	Temporary bool
	IfExists  bool
	Names     []*TableName // one but for TABLE, VIEW and SEQUENCE
	Wait      *Wait        // of TABLE
	Behavior  string       // RESTRICT, CASCADE or nothing
}

// RenameTables is RENAME TABLE.
type RenameTables struct {
	Span
	IfExists bool
	Pairs    []*RenamePair
}

// RenamePair is one table of RenameTables.
type RenamePair struct {
	Span
	Old, New *TableName
	Wait     *Wait
}

// Truncate is TRUNCATE TABLE.
type Truncate struct {
	Span
	Table *TableName
	Wait  *Wait
}

func (*CreateDatabase) statement() {}
func (*AlterDatabase) statement()  {}
func (*Drop) statement()           {}
func (*RenameTables) statement()   {}
func (*Truncate) statement()       {}

func (n *CreateDatabase) print(p *printer) {
	printCreate(p, n.OrReplace)
	p.word("DATABASE")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	n.printOptions(p)
}

func (n *DatabaseOptions) printOptions(p *printer) {
	if n.Charset != "" {
		p.word("CHARACTER SET")
		nameOrDefault(p, n.Charset)
	}
	printCollate(p, n.Collate)
	comment(p, "COMMENT", n.Comment)
}

func (n *AlterDatabase) print(p *printer) {
	p.word("ALTER DATABASE")
	if n.Name.Text != "" {
		n.Name.print(p)
	}
	p.when(n.Upgrade, "UPGRADE DATA DIRECTORY NAME")
	n.printOptions(p)
}

func (n *Drop) print(p *printer) {
	p.word("DROP")
	p.when(n.Temporary, "TEMPORARY")
	p.word(n.What)
	p.when(n.IfExists, "IF EXISTS")
	list(p, n.Names)
	printWait(p, n.Wait)
	p.words(n.Behavior)
}

func (n *RenameTables) print(p *printer) {
	p.word("RENAME TABLE")
	p.when(n.IfExists, "IF EXISTS")
	list(p, n.Pairs)
}

func (n *RenamePair) print(p *printer) {
	n.Old.print(p)
	printWait(p, n.Wait)
	p.word("TO")
	n.New.print(p)
}

func (n *Truncate) print(p *printer) {
	p.word("TRUNCATE TABLE")
	n.Table.print(p)
	printWait(p, n.Wait)
}
