package tree

// Query is what gives rows: a Select, Values, a SetOperation, or a Nested one.
type Query interface {
	Statement
	query()
}

// With is the WITH clause of a query.
type With struct {
	Span
	Recursive bool
	Tables    []*CTE
}

// CTE is one table of a With.
type CTE struct {
	Span
	Name    Ident
	Columns []Ident
	Query   Query
	Cycle   []Ident // CYCLE ... RESTRICT
}

// Tail is what may follow every query.
type Tail struct {
	OrderBy   []*Order
	Limit     *Limit
	Procedure *ProcedureClause
	Into      Into
	Lock      *Lock
}

// SelectOption is a word after SELECT.
type SelectOption uint16

// The options.
const (
	SelectDistinct SelectOption = 1 << iota
	SelectHighPriority
	SelectStraightJoin
	SelectSQLSmallResult
	SelectSQLBigResult
	SelectSQLBufferResult
	SelectSQLCalcFoundRows
	SelectSQLNoCache
	SelectSQLCache
)

var selectOptions = [...]string{"DISTINCT", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT",
	"SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "SQL_CACHE"}

// Select is SELECT. FROM DUAL is as none.
type Select struct {
	Span
	With    *With
	Options SelectOption
	Items   []*SelectItem
	From    []TableRef
	Where   Expr
	GroupBy []*Order
	Rollup  bool
	Having  Expr
	Windows []*NamedWindow
	Tail
}

// SelectItem is one of a select list. Its name is Alias, or the text of X if that is nil.
type SelectItem struct {
	Span
	X     Expr
	Alias *Ident
}

// Values is VALUES (...), (...) as a query.
type Values struct {
	Span
	With *With
	Rows []*Row
	Tail
}

// SetOp is an operator between queries.
type SetOp uint8

// The operators. Intersect binds more tightly than the others.
const (
	Union SetOp = iota
	Except
	Intersect
)

// SetOperation is First, and what is done with further queries one by one. Either all of the Rest have Intersect or none has.
type SetOperation struct {
	Span
	With  *With
	First Query
	Rest  []*SetTerm
	Tail
}

// SetTerm is Op with a right side: UNION ALL Query.
type SetTerm struct {
	Span
	Op    SetOp
	All   bool
	Query Query
}

// Nested is a query in parentheses with a Tail of its own behind the inner one's.
type Nested struct {
	Span
	With  *With
	Query Query
	Tail
}

// ProcedureClause is PROCEDURE ANALYSE (...).
type ProcedureClause struct {
	Span
	Name Ident
	Args []Expr
}

// LockWait is how long a statement waits for locks.
type LockWait struct {
	Span
	NoWait, SkipLocked bool
	Seconds            uint64
}

// Lock is FOR UPDATE, or LOCK IN SHARE MODE. Wait may be nil.
type Lock struct {
	Span
	Share bool
	Wait  *LockWait
}

// Into is where the result of a query goes.
type Into interface {
	Node
	into()
}

// IntoVariables is INTO @a, b ...: UserVariables and Columns (variables of a routine).
type IntoVariables struct {
	Span
	Targets []Expr
}

// IntoOutfile is INTO OUTFILE.
type IntoOutfile struct {
	Span
	File    string
	Charset string
	Format  *TextFormat
}

// IntoDumpfile is INTO DUMPFILE.
type IntoDumpfile struct {
	Span
	File string
}

// TextFormat is how the fields and lines of a file are told apart. What is nil is not given.
type TextFormat struct {
	Span
	Terminated, Enclosed, Escaped *TextLit
	Optionally                    bool
	Starting, LinesTerminated     *TextLit
}

func (*Select) statement()       {}
func (*Values) statement()       {}
func (*SetOperation) statement() {}
func (*Nested) statement()       {}
func (*Select) query()           {}
func (*Values) query()           {}
func (*SetOperation) query()     {}
func (*Nested) query()           {}
func (*IntoVariables) into()     {}
func (*IntoOutfile) into()       {}
func (*IntoDumpfile) into()      {}

// Empty reports whether nothing follows the query.
func (t *Tail) Empty() bool {
	return t.OrderBy == nil && t.Limit == nil && t.Procedure == nil && t.Into == nil && t.Lock == nil
}

func (t *Tail) print(p *printer) {
	p.orderBy(t.OrderBy)
	if t.Limit != nil {
		t.Limit.print(p)
	}
	if t.Procedure != nil {
		t.Procedure.print(p)
	}
	if t.Lock != nil {
		t.Lock.print(p)
	}
	if t.Into != nil {
		t.Into.print(p)
	}
}

func (n *With) print(p *printer) {
	if n == nil {
		return
	}
	p.word("WITH")
	p.when(n.Recursive, "RECURSIVE")
	list(p, n.Tables)
}

func (n *CTE) print(p *printer) {
	n.Name.print(p)
	p.columns(n.Columns)
	p.word("AS")
	p.subquery(n.Query)
	if n.Cycle != nil {
		p.word("CYCLE")
		identList(p, n.Cycle)
		p.word("RESTRICT")
	}
}

// identList writes names with commas between them.
func identList(p *printer, names []Ident) {
	for i := range names {
		if i > 0 {
			p.byte(',')
		}
		names[i].print(p)
	}
}

// columns writes names in parentheses, if there are any.
func (p *printer) columns(names []Ident) {
	if names != nil {
		p.word("(")
		identList(p, names)
		p.byte(')')
	}
}

func (n *Select) print(p *printer) {
	n.With.print(p)
	p.word("SELECT")
	for i, s := range selectOptions {
		p.when(n.Options&(1<<i) != 0, s)
	}
	list(p, n.Items)
	if n.From != nil {
		p.word("FROM")
		list(p, n.From)
	}
	p.clause("WHERE", n.Where)
	if n.GroupBy != nil {
		p.word("GROUP BY")
		list(p, n.GroupBy)
		p.when(n.Rollup, "WITH ROLLUP")
	}
	p.clause("HAVING", n.Having)
	if n.Windows != nil {
		p.word("WINDOW")
		list(p, n.Windows)
	}
	n.Tail.print(p)
}

// clause writes a word and an expression, if there is one.
func (p *printer) clause(word string, x Expr) {
	if x != nil {
		p.word(word)
		x.print(p)
	}
}

func (n *SelectItem) print(p *printer) {
	n.X.print(p)
	if n.Alias != nil {
		p.word("AS")
		n.Alias.print(p)
	}
}

func (n *Values) print(p *printer) {
	n.With.print(p)
	p.word("VALUES")
	list(p, n.Rows)
	n.Tail.print(p)
}

var setOps = [...]string{"UNION", "EXCEPT", "INTERSECT"}

func (n *SetOperation) print(p *printer) {
	n.With.print(p)
	printSide(p, n.First, n.Rest[0].Op)
	for _, t := range n.Rest {
		t.print(p)
	}
	n.Tail.print(p)
}

func (n *SetTerm) print(p *printer) {
	p.word(setOps[n.Op])
	p.when(n.All, "ALL")
	printSide(p, n.Query, n.Op)
}

// printSide writes a side of a set operation, in parentheses if it is not what stands there without them.
func printSide(p *printer, q Query, op SetOp) {
	bare := false
	switch q := q.(type) {
	case *Select:
		bare = q.With == nil && q.Tail.Empty()
	case *Values:
		bare = q.With == nil && q.Tail.Empty()
	case *SetOperation:
		bare = q.With == nil && q.Tail.Empty() && q.Rest[0].Op == Intersect && op != Intersect
	}
	if bare {
		q.print(p)
	} else {
		p.subquery(q)
	}
}

func (n *Nested) print(p *printer) {
	n.With.print(p)
	p.subquery(n.Query)
	n.Tail.print(p)
}

func (n *ProcedureClause) print(p *printer) {
	p.word("PROCEDURE")
	n.Name.print(p)
	parens(p, n.Args)
}

func (n *LockWait) print(p *printer) {
	switch {
	case n == nil:
	case n.NoWait:
		p.word("NOWAIT")
	case n.SkipLocked:
		p.word("SKIP LOCKED")
	default:
		p.word("WAIT")
		p.number(n.Seconds)
	}
}

func (n *Lock) print(p *printer) {
	if n.Share {
		p.word("LOCK IN SHARE MODE")
	} else {
		p.word("FOR UPDATE")
	}
	n.Wait.print(p)
}

func (n *IntoVariables) print(p *printer) {
	p.word("INTO")
	list(p, n.Targets)
}

func (n *IntoOutfile) print(p *printer) {
	p.word("INTO OUTFILE")
	p.text(n.File)
	if n.Charset != "" {
		p.words("CHARACTER SET", n.Charset)
	}
	n.Format.print(p)
}

func (n *IntoDumpfile) print(p *printer) {
	p.word("INTO DUMPFILE")
	p.text(n.File)
}

func (n *TextFormat) print(p *printer) {
	if n == nil {
		return
	}
	part := func(words string, text *TextLit) {
		if text != nil {
			p.word(words)
			text.print(p)
		}
	}
	if n.Terminated != nil || n.Enclosed != nil || n.Escaped != nil {
		p.word("FIELDS")
		part("TERMINATED BY", n.Terminated)
		p.when(n.Optionally, "OPTIONALLY")
		part("ENCLOSED BY", n.Enclosed)
		part("ESCAPED BY", n.Escaped)
	}
	if n.Starting != nil || n.LinesTerminated != nil {
		p.word("LINES")
		part("STARTING BY", n.Starting)
		part("TERMINATED BY", n.LinesTerminated)
	}
}
