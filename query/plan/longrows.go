package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// LongRows are the rows of an INSERT whose text is long: they are read again whenever they are needed, so that no more than one of them takes memory.
type LongRows struct {
	tree.LeftOut
	// Each calls a function with the rows one by one, until it has an error.
	Each func(func(*tree.Row) error) error
}

// longRows binds rows to find what is wrong about one of them, and again one by one when the statement runs.
func (c *inserting) longRows(long *LongRows) error {
	defer c.bindsRows()()
	c.lends = true
	var err error
	if long.Plain && long.Width == len(c.p.Columns) && c.takesPlain() {
		c.p.Count = long.Count
	} else {
		slots := c.b.Slots()
		err = long.Each(func(n *tree.Row) error {
			c.p.Count++
			_, err := c.longRow(n, slots)
			if len(c.b.Scratch.Diag.Conditions) > 0 && err == nil {
				err = bind.Refusal("a constant with a warning")
			}
			return err
		})
	}
	c.p.Each = func(do func([]Cell) error) error {
		defer c.bindsRows()()
		slots := c.b.Slots()
		return long.Each(func(n *tree.Row) error {
			c.b.Scratch.Reset()
			row, err := c.longRow(n, slots)
			if err != nil {
				return err
			}
			return do(row)
		})
	}
	return err
}

// takesPlain reports whether binding finds nothing wrong about rows of plain literals, whatever they are: they have to be bound when they are stored only.
func (c *inserting) takesPlain() bool {
	c.p.Count = 1 // the first row is the one that is asked most of
	defer func() {
		c.p.Count = 0
		clear(c.assigners)
		clear(c.plainAssigners)
	}()
	for _, at := range c.p.Columns {
		for _, x := range [...]tree.Expr{
			&tree.NumberLit{Kind: tree.IntegerNumber, Text: "1"}, &tree.TextLit{Value: "a"}, &tree.TextLit{Value: "ä"}, &tree.NullLit{},
		} {
			if _, ok, err := c.plain(at, x); !ok || err != nil {
				return false
			}
		}
	}
	return len(c.b.Scratch.Diag.Conditions) == 0
}

// assignersMost is how many assigners are kept while rows come one by one: there is one for each length of texts.
const assignersMost = 4096

func (c *inserting) longRow(n *tree.Row, slots int) ([]Cell, error) {
	if !slices.ContainsFunc(n.Items, func(x tree.Expr) bool { return !tree.Plain(x) }) {
		return c.row(n)
	}
	if bind.Assigned(n) != nil {
		return nil, bind.Refusal("a user variable that a change sets")
	}
	if len(c.assigners) > assignersMost {
		clear(c.assigners)
	}
	c.b.Rewind(slots, c.b.Scratch)
	return c.row(n)
}

// bindsRows makes names mean what they do in rows, until what it returns is called.
func (c *inserting) bindsRows() func() {
	c.in("VALUES", nil)
	c.scope.source = 1
	c.b.Default = c.defaultOf
	return func() { c.scope.source, c.b.Default = 0, nil }
}
