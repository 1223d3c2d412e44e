package facts

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// Rows looks at the rows of an INSERT that are no parts of its tree (grammar.Options.Row), as they come. The zero value has seen none.
//
// Of mentions of a table that are alike, and of the calls of a function, it keeps the first.
type Rows struct {
	c    collector
	seen map[seen]bool
}

// seen is a mention of a table in rows, or a function.
type seen struct {
	db, name, alias string
	use             Use
	lock            *tree.Lock
	function        bool
}

// Add looks at a row, and reports whether it keeps something of it.
func (r *Rows) Add(row *tree.Row) (kept bool) {
	for _, x := range row.Items {
		switch x.(type) {
		case *tree.NumberLit, *tree.TextLit, *tree.NullLit, *tree.BytesLit, *tree.BoolLit, *tree.DefaultWord:
			continue
		}
		if r.c.facts == nil {
			r.c.facts, r.seen = &Facts{}, map[seen]bool{}
		}
		f := r.c.facts
		tables, functions := len(f.Tables), len(f.Functions)
		tree.Walk(x, r.c.visit)
		r.c.marked = nil
		f.Tables = addNew(r, f.Tables, tables, func(t Table) seen {
			return seen{db: t.Name.DB.Text, name: t.Name.Name.Text, alias: t.Alias, use: t.Use, lock: t.Lock}
		})
		f.Functions = addNew(r, f.Functions, functions, func(n *tree.Call) seen {
			return seen{db: strings.ToLower(n.DB.Text), name: strings.ToLower(n.Name.Text), function: true}
		})
		kept = kept || len(f.Tables) > tables || len(f.Functions) > functions
	}
	return kept
}

// addNew leaves out of a list what was seen before, from an index on.
func addNew[T any](r *Rows, list []T, from int, key func(T) seen) []T {
	out := list[:from]
	for _, x := range list[from:] {
		if k := key(x); !r.seen[k] {
			r.seen[k] = true
			out = append(out, x)
		}
	}
	clear(list[len(out):])
	return out
}

// Of looks at a statement, to which the rows belong.
func (r *Rows) Of(s tree.Statement) *Facts {
	c := collector{facts: &Facts{Kind: kindOf(s)}, rows: r.c.facts}
	if q, ok := s.(tree.Query); ok {
		c.facts.Lock = clause(q)
	}
	c.statement(s)
	return c.facts
}

// addRows adds what is known of the rows that were given away.
func (c *collector) addRows() {
	r, f := c.rows, c.facts
	if r == nil {
		return
	}
	f.Tables = append(f.Tables, r.Tables...)
	f.Functions = append(f.Functions, r.Functions...)
	f.Placeholders += r.Placeholders
	f.Aggregates = f.Aggregates || r.Aggregates
	f.Windows = f.Windows || r.Windows
	f.Subqueries = f.Subqueries || r.Subqueries
	f.UserVariables = f.UserVariables || r.UserVariables
	f.SystemVariables = f.SystemVariables || r.SystemVariables
	f.Sequences = f.Sequences || r.Sequences
}
