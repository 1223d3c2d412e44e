package facts

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// query goes through a query. The names of its WITH end with it.
func (c *collector) query(q tree.Query) {
	before := len(c.expressions)
	c.lock(q)
	c.below(q)
	c.expressions = c.expressions[:before]
}

// with goes through the queries of a WITH clause. Each sees the names before it, and all names if it is RECURSIVE.
func (c *collector) with(n *tree.With) {
	if n.Recursive {
		for _, t := range n.Tables {
			c.expressions = append(c.expressions, t.Name.Text)
		}
	}
	for _, t := range n.Tables {
		c.query(t.Query)
		if !n.Recursive {
			c.expressions = append(c.expressions, t.Name.Text)
		}
	}
}

// isExpression reports whether a name is that of a common table expression here. Their names are compared without regard to case.
func (c *collector) isExpression(name string) bool {
	for _, e := range c.expressions {
		if strings.EqualFold(e, name) {
			return true
		}
	}
	return false
}

// clause is the lock clause behind a query, nil: none.
func clause(q tree.Query) *tree.Lock {
	switch q := q.(type) {
	case *tree.Select:
		return q.Lock
	case *tree.Values:
		return q.Lock
	case *tree.SetOperation:
		return q.Lock
	case *tree.Nested:
		return q.Lock
	}
	return nil
}

// lock marks the tables that the lock clause of a query means: those of its FROM clause, and not of queries in there. Behind a set operation
// it is the clause of the last SELECT, if that is no part of an INTERSECT before which there are other operations. So a real server does, by the
// locks that it takes.
func (c *collector) lock(q tree.Query) {
	l := clause(q)
	if l == nil {
		return
	}
	if s, ok := q.(*tree.SetOperation); ok {
		q = s.Rest[len(s.Rest)-1].Query
	}
	s, ok := q.(*tree.Select)
	if !ok {
		return
	}
	use := ReadExclusive
	if l.Share {
		use = ReadShared
	}
	for _, t := range tables(s.From) {
		c.mark(t, use, l)
	}
}

// tables are those of a FROM clause by their names, without those of queries in it.
func tables(from []tree.TableRef) (all []*tree.Table) {
	var visit func(tree.TableRef)
	visit = func(t tree.TableRef) {
		switch t := t.(type) {
		case *tree.Table:
			all = append(all, t)
		case *tree.Join:
			visit(t.Left)
			visit(t.Right)
		}
	}
	for _, t := range from {
		visit(t)
	}
	return all
}
