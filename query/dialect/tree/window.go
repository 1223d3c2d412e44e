package tree

// Unit is a unit of time.
type Unit uint8

// The units.
const (
	UnitYear Unit = iota + 1
	UnitQuarter
	UnitMonth
	UnitWeek
	UnitDay
	UnitHour
	UnitMinute
	UnitSecond
	UnitMicrosecond
	UnitYearMonth
	UnitDayHour
	UnitDayMinute
	UnitDaySecond
	UnitDayMicrosecond
	UnitHourMinute
	UnitHourSecond
	UnitHourMicrosecond
	UnitMinuteSecond
	UnitMinuteMicrosecond
	UnitSecondMicrosecond
)

// String is the unit as it is written.
func (u Unit) String() string {
	return [...]string{"", "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND", "YEAR_MONTH", "DAY_HOUR", "DAY_MINUTE",
		"DAY_SECOND", "DAY_MICROSECOND", "HOUR_MINUTE", "HOUR_SECOND", "HOUR_MICROSECOND", "MINUTE_SECOND", "MINUTE_MICROSECOND",
		"SECOND_MICROSECOND"}[u]
}

// Aggregate is a function over rows: an aggregate, or one of windows. Name is in capitals.
type Aggregate struct {
	Span
	Name     string
	Distinct bool
	Args     []Expr // an AllColumns for COUNT(*)
	// OrderBy, Separator (nil: a comma) and Limit are of GROUP_CONCAT; the first and last of JSON_ARRAYAGG, too.
	OrderBy   []*Order
	Separator *TextLit
	Limit     *Limit
	Within    *Order // WITHIN GROUP (ORDER BY ...)
	Over      *Over
}

// Over is the window of a function: one of WINDOW's by its Name, or Window.
type Over struct {
	Span
	Name   *Ident
	Window *Window
}

// Window is how a window is made, out of the one named Base if that is not nil.
type Window struct {
	Span
	Base        *Ident
	PartitionBy []*Order
	OrderBy     []*Order
	Frame       *Frame
}

// NamedWindow is one of the clause WINDOW.
type NamedWindow struct {
	Span
	Name   Ident
	Window *Window
}

// BoundKind is the kind of a Bound.
type BoundKind uint8

// The kinds, in the order of the rows they mean.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Bound is where a frame begins or ends. Distance is of Preceding and Following.
type Bound struct {
	Span
	Kind     BoundKind
	Distance Expr
}

// Exclusion is what a frame leaves out.
type Exclusion uint8

// The exclusions.
const (
	ExcludeNothing Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is the frame of a window. Without an End it ends at the current row.
type Frame struct {
	Span
	Range      bool // RANGE, else ROWS
	Start, End *Bound
	Exclude    Exclusion
}

func (*Aggregate) expr() {}

func (n *Aggregate) print(p *printer) {
	p.call(n.Name)
	p.when(n.Distinct, "DISTINCT")
	list(p, n.Args)
	p.orderBy(n.OrderBy)
	if n.Separator != nil {
		p.word("SEPARATOR")
		n.Separator.print(p)
	}
	if n.Limit != nil {
		n.Limit.print(p)
	}
	p.byte(')')
	if n.Within != nil {
		p.word("WITHIN GROUP (ORDER BY")
		n.Within.print(p)
		p.byte(')')
	}
	if n.Over != nil {
		n.Over.print(p)
	}
}

func (n *Over) print(p *printer) {
	p.word("OVER")
	if n.Name != nil {
		n.Name.print(p)
		return
	}
	n.Window.print(p)
}

func (n *Window) print(p *printer) {
	p.word("(")
	if n.Base != nil {
		n.Base.print(p)
	}
	if n.PartitionBy != nil {
		p.word("PARTITION BY")
		list(p, n.PartitionBy)
	}
	p.orderBy(n.OrderBy)
	if n.Frame != nil {
		n.Frame.print(p)
	}
	p.byte(')')
}

func (n *NamedWindow) print(p *printer) {
	n.Name.print(p)
	p.word("AS")
	n.Window.print(p)
}

func (n *Frame) print(p *printer) {
	if n.Range {
		p.word("RANGE")
	} else {
		p.word("ROWS")
	}
	p.when(n.End != nil, "BETWEEN")
	n.Start.print(p)
	if n.End != nil {
		p.word("AND")
		n.End.print(p)
	}
	p.words([...]string{"", "EXCLUDE CURRENT ROW", "EXCLUDE GROUP", "EXCLUDE TIES"}[n.Exclude])
}

func (n *Bound) print(p *printer) {
	if n.Distance != nil {
		n.Distance.print(p)
	}
	p.word([...]string{"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[n.Kind])
}

// Order is one of ORDER BY, GROUP BY or PARTITION BY.
type Order struct {
	Span
	X    Expr
	Desc bool
}

func (n *Order) print(p *printer) {
	n.X.print(p)
	p.when(n.Desc, "DESC")
}

// orderBy writes an ORDER BY if there is one.
func (p *printer) orderBy(orders []*Order) {
	if orders != nil {
		p.word("ORDER BY")
		list(p, orders)
	}
}

// Limit is LIMIT in any of its forms. All of it may be nil.
type Limit struct {
	Span
	Count, Offset Expr
	WithTies      bool
	Examined      Expr // LIMIT ROWS EXAMINED
}

func (n *Limit) print(p *printer) {
	switch {
	case n.WithTies:
		if n.Offset != nil {
			p.word("OFFSET")
			n.Offset.print(p)
			p.word("ROWS")
		}
		p.word("FETCH FIRST")
		n.Count.print(p)
		p.word("ROWS WITH TIES")
		return
	case n.Count != nil:
		p.word("LIMIT")
		if n.Offset != nil && n.Offset.Place().Start < n.Count.Place().Start {
			n.Offset.print(p)
			p.byte(',')
			n.Count.print(p)
			break
		}
		n.Count.print(p)
		if n.Offset != nil {
			p.word("OFFSET")
			n.Offset.print(p)
		}
	case n.Offset != nil:
		p.word("OFFSET")
		n.Offset.print(p)
		p.word("ROWS")
		return
	default:
		p.word("LIMIT")
	}
	if n.Examined != nil {
		p.word("ROWS EXAMINED")
		n.Examined.print(p)
	}
}
