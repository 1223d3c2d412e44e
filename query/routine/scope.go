package routine

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/types"
)

// variable is a variable or parameter of a procedure. Its value has the form in which columns of its type keep it.
type variable struct {
	name  string
	t     types.Type
	value types.Value
}

// scope is what a block declares, in the blocks around it.
type scope struct {
	outer      *scope
	variables  map[string]*variable // by names in small letters, those of a FOR loop's rows as "row.column"
	conditions map[string]condition
	cursors    map[string]*cursor
	handlers   []*handler
	// handling is, of what a handler runs, the block that has declared it.
	handling *scope
}

func inner(outer *scope) *scope { return &scope{outer: outer} }

func (s *scope) declare(v *variable) {
	if s.variables == nil {
		s.variables = map[string]*variable{}
	}
	s.variables[strings.ToLower(v.name)] = v
}

// variable is that of a name; nil for none.
func (s *scope) variable(name string) *variable {
	name = strings.ToLower(name)
	for ; s != nil; s = s.outer {
		if v := s.variables[name]; v != nil {
			return v
		}
	}
	return nil
}

// named is the variable that a name in an expression means; nil: it means a column.
func (s *scope) named(n *tree.ColumnRef) *variable {
	switch {
	case n.DB.Text != "":
		return nil
	case n.Table.Text != "":
		return s.variable(n.Table.Text + "." + n.Name.Text)
	}
	return s.variable(n.Name.Text)
}

func (s *scope) cursor(name string) *cursor {
	for ; s != nil; s = s.outer {
		if c := s.cursors[strings.ToLower(name)]; c != nil {
			return c
		}
	}
	return nil
}

func (s *scope) condition(name string) (c condition, ok bool) {
	for ; s != nil && !ok; s = s.outer {
		c, ok = s.conditions[strings.ToLower(name)]
	}
	return c, ok
}
