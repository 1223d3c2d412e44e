package tree

// RoutineKind is the kind of a stored routine.
type RoutineKind uint8

// The kinds.
const (
	Procedure RoutineKind = iota
	Function
	AggregateFunction
)

var routineWords = [...]string{Procedure: "PROCEDURE", Function: "FUNCTION", AggregateFunction: "AGGREGATE FUNCTION"}

// CreateRoutine is CREATE PROCEDURE and CREATE FUNCTION.
type CreateRoutine struct {
	Span
	OrReplace, IfNotExists bool
	Kind                   RoutineKind
	Definer                *Account
	Name                   *TableName
	Params                 []*Param
	Returns                *VariableType // of a function
	Characteristics        []*Option
	Body                   Statement
}

// AlterRoutine is ALTER PROCEDURE and ALTER FUNCTION.
type AlterRoutine struct {
	Span
	Kind            RoutineKind
	Name            *TableName
	Characteristics []*Option
}

// CreateLibraryFunction is CREATE FUNCTION ... SONAME. Returns is STRING, REAL, INT or DECIMAL.
type CreateLibraryFunction struct {
	Span
	OrReplace, IfNotExists bool
	Aggregate              bool
	Name                   Ident
	Returns                string
	Library                string
}

// Param is a parameter of a routine or a cursor. Mode is IN, OUT, INOUT; empty: not said.
type Param struct {
	Span
	Mode string
	Name Ident
	Type *VariableType
}

// VariableType is the type of a variable or parameter: a data type, TYPE OF a column, ROW TYPE OF a table, ROW with fields.
type VariableType struct {
	Span
	Type    *DataType
	TypeOf  []Ident
	RowType bool // ROW TYPE OF
	Fields  []*Param
}

// CreateTrigger is CREATE TRIGGER. Time is BEFORE or AFTER, Event INSERT, UPDATE or DELETE; Order is FOLLOWS, PRECEDES or nothing.
type CreateTrigger struct {
	Span
	OrReplace, IfNotExists bool
	Definer                *Account
	Name                   *TableName
	Time, Event            string
	Table                  *TableName
	Order                  string
	Anchor                 Ident
	Body                   Statement
}

// Event is CREATE EVENT or ALTER EVENT.
type Event struct {
	Span
	Alter                  bool
	OrReplace, IfNotExists bool
	Definer                *Account
	Name                   *TableName
	Schedule               *Schedule
	Completion             string // PRESERVE, NOT PRESERVE or nothing
	Rename                 *TableName
	Status                 string // ENABLE, DISABLE, DISABLE ON SLAVE or nothing
	Comment                *string
	Body                   Statement
}

// Schedule is AT a time, or EVERY interval.
type Schedule struct {
	Span
	At           Expr
	Every        Expr
	Unit         string
	Starts, Ends Expr
}

func (*CreateRoutine) statement()         {}
func (*AlterRoutine) statement()          {}
func (*CreateLibraryFunction) statement() {}
func (*CreateTrigger) statement()         {}
func (*Event) statement()                 {}

func (n *CreateRoutine) print(p *printer) {
	printCreate(p, n.OrReplace)
	printDefiner(p, n.Definer)
	p.word(routineWords[n.Kind])
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	parens(p, n.Params)
	if n.Returns != nil {
		p.word("RETURNS")
		n.Returns.print(p)
	}
	printOptions(p, n.Characteristics)
	n.Body.print(p)
}

func (n *AlterRoutine) print(p *printer) {
	p.words("ALTER", routineWords[n.Kind])
	n.Name.print(p)
	printOptions(p, n.Characteristics)
}

func (n *CreateLibraryFunction) print(p *printer) {
	printCreate(p, n.OrReplace)
	p.when(n.Aggregate, "AGGREGATE")
	p.word("FUNCTION")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	p.words("RETURNS", n.Returns)
	p.word("SONAME")
	p.text(n.Library)
}

func (n *Param) print(p *printer) {
	p.words(n.Mode)
	n.Name.print(p)
	n.Type.print(p)
}

func (n *VariableType) print(p *printer) {
	switch {
	case n.TypeOf != nil:
		p.when(n.RowType, "ROW")
		p.word("TYPE OF")
		printPath(p, n.TypeOf)
	case n.Fields != nil:
		p.word("ROW")
		parens(p, n.Fields)
	default:
		n.Type.print(p)
	}
}

func (n *CreateTrigger) print(p *printer) {
	printCreate(p, n.OrReplace)
	printDefiner(p, n.Definer)
	p.word("TRIGGER")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	p.words(n.Time, n.Event, "ON")
	n.Table.print(p)
	p.word("FOR EACH ROW")
	after(p, n.Order, &n.Anchor)
	n.Body.print(p)
}

func (n *Event) print(p *printer) {
	if n.Alter {
		p.word("ALTER")
	} else {
		printCreate(p, n.OrReplace)
	}
	printDefiner(p, n.Definer)
	p.word("EVENT")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	if n.Schedule != nil {
		n.Schedule.print(p)
	}
	if n.Completion != "" {
		p.words("ON COMPLETION", n.Completion)
	}
	if n.Rename != nil {
		p.word("RENAME TO")
		n.Rename.print(p)
	}
	p.words(n.Status)
	comment(p, "COMMENT", n.Comment)
	if n.Body != nil {
		p.word("DO")
		n.Body.print(p)
	}
}

func (n *Schedule) print(p *printer) {
	p.word("ON SCHEDULE")
	if n.At != nil {
		p.word("AT")
		n.At.print(p)
		return
	}
	p.word("EVERY")
	n.Every.print(p)
	p.word(n.Unit)
	if n.Starts != nil {
		p.word("STARTS")
		n.Starts.print(p)
	}
	if n.Ends != nil {
		p.word("ENDS")
		n.Ends.print(p)
	}
}
