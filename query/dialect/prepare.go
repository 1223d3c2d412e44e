package dialect

import "strings"

// Prepare is PREPARE.
type Prepare struct {
	Name string
	From Operand // a string or a variable
}

func (s Prepare) String() string { return "PREPARE " + QuoteName(s.Name) + " FROM " + s.From.text() }

// Execute is EXECUTE of a prepared statement.
type Execute struct {
	Name  string
	Using []Operand
}

func (s Execute) String() string { return words("EXECUTE", QuoteName(s.Name), usingText(s.Using)) }

// ExecuteImmediate is EXECUTE IMMEDIATE.
type ExecuteImmediate struct {
	From  Operand // a string or a variable
	Using []Operand
}

func (s ExecuteImmediate) String() string {
	return words("EXECUTE IMMEDIATE", s.From.text(), usingText(s.Using))
}

// Deallocate is DEALLOCATE PREPARE and DROP PREPARE.
type Deallocate struct{ Name string }

func (s Deallocate) String() string { return "DEALLOCATE PREPARE " + QuoteName(s.Name) }

// Operand is a value as statements about prepared statements name it.
type Operand struct {
	Kind OperandKind
	Text string // of a string, its value; of a variable, its name
}

// OperandKind says what an operand is.
type OperandKind byte

// The kinds of operands.
const (
	NullOperand OperandKind = iota
	StringOperand
	NumberOperand
	VariableOperand
)

func (o Operand) text() string {
	switch o.Kind {
	case StringOperand:
		return QuoteString(o.Text)
	case VariableOperand:
		return "@" + o.Text
	case NumberOperand:
		return o.Text
	}
	return "NULL"
}

func usingText(list []Operand) string {
	if list == nil {
		return ""
	}
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = o.text()
	}
	return "USING " + strings.Join(out, ", ")
}

// operand takes a literal or a user variable. MariaDB takes any expression.
func (p *Parser) operand() (Operand, error) {
	t := p.Peek()
	o := Operand{Kind: StringOperand, Text: t.Text}
	name, isVariable := strings.CutPrefix(t.Text, "@")
	switch {
	case t.Kind == String:
	case t.Kind != Word:
		return o, p.Syntax()
	case strings.HasPrefix(name, "@"):
		return o, notYet("a system variable as the value of a placeholder")
	case isVariable && name != "":
		o = Operand{VariableOperand, name}
	case IsNumber(t.Text):
		o.Kind = NumberOperand
	case t.Is("NULL"):
		o = Operand{}
	default:
		return o, p.Syntax()
	}
	p.Pos++
	return o, nil
}

// source takes where the text of a statement stands: a string or a user variable.
func (p *Parser) source() (Operand, error) {
	at := p.Pos
	o, err := p.operand()
	if err == nil && o.Kind != StringOperand && o.Kind != VariableOperand {
		p.Pos = at
		err = p.Syntax()
	}
	return o, err
}

// using takes [USING value, ...], which ends a statement.
func (p *Parser) using() ([]Operand, error) {
	var out []Operand
	for first := p.Accept("USING"); first || len(out) > 0 && p.Accept(","); first = false {
		o, err := p.operand()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, p.Done()
}

// parsePrepare is PREPARE name FROM {'text' | @variable}.
func parsePrepare(p *Parser) (Statement, error) {
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	if !p.Accept("FROM") {
		return nil, p.Syntax()
	}
	from, err := p.source()
	if err != nil {
		return nil, err
	}
	return Prepare{name, from}, p.Done()
}

// parseExecute is EXECUTE {name | IMMEDIATE {'text' | @variable}} [USING value, ...].
func parseExecute(p *Parser) (Statement, error) {
	if p.Accept("IMMEDIATE") {
		if p.End() { // a name, too
			return Execute{Name: "IMMEDIATE"}, nil
		}
		from, err := p.source()
		if err != nil {
			return nil, err
		}
		using, err := p.using()
		return ExecuteImmediate{from, using}, err
	}
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	using, err := p.using()
	return Execute{name, using}, err
}

// parseDeallocate is {DEALLOCATE | DROP} PREPARE name.
func parseDeallocate(p *Parser) (Statement, error) {
	if !p.Accept("PREPARE") {
		return nil, p.Syntax()
	}
	name, err := p.lastName()
	return Deallocate{name}, err
}

// Do is DO: expressions whose values nobody wants.
type Do struct{ Expressions string }

func (s Do) String() string { return "DO " + s.Expressions }

// parseDo is DO expression, ...
func parseDo(p *Parser) (Statement, error) {
	list, err := p.remainder()
	return Do{list}, err
}
