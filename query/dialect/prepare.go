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

// Do is DO: expressions whose values nobody wants.
type Do struct{ Expressions string }

func (s Do) String() string { return "DO " + s.Expressions }
