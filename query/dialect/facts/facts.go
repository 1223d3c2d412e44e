package facts

import "github.com/duramendb/duramen/query/dialect/tree"

// Use is what a statement does with a table.
type Use uint8

// The uses, from weak to strong.
const (
	Named         Use = iota // its definition is looked at, or its name is kept in one: SHOW, GRANT, CREATE VIEW, REFERENCES
	Read                     // its rows
	ReadShared               // with a lock clause
	ReadExclusive            // with a lock clause
	Locked                   // LOCK TABLES, FLUSH TABLES WITH READ LOCK
	Maintained               // ANALYZE TABLE and its like
	Written                  // rows are added, changed or removed, all of them among these
	Created
	Altered // renaming is altering one table and creating another
	Dropped
)

func (u Use) String() string {
	return [...]string{"named", "read", "read for share", "read for update", "locked", "maintained", "written", "created", "altered", "dropped"}[u]
}

// Table is one mention of a table.
type Table struct {
	Name  *tree.TableName
	Alias string // what the statement calls it: the name of the table if it has no other
	Use   Use
	// Lock is the clause of a table that is read with locks.
	Lock *tree.Lock
}

// Facts are those of one statement. They share parts of its tree.
type Facts struct {
	Kind Kind
	// Tables are in the order of the text, with one entry for each mention. An UPDATE of several tables that does not say which one a
	// column belongs to has all of them as Written. EXPLAIN has those of its statement, with what that would do.
	Tables []Table
	// Functions are calls of functions by a name that is no keyword: built-in ones, loadable ones and stored ones.
	Functions []*tree.Call
	// Lock is the lock clause of the query that the statement is, nil: none.
	Lock *tree.Lock

	Placeholders    int
	Aggregates      bool // functions of groups, with a window or not
	Windows         bool // functions with OVER
	Subqueries      bool // queries where a value, a row or a list of values stands, and after FROM
	UserVariables   bool // @a is read, or gets a value
	SystemVariables bool // @@a is read
	Sequences       bool // NEXTVAL, SETVAL and LASTVAL, whose sequences are among the tables, as Written or Read
}

// collector goes through one statement.
type collector struct {
	facts *Facts
	// marked are tables of FROM clauses that are not just read, with how they are.
	marked map[*tree.Table]Table
	// expressions are the names of the common table expressions that can be seen, of outer queries first.
	expressions []string
	// weak says that what is gone through is kept and not run, so that tables in it are Named only: a view, the default of a column.
	weak bool
	// rows is what is known of rows of the INSERT that are no parts of its tree.
	rows *Facts
}

// add adds a table, if there is one.
func (c *collector) add(name *tree.TableName, use Use) {
	if name != nil {
		c.addAs(name, &name.Name, use)
	}
}

// addAs adds a table with its alias, nil: none.
func (c *collector) addAs(name *tree.TableName, alias *tree.Ident, use Use) {
	if alias == nil {
		alias = &name.Name
	}
	c.facts.Tables = append(c.facts.Tables, Table{Name: name, Alias: alias.Text, Use: use})
}

// mark notes what is done with a table of a FROM clause that is gone through later.
func (c *collector) mark(t *tree.Table, use Use, lock *tree.Lock) {
	if c.marked == nil {
		c.marked = map[*tree.Table]Table{}
	}
	c.marked[t] = Table{Use: use, Lock: lock}
}

// each goes through nodes, of which some may be nil.
func each[T interface {
	comparable
	tree.Node
}](c *collector, nodes ...T) {
	var none T
	for _, n := range nodes {
		if n != none {
			tree.Walk(n, c.visit)
		}
	}
}

// below goes through what is in a node.
func (c *collector) below(n tree.Node) {
	tree.Walk(n, func(m tree.Node) bool { return m == n || c.visit(m) })
}

// visit is for tree.Walk. What it returns false for it has gone through itself.
func (c *collector) visit(n tree.Node) bool {
	switch n := n.(type) {
	case tree.Query:
		c.query(n)
		return false
	case *tree.With:
		c.with(n)
		return false
	case *tree.Table:
		c.table(n)
	case *tree.TableName, *tree.Ident: // whoever knows what it names has added it
		return false
	case *tree.References:
		c.add(n.Table, Named)
	case *tree.Option:
		for _, t := range n.Tables { // UNION = (...), of tables that are one
			c.add(t, Named)
		}
	case *tree.SequenceValue:
		c.facts.Sequences = true
		use := Written
		switch {
		case c.weak:
			use = Named
		case n.Op == tree.LastValue:
			use = Read
		}
		c.add(n.Name, use)
	case *tree.Placeholder:
		c.facts.Placeholders++
	case *tree.Aggregate:
		c.facts.Aggregates = true
		c.facts.Windows = c.facts.Windows || n.Over != nil
	case *tree.Derived, *tree.Subquery, *tree.Exists, *tree.Quantified:
		c.facts.Subqueries = true
	case *tree.In:
		c.facts.Subqueries = c.facts.Subqueries || n.Query != nil
	case *tree.UserVariable, *tree.AssignVariable, *tree.SetUserVariable:
		c.facts.UserVariables = true
	case *tree.SystemVariable:
		c.facts.SystemVariables = true
	case *tree.DiagnosticsItem:
		c.facts.UserVariables = c.facts.UserVariables || n.Session
	case *tree.Call:
		if !n.Keyword {
			c.facts.Functions = append(c.facts.Functions, n)
		}
	case tree.Action:
		c.action(n)
	}
	return true
}

// table adds a table of a FROM clause.
func (c *collector) table(n *tree.Table) {
	if n.Name.DB.Text == "" && c.isExpression(n.Name.Name.Text) {
		return
	}
	t := c.marked[n]
	switch {
	case c.weak:
		t = Table{Use: Named}
	case t.Use == Named:
		t.Use = Read
	}
	t.Name, t.Alias = n.Name, aliasOf(n)
	c.facts.Tables = append(c.facts.Tables, t)
}

// aliasOf is what a statement calls a table.
func aliasOf(n *tree.Table) string {
	if n.Alias != nil {
		return n.Alias.Text
	}
	return n.Name.Name.Text
}
