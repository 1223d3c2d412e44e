package facts

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// update marks the tables that assignments change: all of them where one does not say whose column it is.
func (c *collector) update(n *tree.Update) {
	all := tables(n.Tables)
	for _, a := range n.Set {
		if a.Column.Table.Text == "" {
			c.write(all)
			return
		}
	}
	for _, a := range n.Set {
		c.write(named(all, a.Column.DB.Text, a.Column.Table.Text))
	}
}

// remove marks the tables that a DELETE removes rows from. Targets are names of what is in FROM.
func (c *collector) remove(n *tree.Delete) {
	all := tables(n.From)
	if n.Targets == nil {
		c.write(all)
		return
	}
	for _, t := range n.Targets {
		c.write(named(all, t.DB.Text, t.Name.Text))
	}
}

func (c *collector) write(tables []*tree.Table) {
	for _, t := range tables {
		c.mark(t, Written, nil)
	}
}

// named are the tables that go by a name: an alias, or the name of a table that has no alias. With a database, the name of the table in it may
// be meant whatever its alias is; that is so without one, too, if there is nothing else of the name.
func named(all []*tree.Table, db, name string) (out []*tree.Table) {
	for _, t := range all {
		if strings.EqualFold(aliasOf(t), name) && (db == "" || t.Name.DB.Text == "" || strings.EqualFold(t.Name.DB.Text, db)) {
			out = append(out, t)
		}
	}
	if out != nil {
		return out
	}
	for _, t := range all {
		if strings.EqualFold(t.Name.Name.Text, name) {
			out = append(out, t)
		}
	}
	return out
}
