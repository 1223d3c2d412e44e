package tree

import "strings"

// NullLit is NULL.
type NullLit struct{ Span }

// BoolLit is TRUE or FALSE.
type BoolLit struct {
	Span
	Value bool
}

// NumberKind is how a number is written, which says its type.
type NumberKind uint8

// The kinds.
const (
	IntegerNumber NumberKind = iota
	DecimalNumber            // with a point
	FloatNumber              // with an exponent
)

// NumberLit is a number without sign, with its digits as they were written.
type NumberLit struct {
	Span
	Kind NumberKind
	Text string
}

// TextLit is a string literal. With a Charset (an introducer) Value has its bytes; else those of the character set of the connection, which
// are converted for a National one.
type TextLit struct {
	Span
	Charset  string
	National bool
	Value    string
}

// BytesLit is a literal of hexadecimal digits or bits. A Number is one where a number is asked for (0x41, b'01'), others are always a string
// (x'41'), as are those with a Charset.
type BytesLit struct {
	Span
	Charset string
	Number  bool
	Value   string
}

// TemporalKind is the type of a Temporal.
type TemporalKind uint8

// The kinds.
const (
	TemporalDate TemporalKind = iota
	TemporalTime
	TemporalTimestamp // in GET_FORMAT, DATETIME as well
)

// TemporalLit is DATE '...', TIME '...' or TIMESTAMP '...'. ODBC is {d '...'} and so on: what is no date then is a string.
type TemporalLit struct {
	Span
	Kind  TemporalKind
	ODBC  bool
	Value string
}

// Placeholder is the Index-th ? of the text, from 0.
type Placeholder struct {
	Span
	Index int32
}

// DefaultWord is the word DEFAULT in place of a value.
type DefaultWord struct{ Span }

// IgnoreWord is the word IGNORE in place of a value: the column keeps what it has.
type IgnoreWord struct{ Span }

func (*NullLit) expr()     {}
func (*BoolLit) expr()     {}
func (*NumberLit) expr()   {}
func (*TextLit) expr()     {}
func (*BytesLit) expr()    {}
func (*TemporalLit) expr() {}
func (*Placeholder) expr() {}
func (*DefaultWord) expr() {}
func (*IgnoreWord) expr()  {}

func (*NullLit) print(p *printer)     { p.word("NULL") }
func (n *NumberLit) print(p *printer) { p.word(n.Text) }
func (*Placeholder) print(p *printer) { p.word("?") }
func (*DefaultWord) print(p *printer) { p.word("DEFAULT") }
func (*IgnoreWord) print(p *printer)  { p.word("IGNORE") }

func (n *BoolLit) print(p *printer) {
	if n.Value {
		p.word("TRUE")
	} else {
		p.word("FALSE")
	}
}

func (n *TextLit) print(p *printer) {
	switch {
	case n.Charset != "":
		p.word("_" + n.Charset)
		p.text(n.Value)
	case n.National:
		p.word("N")
		p.quoted(n.Value)
	default:
		p.text(n.Value)
	}
}

const hexDigits = "0123456789ABCDEF"

func (n *BytesLit) print(p *printer) {
	if n.Charset != "" {
		p.word("_" + n.Charset)
	}
	switch {
	case !n.Number:
		p.word("x'")
	case n.Value == "":
		p.word("b''")
		return
	default:
		p.word("0x")
	}
	for i := range len(n.Value) {
		p.buf = append(p.buf, hexDigits[n.Value[i]>>4], hexDigits[n.Value[i]&15])
	}
	if !n.Number {
		p.byte('\'')
	}
}

func (k TemporalKind) String() string { return [...]string{"DATE", "TIME", "TIMESTAMP"}[k] }

func (n *TemporalLit) print(p *printer) {
	if n.ODBC {
		p.word([...]string{"{d", "{t", "{ts"}[n.Kind])
		p.text(n.Value)
		p.byte('}')
		return
	}
	p.word(n.Kind.String())
	p.quoted(n.Value)
}

// ColumnRef is a reference to a column, or to a variable of a routine. The names of table and database are empty if they are not given.
type ColumnRef struct {
	Span
	DB, Table, Name Ident
}

// AllColumns is * or t.*, in a select list.
type AllColumns struct {
	Span
	DB, Table Ident
}

// UserVariable is @name.
type UserVariable struct {
	Span
	Name string
}

// AssignVariable is @name := value.
type AssignVariable struct {
	Span
	Name  string
	Value Expr
}

// Scope is where a system variable lives.
type Scope uint8

// The scopes.
const (
	NoScope Scope = iota
	ScopeGlobal
	ScopeSession
)

func (s Scope) String() string { return [...]string{"", "GLOBAL", "SESSION"}[s] }

// SystemVariable is @@name, or @@base.name for a part of a structured one.
type SystemVariable struct {
	Span
	Scope      Scope
	Base, Name Ident
}

func (*ColumnRef) expr()      {}
func (*AllColumns) expr()     {}
func (*UserVariable) expr()   {}
func (*AssignVariable) expr() {}
func (*SystemVariable) expr() {}

func (n *ColumnRef) print(p *printer) {
	qualify(p, n.DB, n.Table)
	n.Name.print(p)
}

func (n *AllColumns) print(p *printer) {
	qualify(p, n.DB, n.Table)
	p.space()
	p.byte('*')
}

// qualify writes those of the names that are there, with a point after each.
func qualify(p *printer, names ...Ident) {
	for i := range names {
		if names[i].Text != "" {
			names[i].print(p)
			p.byte('.')
		}
	}
}

func (n *UserVariable) print(p *printer) { userVariable(p, n.Name) }

func userVariable(p *printer, name string) {
	p.word("@")
	p.name(name)
}

func (n *AssignVariable) print(p *printer) {
	userVariable(p, n.Name)
	p.word(":=")
	n.Value.print(p)
}

func (n *SystemVariable) print(p *printer) {
	p.word("@@")
	if n.Scope != NoScope {
		p.raw(strings.ToLower(n.Scope.String()))
		p.byte('.')
	}
	qualify(p, n.Base)
	n.Name.print(p)
}
