package tree

// ValueKind is what the value of an option is.
type ValueKind uint8

// The kinds.
const (
	WordValue   ValueKind = iota // a keyword, in capitals
	NameValue                    // a name
	TextValue                    // a string
	NumberValue                  // a number, as it was written
	HexValue                     // the digits of x'...'
	BitValue                     // the digits of b'...'
)

// Value is what an option is set to.
type Value struct {
	Span
	Kind ValueKind
	Text string
}

// Option is a setting of a table, an index, a partition, an account, a connection to a primary ...
type Option struct {
	Span
	Name string // in capitals, or, of a storage engine's own options (Own), as it was written
	Own  bool
	// Value is nil for an option that is there or not. List is used instead by those that have lists, and Tables by UNION.
	Value  *Value
	IsList bool
	List   []*Value
	Tables []*TableName
}

func (n *Value) print(p *printer) {
	switch n.Kind {
	case NameValue:
		p.name(n.Text)
	case TextValue:
		p.text(n.Text)
	case HexValue:
		p.word("x'" + n.Text + "'")
	case BitValue:
		p.word("b'" + n.Text + "'")
	default:
		p.word(n.Text)
	}
}

func (n *Option) print(p *printer) { n.printWith(p, "") }

// printWith prints an option with what stands between its name and its value.
func (n *Option) printWith(p *printer, equal string) {
	if n.Own {
		p.name(n.Name)
		equal = "="
	} else {
		p.word(n.Name)
	}
	switch {
	case n.IsList:
		p.raw("=")
		parens(p, n.List)
	case n.Tables != nil:
		parens(p, n.Tables)
	case n.Value != nil:
		p.raw(equal)
		n.Value.print(p)
	}
}

// printOptions prints options one after the other.
func printOptions(p *printer, options []*Option) {
	for _, o := range options {
		o.print(p)
	}
}

// idents prints names in parentheses.
func idents(p *printer, names []Ident) {
	p.space()
	p.byte('(')
	nameList(p, names)
	p.byte(')')
}

// nameList prints names with commas between them.
func nameList(p *printer, names []Ident) {
	for i := range names {
		if i > 0 {
			p.byte(',')
		}
		names[i].print(p)
	}
}

// after prints a keyword and a name, if there is a name.
func after(p *printer, word string, name *Ident) {
	if name.Text != "" {
		p.word(word)
		name.print(p)
	}
}

// comment prints a keyword and a string, if there is one.
func comment(p *printer, word string, text *string) {
	if text != nil {
		p.word(word)
		p.text(*text)
	}
}
