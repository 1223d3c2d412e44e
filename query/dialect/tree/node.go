package tree

// Span is a place in the text of a statement, in bytes.
type Span struct{ Start, End int32 }

// Place is where a node stands.
func (s Span) Place() Span { return s }

// Node is a part of a tree.
type Node interface {
	Place() Span
	print(p *printer)
	// appendChildren appends the nodes in it, one level down, in the order of its fields, and rewrite is Rewrite without the node itself. Both
	// are generated.
	appendChildren(to []Node) []Node
	rewrite(f func(Node) Node) Node
}

// Statement is a statement.
type Statement interface {
	Node
	statement()
}

// Empty is a text that has comments and nothing else. Running it is no error.
type Empty struct{ Span }

func (*Empty) statement() {}

func (*Empty) print(p *printer) { p.word("/**/") }

// Expr is an expression. Those that are operators know how tightly they bind (see binding).
type Expr interface {
	Node
	expr()
}

// TableRef is what stands in a FROM clause: a table, a join, a query.
type TableRef interface {
	Node
	tableRef()
}

// Ident is a name as it is meant, without quotes.
type Ident struct {
	Span
	Text string
}

// TableName is the name of a table, or of another object of a database. DB.Text is empty if no database is named.
type TableName struct {
	Span
	DB, Name Ident
}

func (n *Ident) print(p *printer) { p.name(n.Text) }

func (n *TableName) print(p *printer) {
	if n.DB.Text != "" {
		n.DB.print(p)
		p.byte('.')
	}
	n.Name.print(p)
}
