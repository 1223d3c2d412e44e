package tree

// View is CREATE VIEW or ALTER VIEW.
type View struct {
	Span
	Alter                  bool
	OrReplace, IfNotExists bool
	Algorithm              string // UNDEFINED, MERGE, TEMPTABLE; empty: not said
	Definer                *Account
	Security               string // DEFINER, INVOKER; empty: not said
	Name                   *TableName
	Columns                []Ident
	Query                  Query
	Check                  string // CASCADED, LOCAL; empty: no check option
}

// Sequence is CREATE SEQUENCE or ALTER SEQUENCE.
type Sequence struct {
	Span
	Alter                             bool
	OrReplace, Temporary, IfNotExists bool // ALTER: IfNotExists is IF EXISTS
	Name                              *TableName
	Settings                          []*Option // MINVALUE, NO MINVALUE, START, RESTART ... in the order of the text
	Options                           []*Option // those of a table
}

// ForeignServer is CREATE SERVER or ALTER SERVER.
type ForeignServer struct {
	Span
	Alter                  bool
	OrReplace, IfNotExists bool
	Name                   Ident
	Wrapper                Ident
	Options                []*Option
}

func (*View) statement()          {}
func (*Sequence) statement()      {}
func (*ForeignServer) statement() {}

func (n *View) print(p *printer) {
	if n.Alter {
		p.word("ALTER")
	} else {
		printCreate(p, n.OrReplace)
	}
	if n.Algorithm != "" {
		p.words("ALGORITHM =", n.Algorithm)
	}
	printDefiner(p, n.Definer)
	if n.Security != "" {
		p.words("SQL SECURITY", n.Security)
	}
	p.word("VIEW")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	if n.Columns != nil {
		idents(p, n.Columns)
	}
	p.word("AS")
	n.Query.print(p)
	if n.Check != "" {
		p.words("WITH", n.Check, "CHECK OPTION")
	}
}

func printDefiner(p *printer, n *Account) {
	if n != nil {
		p.word("DEFINER =")
		n.print(p)
	}
}

func (n *Sequence) print(p *printer) {
	if n.Alter {
		p.word("ALTER SEQUENCE")
		p.when(n.IfNotExists, "IF EXISTS")
	} else {
		printCreate(p, n.OrReplace)
		p.when(n.Temporary, "TEMPORARY")
		p.word("SEQUENCE")
		p.when(n.IfNotExists, "IF NOT EXISTS")
	}
	n.Name.print(p)
	printOptions(p, n.Settings)
	printOptions(p, n.Options)
}

func (n *ForeignServer) print(p *printer) {
	if n.Alter {
		p.word("ALTER SERVER")
	} else {
		printCreate(p, n.OrReplace)
		p.word("SERVER")
		p.when(n.IfNotExists, "IF NOT EXISTS")
	}
	n.Name.print(p)
	if n.Wrapper.Text != "" {
		p.word("FOREIGN DATA WRAPPER")
		n.Wrapper.print(p)
	}
	p.word("OPTIONS")
	parens(p, n.Options)
}
