package tree

// Block is BEGIN ... END. NotAtomic is that of a block outside of a routine.
type Block struct {
	Span
	Label        Ident
	NotAtomic    bool
	Declarations []Declaration
	Body         []Statement
}

// Declaration is DECLARE: *DeclareVariables, *DeclareCondition, *DeclareCursor, *DeclareHandler.
type Declaration interface {
	Node
	declaration()
}

// DeclareVariables declares variables of one type.
type DeclareVariables struct {
	Span
	Names   []Ident
	Type    *VariableType
	Default Expr
}

// DeclareCondition gives a condition a name.
type DeclareCondition struct {
	Span
	Name  Ident
	Value *Condition
}

// DeclareCursor declares a cursor; it may have parameters.
type DeclareCursor struct {
	Span
	Name   Ident
	Params []*Param
	Query  Query
}

// DeclareHandler declares a handler. Action is CONTINUE or EXIT.
type DeclareHandler struct {
	Span
	Action string
	For    []*Condition
	Body   Statement
}

// Condition is an error number, an SQLSTATE, a class (SQLWARNING, NOT FOUND, SQLEXCEPTION), or the name of a condition.
type Condition struct {
	Span
	Errno string // as it was written
	State *string
	Class string
	Name  Ident
}

// If is IF; the last branch has no condition if it is that of ELSE.
type If struct {
	Span
	Branches []*Branch
}

// Case is CASE, with an operand or none.
type Case struct {
	Span
	Operand  Expr
	Branches []*Branch
}

// Branch is a branch of If and Case. A nil condition is ELSE.
type Branch struct {
	Span
	When Expr
	Body []Statement
}

// Loop is LOOP, WHILE and REPEAT.
type Loop struct {
	Span
	Label Ident
	Kind  string // LOOP, WHILE, REPEAT
	Cond  Expr   // of WHILE and REPEAT (UNTIL)
	Body  []Statement
}

// For is FOR: over numbers (From and To), over a cursor (From, without To), or over a query.
type For struct {
	Span
	Label    Ident
	Variable Ident
	Reverse  bool
	From, To Expr
	Query    Query
	Body     []Statement
}

// Jump is LEAVE or ITERATE.
type Jump struct {
	Span
	Iterate bool
	Label   Ident
}

// Return is RETURN.
type Return struct {
	Span
	Expr Expr
}

// OpenCursor is OPEN.
type OpenCursor struct {
	Span
	Name Ident
	Args []Expr
}

// FetchCursor is FETCH ... INTO; without a name it is FETCH GROUP NEXT ROW.
type FetchCursor struct {
	Span
	Name Ident
	Into []*FetchTarget
}

// FetchTarget is a variable, or a field of one.
type FetchTarget struct {
	Span
	Path []Ident
}

// CloseCursor is CLOSE.
type CloseCursor struct {
	Span
	Name Ident
}

func (*Block) statement()              {}
func (*If) statement()                 {}
func (*Case) statement()               {}
func (*Loop) statement()               {}
func (*For) statement()                {}
func (*Jump) statement()               {}
func (*Return) statement()             {}
func (*OpenCursor) statement()         {}
func (*FetchCursor) statement()        {}
func (*CloseCursor) statement()        {}
func (*DeclareVariables) declaration() {}
func (*DeclareCondition) declaration() {}
func (*DeclareCursor) declaration()    {}
func (*DeclareHandler) declaration()   {}

// printBody prints statements, each with a semicolon.
func printBody(p *printer, body []Statement) {
	for _, s := range body {
		s.print(p)
		p.byte(';')
	}
}

func printLabel(p *printer, label *Ident) {
	if label.Text != "" {
		label.print(p)
		p.byte(':')
	}
}

func (n *Block) print(p *printer) {
	printLabel(p, &n.Label)
	p.word("BEGIN")
	p.when(n.NotAtomic, "NOT ATOMIC")
	for _, d := range n.Declarations {
		d.print(p)
		p.byte(';')
	}
	printBody(p, n.Body)
	p.word("END")
}

func (n *DeclareVariables) print(p *printer) {
	p.word("DECLARE")
	nameList(p, n.Names)
	n.Type.print(p)
	if n.Default != nil {
		p.word("DEFAULT")
		n.Default.print(p)
	}
}

func (n *DeclareCondition) print(p *printer) {
	p.word("DECLARE")
	n.Name.print(p)
	p.word("CONDITION FOR")
	n.Value.print(p)
}

func (n *DeclareCursor) print(p *printer) {
	p.word("DECLARE")
	n.Name.print(p)
	p.word("CURSOR")
	if n.Params != nil {
		parens(p, n.Params)
	}
	p.word("FOR")
	n.Query.print(p)
}

func (n *DeclareHandler) print(p *printer) {
	p.words("DECLARE", n.Action, "HANDLER FOR")
	list(p, n.For)
	n.Body.print(p)
}

func (n *Condition) print(p *printer) {
	switch {
	case n.Errno != "":
		p.word(n.Errno)
	case n.State != nil:
		comment(p, "SQLSTATE", n.State)
	case n.Class != "":
		p.word(n.Class)
	default:
		n.Name.print(p)
	}
}

func (n *If) print(p *printer) {
	for i, b := range n.Branches {
		switch {
		case b.When == nil:
			p.word("ELSE")
		case i == 0:
			p.word("IF")
		default:
			p.word("ELSEIF")
		}
		b.print(p)
	}
	p.word("END IF")
}

func (n *Case) print(p *printer) {
	p.word("CASE")
	if n.Operand != nil {
		n.Operand.print(p)
	}
	for _, b := range n.Branches {
		if b.When == nil {
			p.word("ELSE")
		} else {
			p.word("WHEN")
		}
		b.print(p)
	}
	p.word("END CASE")
}

func (n *Branch) print(p *printer) {
	if n.When != nil {
		n.When.print(p)
		p.word("THEN")
	}
	printBody(p, n.Body)
}

func (n *Loop) print(p *printer) {
	printLabel(p, &n.Label)
	p.word(n.Kind)
	if n.Kind == "WHILE" {
		n.Cond.print(p)
		p.word("DO")
	}
	printBody(p, n.Body)
	if n.Kind == "REPEAT" {
		p.word("UNTIL")
		n.Cond.print(p)
	}
	p.words("END", n.Kind)
}

func (n *For) print(p *printer) {
	printLabel(p, &n.Label)
	p.word("FOR")
	n.Variable.print(p)
	p.word("IN")
	p.when(n.Reverse, "REVERSE")
	if n.Query != nil {
		inParens(p, n.Query)
	} else {
		n.From.print(p)
	}
	if n.To != nil {
		p.word("..")
		p.byte(' ')
		n.To.print(p)
	}
	p.word("DO")
	printBody(p, n.Body)
	p.word("END FOR")
}

func (n *Jump) print(p *printer) {
	if n.Iterate {
		p.word("ITERATE")
	} else {
		p.word("LEAVE")
	}
	n.Label.print(p)
}

func (n *Return) print(p *printer) {
	p.word("RETURN")
	n.Expr.print(p)
}

func (n *OpenCursor) print(p *printer) {
	p.word("OPEN")
	n.Name.print(p)
	if n.Args != nil {
		parens(p, n.Args)
	}
}

func (n *FetchCursor) print(p *printer) {
	p.word("FETCH")
	if n.Name.Text == "" {
		p.word("GROUP NEXT ROW")
		return
	}
	n.Name.print(p)
	p.word("INTO")
	list(p, n.Into)
}

func (n *FetchTarget) print(p *printer) { printPath(p, n.Path) }

func (n *CloseCursor) print(p *printer) {
	p.word("CLOSE")
	n.Name.print(p)
}
