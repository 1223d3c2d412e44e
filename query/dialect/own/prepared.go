package own

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// prepared is the value of a statement about prepared statements, and of DO.
func (t text) prepared(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.Prepare:
		from, err := operandOf(n.Text)
		return dialect.Prepare{Name: n.Name.Text, From: from}, err
	case *tree.Execute:
		values, err := operands(n.Using)
		return dialect.Execute{Name: n.Name.Text, Using: values}, err
	case *tree.ExecuteImmediate:
		from, err := operandOf(n.Text)
		if err != nil {
			return nil, err
		}
		values, err := operands(n.Using)
		return dialect.ExecuteImmediate{From: from, Using: values}, err
	case *tree.Deallocate:
		return dialect.Deallocate{Name: n.Name.Text}, nil
	case *tree.Do:
		return dialect.Do{Expressions: t.from(n.Items[0], n.Span)}, nil
	}
	return nil, nil
}

// operandOf is where the text of a statement stands, which may be a number. MariaDB takes any expression.
func operandOf(e tree.Expr) (dialect.Operand, error) {
	o, err := operand(e)
	switch {
	case err != nil || o.Kind == dialect.NullOperand:
		return o, notYet("the text of a statement that is no literal and no variable")
	case o.Kind == dialect.NumberOperand:
		o.Kind = dialect.StringOperand
	}
	return o, nil
}

func operands(all []tree.Expr) ([]dialect.Operand, error) {
	var out []dialect.Operand
	for _, e := range all {
		o, err := operand(e)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// operand is a literal or a user variable. MariaDB takes any expression.
func operand(e tree.Expr) (dialect.Operand, error) {
	switch e := e.(type) {
	case *tree.TextLit:
		if e.Charset == "" && !e.National {
			return dialect.Operand{Kind: dialect.StringOperand, Text: e.Value}, nil
		}
	case *tree.NumberLit:
		if e.Kind == tree.IntegerNumber {
			return dialect.Operand{Kind: dialect.NumberOperand, Text: e.Text}, nil
		}
	case *tree.NullLit:
		return dialect.Operand{}, nil
	case *tree.UserVariable:
		return dialect.Operand{Kind: dialect.VariableOperand, Text: e.Name}, nil
	case *tree.SystemVariable:
		return dialect.Operand{}, notYet("a system variable as the value of a placeholder")
	}
	return dialect.Operand{}, notYet("an expression as the value of a placeholder")
}
