package facts

import "github.com/duramendb/duramen/query/dialect/tree"

// statement adds the tables that a statement names itself, and goes through what is in it.
func (c *collector) statement(s tree.Statement) {
	switch n := s.(type) {
	case tree.Query:
		c.query(n)
		return
	case *tree.SetStatement:
		each(c, n.Items...)
		c.statement(n.Statement)
		return
	case *tree.Explain:
		c.statement(n.Statement)
		return
	case *tree.CreateTable:
		c.create(n)
		return
	case *tree.Insert:
		c.add(n.Table, Written)
		c.addRows()
	case *tree.Load:
		c.add(n.Table, Written)
	case *tree.Update:
		c.update(n)
	case *tree.Delete:
		c.remove(n)
	case *tree.Truncate:
		c.add(n.Table, Written)
	case *tree.HandlerOpen:
		c.addAs(n.Table, n.Alias, Read)
	case *tree.HandlerRead, *tree.HandlerClose: // by the name that OPEN gave it
	case *tree.LockTables:
		for _, t := range n.Tables {
			c.addAs(t.Name, t.Alias, Locked)
		}
	default:
		if c.program(s) {
			return
		}
		c.definition(s)
		c.server(s)
	}
	c.below(s)
}

// create adds the tables of CREATE TABLE, of which only the query is run.
func (c *collector) create(n *tree.CreateTable) {
	c.add(n.Name, Created)
	c.add(n.Like, Named)
	c.weak = true
	each(c, n.Elements...)
	each(c, n.Options...)
	each(c, n.Partitioning)
	c.weak = false
	if n.Query != nil {
		c.query(n.Query)
	}
}

// program adds the table of a trigger, and reports whether a statement has a body, or is a part of one.
func (c *collector) program(s tree.Statement) bool {
	switch n := s.(type) {
	case *tree.CreateTrigger:
		c.add(n.Table, Altered)
		return true
	case *tree.CreateRoutine, *tree.Event, *tree.Block, *tree.If, *tree.Case, *tree.Loop, *tree.For:
		return true
	}
	return false
}

// definition adds the tables that a statement defines.
func (c *collector) definition(s tree.Statement) {
	switch n := s.(type) {
	case *tree.Sequence:
		c.add(n.Name, created(n.Alter))
	case *tree.View:
		c.add(n.Name, created(n.Alter))
		c.weak = true
	case *tree.AlterTable:
		c.add(n.Name, Altered)
		c.weak = true
	case *tree.CreateIndex:
		c.add(n.Table, Altered)
	case *tree.DropIndex:
		c.add(n.Table, Altered)
	case *tree.RenameTables:
		for _, p := range n.Pairs {
			c.add(p.Old, Altered)
			c.add(p.New, Created)
		}
	case *tree.Drop:
		switch n.What {
		case "TABLE", "VIEW", "SEQUENCE":
			for _, name := range n.Names {
				c.add(name, Dropped)
			}
		}
	}
}

// created is what a statement does that either creates or alters.
func created(alter bool) Use {
	if alter {
		return Altered
	}
	return Created
}

// action adds the further tables of ALTER TABLE.
func (c *collector) action(a tree.Action) {
	switch n := a.(type) {
	case *tree.RenameTo:
		c.add(n.Name, Created)
	case *tree.ExchangePartition:
		c.add(n.Table, Altered)
	case *tree.ConvertPartition:
		c.add(n.Table, Created)
	case *tree.ConvertTable:
		c.add(n.Table, Dropped)
	}
}

// server adds the tables of statements about the server.
func (c *collector) server(s tree.Statement) {
	switch n := s.(type) {
	case *tree.Maintain:
		for _, t := range n.Tables {
			c.add(t.Table, Maintained)
		}
	case *tree.KeyCache:
		for _, t := range n.Tables {
			c.add(t.Table, Maintained)
		}
	case *tree.Flush:
		use := Named
		if n.Lock != "" {
			use = Locked
		}
		for _, t := range n.Tables {
			c.add(t, use)
		}
	case *tree.Backup:
		c.add(n.Table, Locked)
	case *tree.Describe:
		c.add(n.Table, Named)
	case *tree.Show:
		switch n.What {
		case "COLUMNS", "INDEX", "CREATE TABLE", "CREATE VIEW", "CREATE SEQUENCE":
			name := *n.Object
			if n.DB.Text != "" {
				name.DB = n.DB
			}
			c.add(&name, Named)
		}
	case *tree.Grant:
		if on := n.On; on != nil && on.What == "" && !on.AllDBs && !on.AllTables {
			c.add(&tree.TableName{Span: on.Span, DB: on.DB, Name: on.Name}, Named)
		}
	}
}
