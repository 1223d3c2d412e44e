package tree

// Element is what stands in the parentheses of CREATE TABLE: *Column, *Key, *Check, *Period.
type Element interface {
	Node
	element()
}

// Nullness says whether a column says NULL or NOT NULL.
type Nullness uint8

// The three of them.
const (
	NullUnsaid Nullness = iota
	Null
	NotNull
)

// Generation is how a column gets its values.
type Generation uint8

// The ways.
const (
	NotGenerated Generation = iota
	Virtual
	Stored
	RowStart // of system versioning
	RowEnd
)

// Versioning says whether a column's changes are kept.
type Versioning uint8

// The three of them.
const (
	VersioningUnsaid Versioning = iota
	WithVersioning
	WithoutVersioning
)

// Column is the definition of a column.
type Column struct {
	Span
	Name Ident
	Type *DataType // nil: SERIAL

	Generation Generation
	Generated  Expr // of Virtual and Stored

	Default       Expr
	OnUpdate      *OnUpdate
	AutoIncrement bool
	SerialDefault bool // SERIAL DEFAULT VALUE
	Null          Nullness
	Primary       bool
	Unique        bool
	Invisible     bool
	Versioning    Versioning
	Comment       *string
	Options       []*Option
	Check         Expr
	References    *References
}

// OnUpdate is ON UPDATE CURRENT_TIMESTAMP; Decimals are as they were written, empty if none were.
type OnUpdate struct {
	Span
	Decimals string
}

// Compressed is COMPRESSED, with an algorithm or none (empty).
type Compressed struct {
	Span
	Method Ident
}

// Check is a constraint of a table.
type Check struct {
	Span
	Constraint Ident // empty: none
	Expr       Expr
}

// Period is PERIOD FOR a name, SYSTEM_TIME among them.
type Period struct {
	Span
	Name       Ident
	Start, End Ident
}

// References is what a foreign key refers to. Match, OnDelete and OnUpdate are keywords, empty if they are not there.
type References struct {
	Span
	Table                     *TableName
	Columns                   []Ident
	Match, OnDelete, OnUpdate string
}

func (*Column) element() {}
func (*Check) element()  {}
func (*Period) element() {}

func (n *Column) print(p *printer) {
	n.Name.print(p)
	if n.Type == nil {
		p.word("SERIAL")
	} else {
		n.Type.print(p)
	}
	n.printGeneration(p)
	if n.Default != nil {
		p.word("DEFAULT")
		printDefault(p, n.Default)
	}
	if n.OnUpdate != nil {
		n.OnUpdate.print(p)
	}
	p.when(n.AutoIncrement, "AUTO_INCREMENT")
	p.when(n.SerialDefault, "SERIAL DEFAULT VALUE")
	p.when(n.Primary, "PRIMARY KEY")
	p.when(n.Unique, "UNIQUE KEY")
	p.words([...]string{"", "NULL", "NOT NULL"}[n.Null])
	p.when(n.Invisible, "INVISIBLE")
	p.words([...]string{"", "WITH SYSTEM VERSIONING", "WITHOUT SYSTEM VERSIONING"}[n.Versioning])
	comment(p, "COMMENT", n.Comment)
	printOptions(p, n.Options)
	if n.Check != nil {
		p.word("CHECK")
		inParens(p, n.Check)
	}
	if n.References != nil {
		n.References.print(p)
	}
}

func (n *Column) printGeneration(p *printer) {
	switch n.Generation {
	case Virtual, Stored:
		p.word("GENERATED ALWAYS AS")
		inParens(p, n.Generated)
		p.word([...]string{Virtual: "VIRTUAL", Stored: "STORED"}[n.Generation])
	case RowStart:
		p.word("GENERATED ALWAYS AS ROW START")
	case RowEnd:
		p.word("GENERATED ALWAYS AS ROW END")
	}
}

// inParens prints a node in parentheses.
func inParens(p *printer, n Node) {
	p.space()
	p.byte('(')
	n.print(p)
	p.byte(')')
}

// printDefault prints the value of DEFAULT, always in parentheses: not all that is legal there is without them.
func printDefault(p *printer, n Expr) { inParens(p, n) }

func (n *OnUpdate) print(p *printer) {
	p.word("ON UPDATE CURRENT_TIMESTAMP")
	if n.Decimals != "" {
		p.raw("(" + n.Decimals + ")")
	}
}

func (n *Compressed) print(p *printer) {
	p.word("COMPRESSED")
	after(p, "=", &n.Method)
}

func (n *Check) print(p *printer) {
	after(p, "CONSTRAINT", &n.Constraint)
	p.word("CHECK")
	inParens(p, n.Expr)
}

func (n *Period) print(p *printer) {
	p.word("PERIOD FOR")
	if n.Name.Text == "SYSTEM_TIME" {
		p.word("SYSTEM_TIME")
	} else {
		n.Name.print(p)
	}
	idents(p, []Ident{n.Start, n.End})
}

func (n *References) print(p *printer) {
	p.word("REFERENCES")
	n.Table.print(p)
	if n.Columns != nil {
		idents(p, n.Columns)
	}
	if n.Match != "" {
		p.words("MATCH", n.Match)
	}
	if n.OnDelete != "" {
		p.words("ON DELETE", n.OnDelete)
	}
	if n.OnUpdate != "" {
		p.words("ON UPDATE", n.OnUpdate)
	}
}
