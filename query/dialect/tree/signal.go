package tree

// Signal is SIGNAL; with Again, RESIGNAL, whose condition may be nil.
type Signal struct {
	Span
	Again     bool
	Condition *Condition
	Set       []*SignalItem
}

// SignalItem is an item of SET: MESSAGE_TEXT, MYSQL_ERRNO ...
type SignalItem struct {
	Span
	Name  string
	Value Expr
}

// Diagnostics is GET DIAGNOSTICS.
type Diagnostics struct {
	Span
	// Number is that of CONDITION; nil: about the statement.
	Number Expr
	Items  []*DiagnosticsItem
}

// DiagnosticsItem sets a target, a variable of the session or of a routine, to an item.
type DiagnosticsItem struct {
	Span
	Target  Ident
	Session bool // @Target
	Name    string
}

func (*Signal) statement()      {}
func (*Diagnostics) statement() {}

func (n *Signal) print(p *printer) {
	if n.Again {
		p.word("RESIGNAL")
	} else {
		p.word("SIGNAL")
	}
	if n.Condition != nil {
		n.Condition.print(p)
	}
	if n.Set != nil {
		p.word("SET")
		list(p, n.Set)
	}
}

func (n *SignalItem) print(p *printer) {
	p.words(n.Name, "=")
	n.Value.print(p)
}

func (n *Diagnostics) print(p *printer) {
	p.word("GET DIAGNOSTICS")
	if n.Number != nil {
		p.word("CONDITION")
		n.Number.print(p)
	}
	list(p, n.Items)
}

func (n *DiagnosticsItem) print(p *printer) {
	if n.Session {
		p.word("@")
	}
	n.Target.print(p)
	p.words("=", n.Name)
}
