package tree

// Priority is when a statement gets its locks.
type Priority uint8

// The priorities.
const (
	NormalPriority Priority = iota
	LowPriority
	Delayed
	HighPriority
	Concurrent // of LOAD DATA
)

func (n Priority) String() string {
	return [...]string{"", "LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "CONCURRENT"}[n]
}

// Assignment is Column = Value.
type Assignment struct {
	Span
	Column *ColumnRef
	Value  Expr
}

// Insert is INSERT or REPLACE. The rows come from Rows, Set or Query, of which two are nil.
type Insert struct {
	Span
	Replace    bool
	Priority   Priority
	Ignore     bool
	Table      *TableName
	Partitions []Ident
	Columns    []Expr // ColumnRefs and AllColumns
	Rows       []*Row
	Set        []*Assignment
	Query      Query
	// OnDuplicate is ON DUPLICATE KEY UPDATE.
	OnDuplicate []*Assignment
	Returning   []*SelectItem
}

// Portion is FOR PORTION OF Name FROM Start TO End.
type Portion struct {
	Span
	Name       Ident
	Start, End Expr
}

// Update is UPDATE.
type Update struct {
	Span
	Priority Priority
	Ignore   bool
	Tables   []TableRef
	Portion  *Portion // of the only table
	Set      []*Assignment
	Where    Expr
	OrderBy  []*Order
	Limit    *Limit
}

// Delete is DELETE. Targets are those of the form with several tables, whose tables are From; else From has one Table.
type Delete struct {
	Span
	Priority  Priority
	Quick     bool
	Ignore    bool
	Targets   []*TableName
	From      []TableRef
	Portion   *Portion
	History   bool
	Before    *TimePoint // BEFORE SYSTEM_TIME, of a History
	Where     Expr
	OrderBy   []*Order
	Limit     *Limit
	Returning []*SelectItem
}

// Load is LOAD DATA and LOAD XML.
type Load struct {
	Span
	XML        bool
	Priority   Priority
	Local      bool
	File       string
	Replace    bool
	Ignore     bool
	Table      *TableName
	Partitions []Ident
	Charset    string
	RowTag     *TextLit // ROWS IDENTIFIED BY
	Format     *TextFormat
	Skip       Expr // IGNORE n LINES
	Fields     []Expr
	Set        []*Assignment
}

// CallRoutine is CALL.
type CallRoutine struct {
	Span
	DB, Package, Name Ident
	Args              []Expr
}

// Do is DO.
type Do struct {
	Span
	Items []Expr
}

// HandlerOpen is HANDLER ... OPEN.
type HandlerOpen struct {
	Span
	Table *TableName
	Alias *Ident
}

// HandlerClose is HANDLER ... CLOSE.
type HandlerClose struct {
	Span
	Table *TableName
}

// HandlerRead is HANDLER ... READ. Index is nil for the order of the table. Where is a comparison's operator in Op (0 if none) the row is looked
// up by Key; else Step is FIRST, NEXT, PREV or LAST.
type HandlerRead struct {
	Span
	Table *TableName
	Index *Ident
	Step  string
	Op    Op
	Key   []Expr
	Where Expr
	Limit *Limit
}

func (*Insert) statement()       {}
func (*Update) statement()       {}
func (*Delete) statement()       {}
func (*Load) statement()         {}
func (*CallRoutine) statement()  {}
func (*Do) statement()           {}
func (*HandlerOpen) statement()  {}
func (*HandlerClose) statement() {}
func (*HandlerRead) statement()  {}

func (n *Assignment) print(p *printer) {
	n.Column.print(p)
	p.word("=")
	n.Value.print(p)
}

// assignments writes a word and assignments, if there are any.
func (p *printer) assignments(word string, all []*Assignment) {
	if all != nil {
		p.word(word)
		list(p, all)
	}
}

// partition writes PARTITION (...), if partitions are named.
func (p *printer) partition(names []Ident) {
	if names != nil {
		p.word("PARTITION")
		p.columns(names)
	}
}

// returning writes RETURNING, if it is there.
func (p *printer) returning(items []*SelectItem) {
	if items != nil {
		p.word("RETURNING")
		list(p, items)
	}
}

func (n *Insert) print(p *printer) {
	if n.Replace {
		p.word("REPLACE")
	} else {
		p.word("INSERT")
	}
	p.words(n.Priority.String())
	p.when(n.Ignore, "IGNORE")
	p.word("INTO")
	n.Table.print(p)
	p.partition(n.Partitions)
	if n.Columns != nil {
		parens(p, n.Columns)
	}
	switch {
	case n.Rows != nil:
		p.word("VALUES")
		list(p, n.Rows)
	case n.Query != nil:
		if _, ok := n.Query.(*Values); ok {
			p.subquery(n.Query)
		} else {
			n.Query.print(p)
		}
	default:
		p.assignments("SET", n.Set)
	}
	p.assignments("ON DUPLICATE KEY UPDATE", n.OnDuplicate)
	p.returning(n.Returning)
}

func (n *Portion) print(p *printer) {
	if n == nil {
		return
	}
	p.word("FOR PORTION OF")
	n.Name.print(p)
	p.word("FROM")
	p.operand(n.Start, BindBitOr)
	p.word("TO")
	p.operand(n.End, BindBitOr)
}

// tail writes what UPDATE and DELETE have in common.
func (p *printer) tail(where Expr, orders []*Order, limit *Limit) {
	p.clause("WHERE", where)
	p.orderBy(orders)
	if limit != nil {
		limit.print(p)
	}
}

func (n *Update) print(p *printer) {
	p.words("UPDATE", n.Priority.String())
	p.when(n.Ignore, "IGNORE")
	if n.Portion != nil {
		t := *n.Tables[0].(*Table)
		alias, hints := t.Alias, t.Hints
		t.Alias, t.Hints = nil, nil
		t.print(p)
		n.Portion.print(p)
		p.alias(alias)
		p.hints(hints)
	} else {
		list(p, n.Tables)
	}
	p.assignments("SET", n.Set)
	p.tail(n.Where, n.OrderBy, n.Limit)
}

func (n *Delete) print(p *printer) {
	p.word("DELETE")
	p.when(n.History, "HISTORY")
	p.words(n.Priority.String())
	p.when(n.Quick, "QUICK")
	p.when(n.Ignore, "IGNORE")
	if n.Targets != nil {
		list(p, n.Targets)
	}
	p.word("FROM")
	list(p, n.From)
	n.Portion.print(p)
	if n.Before != nil {
		p.word("BEFORE SYSTEM_TIME")
		n.Before.print(p)
	}
	p.tail(n.Where, n.OrderBy, n.Limit)
	p.returning(n.Returning)
}

func (n *Load) print(p *printer) {
	if n.XML {
		p.word("LOAD XML")
	} else {
		p.word("LOAD DATA")
	}
	p.words(n.Priority.String())
	p.when(n.Local, "LOCAL")
	p.word("INFILE")
	p.text(n.File)
	p.when(n.Replace, "REPLACE")
	p.when(n.Ignore, "IGNORE")
	p.word("INTO TABLE")
	n.Table.print(p)
	p.partition(n.Partitions)
	if n.Charset != "" {
		p.words("CHARACTER SET", n.Charset)
	}
	if n.RowTag != nil {
		p.word("ROWS IDENTIFIED BY")
		n.RowTag.print(p)
	}
	n.Format.print(p)
	if n.Skip != nil {
		p.word("IGNORE")
		n.Skip.print(p)
		p.word("LINES")
	}
	if n.Fields != nil {
		parens(p, n.Fields)
	}
	p.assignments("SET", n.Set)
}

func (n *CallRoutine) print(p *printer) {
	p.word("CALL")
	qualify(p, n.DB, n.Package)
	n.Name.print(p)
	parens(p, n.Args)
}

func (n *Do) print(p *printer) {
	p.word("DO")
	list(p, n.Items)
}

func (n *HandlerOpen) print(p *printer) {
	p.word("HANDLER")
	n.Table.print(p)
	p.word("OPEN")
	p.alias(n.Alias)
}

func (n *HandlerClose) print(p *printer) {
	p.word("HANDLER")
	n.Table.print(p)
	p.word("CLOSE")
}

func (n *HandlerRead) print(p *printer) {
	p.word("HANDLER")
	n.Table.print(p)
	p.word("READ")
	if n.Index != nil {
		n.Index.print(p)
	}
	if n.Op != 0 {
		p.word(n.Op.String())
		parens(p, n.Key)
	} else {
		p.word(n.Step)
	}
	p.clause("WHERE", n.Where)
	if n.Limit != nil {
		n.Limit.print(p)
	}
}
