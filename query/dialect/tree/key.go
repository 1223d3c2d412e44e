package tree

// KeyKind is the kind of an index or key.
type KeyKind uint8

// The kinds.
const (
	PlainKey KeyKind = iota
	UniqueKey
	PrimaryKey
	FulltextKey
	SpatialKey
	ForeignKey
)

var keyWords = [...]string{PlainKey: "", UniqueKey: "UNIQUE", PrimaryKey: "PRIMARY", FulltextKey: "FULLTEXT", SpatialKey: "SPATIAL", ForeignKey: "FOREIGN"}

// Key is the definition of a key or index in CREATE TABLE and ALTER TABLE.
type Key struct {
	Span
	Kind        KeyKind
	IfNotExists bool
	Constraint  Ident // empty: none
	Name        Ident // empty: none
	Parts       []*KeyPart
	Overlaps    Ident // the period that is WITHOUT OVERLAPS; empty: none
	Options     []*Option
	References  *References // of a foreign key
}

// KeyPart is a column of a key. Length is as it was written; empty: the whole column.
type KeyPart struct {
	Span
	Column Ident
	Length string
	Desc   bool
}

func (*Key) element() {}

func (n *Key) print(p *printer) {
	after(p, "CONSTRAINT", &n.Constraint)
	p.words(keyWords[n.Kind], "KEY")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	if n.Name.Text != "" {
		n.Name.print(p)
	}
	printKeyParts(p, n.Parts, &n.Overlaps)
	printOptions(p, n.Options)
	if n.References != nil {
		n.References.print(p)
	}
}

// printKeyParts prints the columns of a key in parentheses.
func printKeyParts(p *printer, parts []*KeyPart, overlaps *Ident) {
	p.space()
	p.byte('(')
	list(p, parts)
	if overlaps.Text != "" {
		p.byte(',')
		overlaps.print(p)
		p.word("WITHOUT OVERLAPS")
	}
	p.byte(')')
}

func (n *KeyPart) print(p *printer) {
	n.Column.print(p)
	if n.Length != "" {
		p.raw("(" + n.Length + ")")
	}
	p.when(n.Desc, "DESC")
}

// CreateIndex is CREATE INDEX. Algorithm and Lock are empty if they are not there.
type CreateIndex struct {
	Span
	OrReplace, IfNotExists bool
	Kind                   KeyKind
	Name                   Ident
	Table                  *TableName
	Wait                   *Wait
	Parts                  []*KeyPart
	Overlaps               Ident
	Options                []*Option
	Settings               []*Option // ALGORITHM and LOCK
}

// DropIndex is DROP INDEX.
type DropIndex struct {
	Span
	IfExists bool
	Name     Ident
	Table    *TableName
	Wait     *Wait
}

// Wait is how long a statement waits for locks: WAIT with seconds, as they were written, or NOWAIT (empty).
type Wait struct {
	Span
	Seconds string
}

func (*CreateIndex) statement() {}
func (*DropIndex) statement()   {}

func (n *CreateIndex) print(p *printer) {
	printCreate(p, n.OrReplace)
	p.words(keyWords[n.Kind], "INDEX")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	p.word("ON")
	n.Table.print(p)
	printKeyParts(p, n.Parts, &n.Overlaps)
	printWait(p, n.Wait)
	printOptions(p, n.Options)
	printOptions(p, n.Settings)
}

func (n *DropIndex) print(p *printer) {
	p.word("DROP INDEX")
	p.when(n.IfExists, "IF EXISTS")
	n.Name.print(p)
	p.word("ON")
	n.Table.print(p)
	printWait(p, n.Wait)
}

func (n *Wait) print(p *printer) {
	if n.Seconds == "" {
		p.word("NOWAIT")
		return
	}
	p.words("WAIT", n.Seconds)
}

func printWait(p *printer, n *Wait) {
	if n != nil {
		n.print(p)
	}
}

func printCreate(p *printer, orReplace bool) {
	p.word("CREATE")
	p.when(orReplace, "OR REPLACE")
}
