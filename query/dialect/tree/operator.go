package tree

// Op is an operator.
type Op uint8

// The operators.
const (
	OpOr Op = iota + 1
	OpXor
	OpAnd
	OpNot
	OpEqual
	OpNullSafeEqual
	OpNotEqual
	OpLess
	OpLessEqual
	OpGreater
	OpGreaterEqual
	OpRegexp
	OpNotRegexp
	OpSoundsLike
	OpBitOr
	OpBitAnd
	OpShiftLeft
	OpShiftRight
	OpPlus
	OpMinus
	OpTimes
	OpDivide
	OpIntDivide
	OpModulo
	OpBitXor
	OpNegate
	OpPositive
	OpBitNot
	opCount
)

// How tightly operators bind, from loose to tight.
const (
	BindAssign = iota
	BindOr
	BindXor
	BindAnd
	BindNot
	BindCompare
	BindBetween // above IN and LIKE in the tree, since its last operand takes those
	BindPredicate
	BindBitOr
	BindBitAnd
	BindShift
	BindPlus
	BindTimes
	BindBitXor
	BindConcat
	BindUnary
	BindCollate
	BindPrimary
)

var operators = [opCount]struct {
	text string
	bind int
}{
	OpOr:            {"OR", BindOr},
	OpXor:           {"XOR", BindXor},
	OpAnd:           {"AND", BindAnd},
	OpNot:           {"NOT", BindNot},
	OpEqual:         {"=", BindCompare},
	OpNullSafeEqual: {"<=>", BindCompare},
	OpNotEqual:      {"<>", BindCompare},
	OpLess:          {"<", BindCompare},
	OpLessEqual:     {"<=", BindCompare},
	OpGreater:       {">", BindCompare},
	OpGreaterEqual:  {">=", BindCompare},
	OpRegexp:        {"REGEXP", BindPredicate},
	OpNotRegexp:     {"NOT REGEXP", BindPredicate},
	OpSoundsLike:    {"SOUNDS LIKE", BindPredicate},
	OpBitOr:         {"|", BindBitOr},
	OpBitAnd:        {"&", BindBitAnd},
	OpShiftLeft:     {"<<", BindShift},
	OpShiftRight:    {">>", BindShift},
	OpPlus:          {"+", BindPlus},
	OpMinus:         {"-", BindPlus},
	OpTimes:         {"*", BindTimes},
	OpDivide:        {"/", BindTimes},
	OpIntDivide:     {"DIV", BindTimes},
	OpModulo:        {"%", BindTimes},
	OpBitXor:        {"^", BindBitXor},
	OpNegate:        {"-", BindUnary},
	OpPositive:      {"+", BindUnary},
	OpBitNot:        {"~", BindUnary},
}

// String is the operator as it is written.
func (o Op) String() string { return operators[o].text }

// Bind is how tightly the operator binds.
func (o Op) Bind() int { return operators[o].bind }

// Compares reports whether the operator compares two values by their order.
func (o Op) Compares() bool { return o >= OpEqual && o <= OpGreaterEqual }

// Binary is Left Op Right. AND and OR are a Chain.
type Binary struct {
	Span
	Op          Op
	Left, Right Expr
}

// Chain is Operands with AND, or OR, between them: two or more. One of them is a Chain of the same operator only if it stands in parentheses,
// so that no tree is high because a condition is long.
type Chain struct {
	Span
	Op       Op
	Operands []Expr
}

// Unary is Op X.
type Unary struct {
	Span
	Op Op
	X  Expr
}

// Is is X IS [NOT] NULL, TRUE or FALSE (What is a Null or a Bool).
type Is struct {
	Span
	X    Expr
	Not  bool
	What Expr
}

// In is X [NOT] IN (List), or IN (Query).
type In struct {
	Span
	X     Expr
	Not   bool
	List  []Expr
	Query Query
}

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	Span
	X         Expr
	Not       bool
	Low, High Expr
}

// Like is X [NOT] LIKE Pattern [ESCAPE Escape].
type Like struct {
	Span
	X       Expr
	Not     bool
	Pattern Expr
	Escape  Expr
}

// Quantified is Left Op ANY or ALL (Query).
type Quantified struct {
	Span
	Op    Op
	Left  Expr
	All   bool
	Query Query
}

// AddInterval is X + INTERVAL Value Unit, or X - INTERVAL if it is Minus.
type AddInterval struct {
	Span
	X     Expr
	Minus bool
	Value Expr
	Unit  Unit
}

// Collate is X COLLATE Collation.
type Collate struct {
	Span
	X         Expr
	Collation string
}

// Row is (a, b ...).
type Row struct {
	Span
	Items []Expr
}

// Subquery is a query where a value, or a row, stands.
type Subquery struct {
	Span
	Query Query
}

// Exists is EXISTS (Query).
type Exists struct {
	Span
	Query Query
}

func (*Binary) expr()      {}
func (*Chain) expr()       {}
func (*Unary) expr()       {}
func (*Is) expr()          {}
func (*In) expr()          {}
func (*Between) expr()     {}
func (*Like) expr()        {}
func (*Quantified) expr()  {}
func (*AddInterval) expr() {}
func (*Collate) expr()     {}
func (*Row) expr()         {}
func (*Subquery) expr()    {}
func (*Exists) expr()      {}

// binding is how tightly an expression binds its operands.
func binding(x Expr) int {
	switch x := x.(type) {
	case *AssignVariable:
		return BindAssign
	case *Binary:
		return x.Op.Bind()
	case *Chain:
		return x.Op.Bind()
	case *Unary:
		return x.Op.Bind()
	case *Is, *Quantified:
		return BindCompare
	case *Between:
		return BindBetween
	case *In, *Like:
		return BindPredicate
	case *AddInterval:
		return BindPlus
	case *Collate:
		return BindCollate
	}
	return BindPrimary
}

// operand writes an expression, in parentheses if it binds less tightly than min.
func (p *printer) operand(x Expr, minimum int) {
	if binding(x) >= minimum {
		x.print(p)
		return
	}
	p.space()
	p.byte('(')
	x.print(p)
	p.byte(')')
}

func (n *Binary) print(p *printer) {
	bind := n.Op.Bind()
	p.operand(n.Left, bind)
	p.word(n.Op.String())
	p.operand(n.Right, bind+1)
}

func (n *Chain) print(p *printer) {
	for i, x := range n.Operands {
		if i > 0 {
			p.word(n.Op.String())
		}
		p.operand(x, n.Op.Bind()+1)
	}
}

// The operand of NOT is in parentheses, since there is a sql_mode in which NOT binds tightly.
func (n *Unary) print(p *printer) {
	p.word(n.Op.String())
	p.operand(n.X, BindUnary)
}

func (n *Is) print(p *printer) {
	p.operand(n.X, BindCompare)
	p.word("IS")
	p.when(n.Not, "NOT")
	n.What.print(p)
}

func (n *In) print(p *printer) {
	p.operand(n.X, BindPredicate)
	p.when(n.Not, "NOT")
	p.word("IN")
	if n.Query != nil {
		p.subquery(n.Query)
		return
	}
	parens(p, n.List)
}

// subquery writes a query in parentheses.
func (p *printer) subquery(q Query) {
	p.space()
	p.byte('(')
	q.print(p)
	p.byte(')')
}

func (n *Between) print(p *printer) {
	p.operand(n.X, BindPredicate)
	p.when(n.Not, "NOT")
	p.word("BETWEEN")
	p.operand(n.Low, BindBitOr)
	p.word("AND")
	p.operand(n.High, BindBitOr)
}

func (n *Like) print(p *printer) {
	p.operand(n.X, BindPredicate)
	p.when(n.Not, "NOT")
	p.word("LIKE")
	p.operand(n.Pattern, BindBitOr)
	if n.Escape != nil {
		p.word("ESCAPE")
		p.operand(n.Escape, BindBitOr)
	}
}

func (n *Quantified) print(p *printer) {
	p.operand(n.Left, BindCompare)
	p.word(n.Op.String())
	if n.All {
		p.word("ALL")
	} else {
		p.word("ANY")
	}
	p.subquery(n.Query)
}

// An interval that stands before what it is added to stays there, since placeholders are counted in the order of the text.
func (n *AddInterval) print(p *printer) {
	if n.Value.Place().Start < n.X.Place().Start {
		p.word("(")
		p.when(n.Minus, "-")
		p.interval(n)
		p.word("+")
		p.operand(n.X, BindPrimary)
		p.byte(')')
		return
	}
	p.operand(n.X, BindPlus)
	if n.Minus {
		p.word("-")
	} else {
		p.word("+")
	}
	p.interval(n)
}

func (p *printer) interval(n *AddInterval) {
	p.word("INTERVAL")
	n.Value.print(p)
	p.word(n.Unit.String())
}

func (n *Collate) print(p *printer) {
	p.operand(n.X, BindCollate)
	p.word("COLLATE")
	p.name(n.Collation)
}

func (n *Row) print(p *printer) {
	parens(p, n.Items)
}

func (n *Subquery) print(p *printer) { p.subquery(n.Query) }

func (n *Exists) print(p *printer) {
	p.word("EXISTS")
	p.subquery(n.Query)
}
