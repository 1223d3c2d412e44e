package plan

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// returning binds the columns of the result of a statement that changes rows, over the row that it has added or deleted, and notes the columns
// of the table that they read in the scope.
func (c *compiler) returning(list []*tree.SelectItem) ([]*Item, error) {
	if list == nil {
		return nil, nil
	}
	c.allow(false)
	c.in("RETURNING", nil)
	return c.items(list)
}

// returning is RETURNING of an INSERT.
func (c *inserting) returning(list []*tree.SelectItem) (err error) {
	c.p.Used = map[int]bool{}
	c.scope.used = c.p.Used
	defer func() { c.scope.used = nil }()
	if c.p.Returning, err = c.compiler.returning(list); err != nil || c.p.Rules == nil || c.p.Auto < 0 {
		return err
	}
	for i := range c.p.Rules.Generated {
		g := &c.p.Rules.Generated[i]
		c.p.Early = c.p.Early || g.Late && c.p.Used[g.Column]
	}
	if c.p.Early && c.replaces {
		return mysqlerr.Never("RETURNING of a column that is made of the AUTO_INCREMENT value, of what may change other rows")
	}
	return nil
}
