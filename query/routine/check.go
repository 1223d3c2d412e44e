package routine

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Check finds out what is wrong with a procedure that is about to be made, besides what the grammar says: types of variables that are not there, LIMIT
// of other variables than integers (1691), a view that names a variable (1351), SIGNAL of a condition that is a number (1646).
func Check(n *tree.CreateRoutine, database *charset.Collation) error {
	c := &checker{database: database, variables: map[string]types.Kind{}, numbers: map[string]bool{}}
	for _, p := range n.Params {
		c.variable(p.Name.Text, p.Type)
	}
	tree.Walk(n.Body, func(n tree.Node) bool {
		c.visit(n)
		return c.err == nil
	})
	return c.err
}

// IntoBehind counts the SELECTs of a procedure whose INTO stands behind other clauses, of which MariaDB warns (1287).
func IntoBehind(n *tree.CreateRoutine) (count int) {
	tree.Walk(n.Body, func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok && s.Into != nil && len(s.From) > 0 && s.Into.Place().Start > s.From[0].Place().Start {
			count++
		}
		return true
	})
	return count
}

type checker struct {
	database  *charset.Collation
	variables map[string]types.Kind // of a name that stands for several, the last one's
	numbers   map[string]bool       // conditions that are numbers
	err       error
}

func (c *checker) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *checker) variable(name string, declared *tree.VariableType) {
	t, err := typeOf(declared, c.database)
	if err != nil {
		c.fail(err)
	}
	c.variables[strings.ToLower(name)] = t.Kind
}

func (c *checker) visit(n tree.Node) {
	switch n := n.(type) {
	case *tree.DeclareVariables:
		for _, name := range n.Names {
			c.variable(name.Text, n.Type)
		}
	case *tree.DeclareCondition:
		c.numbers[strings.ToLower(n.Name.Text)] = n.Value.Errno != ""
	case *tree.Signal:
		if n.Condition != nil && c.numbers[strings.ToLower(n.Condition.Name.Text)] {
			c.fail(mysqlerr.New(mysqlerr.SignalBadConditionType))
		}
	case *tree.View:
		c.view(n)
	case *tree.Limit:
		for _, x := range []tree.Expr{n.Count, n.Offset} {
			if ref, ok := x.(*tree.ColumnRef); ok {
				if kind, known := c.variables[strings.ToLower(ref.Name.Text)]; known && !kind.Integer() {
					c.fail(mysqlerr.New(mysqlerr.WrongSPVarTypeInLimit))
				}
			}
		}
	}
}

// view refuses a view that names a variable.
func (c *checker) view(n *tree.View) {
	tree.Walk(n.Query, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok && ref.Table.Text == "" {
			if _, known := c.variables[strings.ToLower(ref.Name.Text)]; known {
				c.fail(mysqlerr.New(mysqlerr.ViewSelectVariable))
			}
		}
		return c.err == nil
	})
}
