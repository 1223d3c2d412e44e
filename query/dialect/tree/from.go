package tree

// Table is a table by its name, in a FROM clause.
type Table struct {
	Span
	Name       *TableName
	Partitions []Ident
	Time       *SystemTime
	Alias      *Ident
	Hints      []*IndexHint
}

// Derived is a query in a FROM clause.
type Derived struct {
	Span
	Query Query
	Time  *SystemTime
	Alias *Ident
}

// JoinKind is the kind of a Join.
type JoinKind uint8

// The kinds. CROSS JOIN and INNER JOIN are one.
const (
	InnerJoin JoinKind = iota
	StraightJoin
	LeftJoin
	RightJoin
)

// Join is Left JOIN Right. On and Using are nil for a NATURAL one, and may be for others that are not LEFT or RIGHT.
type Join struct {
	Span
	Kind        JoinKind
	Natural     bool
	Left, Right TableRef
	On          Expr
	Using       []Ident
}

// HintKind is what an IndexHint asks for.
type HintKind uint8

// The kinds.
const (
	UseIndex HintKind = iota
	ForceIndex
	IgnoreIndex
)

// HintFor is what a hint is for.
type HintFor uint8

// The purposes.
const (
	ForAll HintFor = iota
	ForJoin
	ForOrderBy
	ForGroupBy
)

// IndexHint is USE, FORCE or IGNORE INDEX. PRIMARY is a name as any other.
type IndexHint struct {
	Span
	Kind    HintKind
	For     HintFor
	Indexes []Ident
}

// TimeKind is what versions of rows a SystemTime means.
type TimeKind uint8

// The kinds.
const (
	TimeAsOf TimeKind = iota
	TimeFromTo
	TimeBetween
	TimeAll
)

// SystemTime is FOR SYSTEM_TIME. End is of TimeFromTo and TimeBetween, and TimeAll has no Start.
type SystemTime struct {
	Span
	Kind       TimeKind
	Start, End *TimePoint
}

// TimePoint is a point of history.
type TimePoint struct {
	Span
	Transaction bool // else a timestamp
	Timestamp   bool // the word is there: not a transaction, whatever the type of X
	X           Expr
}

func (*Table) tableRef()   {}
func (*Derived) tableRef() {}
func (*Join) tableRef()    {}

func (n *Table) print(p *printer) {
	n.Name.print(p)
	p.partition(n.Partitions)
	if n.Time != nil {
		n.Time.print(p)
	}
	p.alias(n.Alias)
	p.hints(n.Hints)
}

func (p *printer) hints(hints []*IndexHint) {
	for _, h := range hints {
		h.print(p)
	}
}

// alias writes AS and a name, if there is one.
func (p *printer) alias(name *Ident) {
	if name != nil {
		p.word("AS")
		name.print(p)
	}
}

func (n *Derived) print(p *printer) {
	p.subquery(n.Query)
	if n.Time != nil {
		n.Time.print(p)
	}
	p.alias(n.Alias)
}

var joinKinds = [...]string{"JOIN", "STRAIGHT_JOIN", "LEFT JOIN", "RIGHT JOIN"}

func (n *Join) print(p *printer) {
	n.Left.print(p)
	p.when(n.Natural, "NATURAL")
	p.word(joinKinds[n.Kind])
	if _, ok := n.Right.(*Join); ok {
		p.word("(")
		n.Right.print(p)
		p.byte(')')
	} else {
		n.Right.print(p)
	}
	p.clause("ON", n.On)
	if n.Using != nil {
		p.word("USING")
		p.columns(n.Using)
	}
}

func (n *IndexHint) print(p *printer) {
	p.words([...]string{"USE", "FORCE", "IGNORE"}[n.Kind], "INDEX")
	p.words([...]string{"", "FOR JOIN", "FOR ORDER BY", "FOR GROUP BY"}[n.For])
	p.word("(")
	identList(p, n.Indexes)
	p.byte(')')
}

func (n *SystemTime) print(p *printer) {
	p.word("FOR SYSTEM_TIME")
	p.word([...]string{"AS OF", "FROM", "BETWEEN", "ALL"}[n.Kind])
	if n.Start != nil {
		n.Start.print(p)
	}
	switch n.Kind {
	case TimeFromTo:
		p.word("TO")
		n.End.print(p)
	case TimeBetween:
		p.word("AND")
		n.End.print(p)
	}
}

func (n *TimePoint) print(p *printer) {
	p.when(n.Transaction, "TRANSACTION")
	p.when(n.Timestamp, "TIMESTAMP")
	p.operand(n.X, BindBitOr)
}
