package tree

import "github.com/duramendb/duramen/query/dialect/lex"

// Call is a call of a function by its name. A Keyword is the name, in capitals, of a function that the grammar knows; no stored
// function is called so. DB and Package are empty if none are named.
type Call struct {
	Span
	DB, Package, Name Ident
	Keyword           bool
	Args              []Expr
}

// NamedArg is an argument with a name, which loadable functions can ask for.
type NamedArg struct {
	Span
	X    Expr
	Name Ident
}

// When is one arm of a Case.
type When struct{ If, Then Expr }

// CaseExpr is CASE. X and Else may be nil.
type CaseExpr struct {
	Span
	X     Expr
	Whens []When
	Else  Expr
}

// CastKind is the kind of a CastType.
type CastKind uint8

// The kinds.
const (
	CastBinary CastKind = iota
	CastChar
	CastVarchar
	CastNchar
	CastSigned
	CastUnsigned
	CastDecimal
	CastFloat
	CastDouble
	CastDate
	CastTime
	CastDatetime
	CastInterval // DAY_SECOND
	CastNamed    // by the name of a type that is loaded
)

// CastType is what a value is cast to. Length and Decimals are nil if they are not given.
type CastType struct {
	Span
	Kind             CastKind
	Length, Decimals *uint64
	// Charset and BinaryCollation (the word BINARY) are of CastChar and CastVarchar.
	Charset         string
	BinaryCollation bool
	Collation       string
	Name            Ident // of a CastNamed
}

// Cast is CAST(X AS Type).
type Cast struct {
	Span
	X    Expr
	Type *CastType
}

// ConvertUsing is CONVERT(X USING Charset).
type ConvertUsing struct {
	Span
	X       Expr
	Charset string
}

// Extract is EXTRACT(Unit FROM X).
type Extract struct {
	Span
	Unit Unit
	X    Expr
}

// TrimSide is where TRIM trims.
type TrimSide uint8

// The sides.
const (
	TrimBoth TrimSide = iota
	TrimLeading
	TrimTrailing
)

// Trim is TRIM(Side Chars FROM X). Chars is nil for spaces.
type Trim struct {
	Span
	Side     TrimSide
	Chars, X Expr
}

// CharOf is CHAR(Args USING Charset).
type CharOf struct {
	Span
	Args    []Expr
	Charset string
}

// WeightLevel is a level, or a range of them, of WEIGHT_STRING.
type WeightLevel struct {
	First, Last   uint64
	Desc, Reverse bool
}

// WeightString is WEIGHT_STRING(X AS CHAR(Length) LEVEL ...). Numbers are those of the form with four arguments.
type WeightString struct {
	Span
	X       Expr
	Binary  bool    // AS BINARY
	Length  *uint64 // of AS
	Levels  []WeightLevel
	Numbers []uint64
}

// GetFormat is GET_FORMAT(Type, X).
type GetFormat struct {
	Span
	Type TemporalKind
	X    Expr
}

// TimestampDiff is TIMESTAMPDIFF(Unit, From, To).
type TimestampDiff struct {
	Span
	Unit     Unit
	From, To Expr
}

// MatchMode is how MATCH searches.
type MatchMode uint8

// The modes.
const (
	NaturalLanguage MatchMode = iota
	QueryExpansion
	BooleanMode
)

// Match is MATCH (Columns) AGAINST (Against ...).
type Match struct {
	Span
	Columns []*ColumnRef
	Against Expr
	Mode    MatchMode
}

// ValueOf is VALUE(Column), the value that an INSERT has for it.
type ValueOf struct {
	Span
	Column *ColumnRef
}

// DefaultOf is DEFAULT(Column).
type DefaultOf struct {
	Span
	Column *ColumnRef
}

// SequenceOp is what is done to a sequence.
type SequenceOp uint8

// The operations.
const (
	NextValue SequenceOp = iota
	LastValue
	SetValue
)

// SequenceValue is NEXTVAL, LASTVAL or SETVAL of a sequence. The last has from one to three numbers: value, whether it is used (nil if not given), round.
type SequenceValue struct {
	Span
	Op    SequenceOp
	Name  *TableName
	Value string // with its sign
	Used  Expr
	Round *uint64
}

func (*Call) expr()          {}
func (*NamedArg) expr()      {}
func (*CaseExpr) expr()      {}
func (*Cast) expr()          {}
func (*ConvertUsing) expr()  {}
func (*Extract) expr()       {}
func (*Trim) expr()          {}
func (*CharOf) expr()        {}
func (*WeightString) expr()  {}
func (*GetFormat) expr()     {}
func (*TimestampDiff) expr() {}
func (*Match) expr()         {}
func (*ValueOf) expr()       {}
func (*DefaultOf) expr()     {}
func (*SequenceValue) expr() {}

// plain writes a name, without quotes if it can do without.
func (p *printer) plain(s string) {
	if lex.Plain(s) {
		p.word(s)
	} else {
		p.name(s)
	}
}

// call opens the parenthesis of a function.
func (p *printer) call(name string) {
	p.word(name)
	p.byte('(')
}

func (n *Call) print(p *printer) {
	switch {
	case n.Keyword:
		p.word(n.Name.Text)
	case n.DB.Text != "":
		qualify(p, n.DB, n.Package)
		n.Name.print(p)
	default:
		p.plain(n.Name.Text)
	}
	p.byte('(')
	list(p, n.Args)
	p.byte(')')
}

func (n *NamedArg) print(p *printer) {
	n.X.print(p)
	p.word("AS")
	n.Name.print(p)
}

func (n *CaseExpr) print(p *printer) {
	p.word("CASE")
	if n.X != nil {
		n.X.print(p)
	}
	for _, w := range n.Whens {
		p.word("WHEN")
		w.If.print(p)
		p.word("THEN")
		w.Then.print(p)
	}
	if n.Else != nil {
		p.word("ELSE")
		n.Else.print(p)
	}
	p.word("END")
}

var castKinds = [...]string{"BINARY", "CHAR", "VARCHAR", "NCHAR", "INT", "UNSIGNED INT", "DECIMAL", "FLOAT", "DOUBLE", "DATE", "TIME", "DATETIME",
	"INTERVAL DAY_SECOND", ""}

func (n *CastType) print(p *printer) {
	p.words(castKinds[n.Kind])
	if n.Kind == CastNamed {
		n.Name.print(p)
	}
	if n.Length != nil {
		p.byte('(')
		p.number(*n.Length)
		if n.Decimals != nil {
			p.byte(',')
			p.number(*n.Decimals)
		}
		p.byte(')')
	}
	if n.Charset != "" {
		p.words("CHARACTER SET", n.Charset)
	}
	p.when(n.BinaryCollation, "BINARY")
	printCollate(p, n.Collation)
}

func (n *Cast) print(p *printer) {
	p.call("CAST")
	n.X.print(p)
	p.word("AS")
	switch n.Type.Kind { // by the words that MySQL has, too
	case CastSigned:
		p.word("SIGNED")
	case CastUnsigned:
		p.word("UNSIGNED")
	default:
		n.Type.print(p)
	}
	p.byte(')')
}

func (n *ConvertUsing) print(p *printer) {
	p.call("CONVERT")
	n.X.print(p)
	p.words("USING", n.Charset)
	p.byte(')')
}

func (n *Extract) print(p *printer) {
	p.call("EXTRACT")
	p.words(n.Unit.String(), "FROM")
	n.X.print(p)
	p.byte(')')
}

func (n *Trim) print(p *printer) {
	p.call("TRIM")
	if n.Side != TrimBoth || n.Chars != nil {
		p.word([...]string{"BOTH", "LEADING", "TRAILING"}[n.Side])
		if n.Chars != nil {
			n.Chars.print(p)
		}
		p.word("FROM")
	}
	n.X.print(p)
	p.byte(')')
}

func (n *CharOf) print(p *printer) {
	p.call("CHAR")
	list(p, n.Args)
	if n.Charset != "" {
		p.words("USING", n.Charset)
	}
	p.byte(')')
}

func (n *WeightString) print(p *printer) {
	p.call("WEIGHT_STRING")
	n.X.print(p)
	for _, number := range n.Numbers {
		p.byte(',')
		p.number(number)
	}
	if n.Length != nil {
		if n.Binary {
			p.word("AS BINARY(")
		} else {
			p.word("AS CHAR(")
		}
		p.number(*n.Length)
		p.byte(')')
	}
	for i, l := range n.Levels {
		if i == 0 {
			p.word("LEVEL")
		} else {
			p.byte(',')
		}
		p.number(l.First)
		if l.Last != l.First {
			p.word("-")
			p.number(l.Last)
		}
		p.when(l.Desc, "DESC")
		p.when(l.Reverse, "REVERSE")
	}
	p.byte(')')
}

func (n *GetFormat) print(p *printer) {
	p.call("GET_FORMAT")
	p.word(n.Type.String())
	p.byte(',')
	n.X.print(p)
	p.byte(')')
}

func (n *TimestampDiff) print(p *printer) {
	p.call("TIMESTAMPDIFF")
	p.word(n.Unit.String())
	p.byte(',')
	n.From.print(p)
	p.byte(',')
	n.To.print(p)
	p.byte(')')
}

func (n *Match) print(p *printer) {
	p.word("MATCH")
	parens(p, n.Columns)
	p.word("AGAINST (")
	p.operand(n.Against, BindBitOr)
	switch n.Mode {
	case QueryExpansion:
		p.word("WITH QUERY EXPANSION")
	case BooleanMode:
		p.word("IN BOOLEAN MODE")
	}
	p.byte(')')
}

func (n *ValueOf) print(p *printer) {
	p.call("VALUE")
	n.Column.print(p)
	p.byte(')')
}

func (n *DefaultOf) print(p *printer) {
	p.call("DEFAULT")
	n.Column.print(p)
	p.byte(')')
}

func (n *SequenceValue) print(p *printer) {
	p.call([...]string{"NEXTVAL", "LASTVAL", "SETVAL"}[n.Op])
	n.Name.print(p)
	if n.Op == SetValue {
		p.byte(',')
		p.word(n.Value)
		if n.Used != nil {
			p.byte(',')
			n.Used.print(p)
		}
		if n.Round != nil {
			p.byte(',')
			p.number(*n.Round)
		}
	}
	p.byte(')')
}
