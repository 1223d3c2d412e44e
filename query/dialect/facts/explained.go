package facts

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// Explained is a row of EXPLAIN, as far as it follows from the statement alone.
type Explained struct {
	ID     int    // of the SELECT; 0: none
	Select string // what kind of SELECT it is
	Table  string // by the name that the statement has for it; "" for none
	// All says that it is known that all rows of the table are read: it is made for the statement.
	All bool
}

// Explaining are the rows of EXPLAIN of a statement that reads tables, nil of others, in the order of the text: a server may join the tables in another one, and
// merge queries. why is what makes the statement more than one on one table.
func Explaining(st tree.Statement) (rows []Explained, why string) {
	x := explainer{names: map[string]int{}}
	switch n := st.(type) {
	case tree.Query:
		x.query(n, "SIMPLE")
	case *tree.Insert:
		if n.Query == nil {
			return nil, ""
		}
		x.query(n.Query, "SIMPLE")
		x.why("INSERT ... SELECT")
	case *tree.Update:
		x.from(x.next(), "SIMPLE", n.Tables)
		x.below(n)
	case *tree.Delete:
		x.from(x.next(), "SIMPLE", n.From)
		x.below(n)
	default:
		return nil, ""
	}
	place := func(r Explained) int {
		if r.ID == 0 {
			return math.MaxInt
		}
		return r.ID
	}
	slices.SortStableFunc(x.rows, func(a, b Explained) int { return cmp.Compare(place(a), place(b)) })
	if x.last > 1 { // what has queries within it is called otherwise
		for i := range x.rows {
			if x.rows[i].Select == "SIMPLE" {
				x.rows[i].Select = "PRIMARY"
			}
		}
	}
	return x.rows, x.reason
}

// explainer goes through the queries of a statement.
type explainer struct {
	rows   []Explained
	last   int // the number of the last SELECT
	reason string
	names  map[string]int // common table expressions, with their SELECTs
}

func (x *explainer) next() int { x.last++; return x.last }

func (x *explainer) why(reason string) {
	if x.reason == "" {
		x.reason = reason
	}
}

// query adds the rows of a query, and yields the number of its first SELECT.
func (x *explainer) query(q tree.Query, kind string) int {
	switch q := q.(type) {
	case *tree.Nested:
		return x.query(q.Query, kind)
	case *tree.Values:
		id := x.next()
		x.rows = append(x.rows, Explained{ID: id, Select: kind})
		x.why("VALUES")
		return id
	case *tree.SetOperation:
		return x.several(q, kind)
	case *tree.Select:
		id := x.next()
		if q.Windows != nil {
			x.why("WINDOW")
		}
		if q.With != nil {
			x.why("WITH")
			x.with(q.With)
		}
		if len(q.From) == 0 {
			x.rows = append(x.rows, Explained{ID: id, Select: kind})
		}
		x.from(id, kind, q.From)
		x.below(q)
		return id
	}
	return 0
}

// several adds the rows of a UNION and its like.
func (x *explainer) several(q *tree.SetOperation, kind string) int {
	if kind == "SIMPLE" {
		kind = "PRIMARY"
	}
	x.why("UNION")
	if q.With != nil {
		x.with(q.With)
	}
	first := x.query(q.First, kind)
	name, unions, all := "<union"+strconv.Itoa(first), true, q.OrderBy == nil
	for _, term := range q.Rest {
		as := "UNION"
		switch term.Op {
		case tree.Except:
			as, unions = "EXCEPT", false
		case tree.Intersect:
			as, unions = "INTERSECT", false
		}
		all = all && term.All
		name += "," + strconv.Itoa(x.query(term.Query, as))
	}
	if unions && !all {
		x.rows = append(x.rows, Explained{Select: "UNION RESULT", Table: name + ">", All: true})
	}
	return first
}

// with adds the queries of a WITH clause.
func (x *explainer) with(n *tree.With) {
	for _, t := range n.Tables {
		x.names[strings.ToLower(t.Name.Text)] = x.query(t.Query, "DERIVED")
	}
}

// from adds the tables of a FROM clause, then the queries in it.
func (x *explainer) from(id int, kind string, refs []tree.TableRef) {
	var inner []*tree.Derived
	var at []int
	count := 0
	add := func(name string, all bool) {
		count++
		x.rows = append(x.rows, Explained{ID: id, Select: kind, Table: name, All: all})
	}
	var visit func(tree.TableRef)
	visit = func(t tree.TableRef) {
		switch t := t.(type) {
		case *tree.Table:
			name := t.Name.Name.Text
			if made := x.names[strings.ToLower(name)]; made > 0 && t.Name.DB.Text == "" {
				add("<derived"+strconv.Itoa(made)+">", true)
				return
			}
			if t.Alias != nil {
				name = t.Alias.Text
			}
			add(name, false)
		case *tree.Derived:
			inner, at = append(inner, t), append(at, len(x.rows))
			add("", true)
		case *tree.Join:
			visit(t.Left)
			visit(t.Right)
		case *tree.JSONTable:
			add("json_table", false)
		}
	}
	for _, t := range refs {
		visit(t)
	}
	if count > 1 {
		x.why("several tables")
	}
	for i, t := range inner {
		x.why("a query in FROM")
		x.rows[at[i]].Table = "<derived" + strconv.Itoa(x.query(t.Query, "DERIVED")) + ">"
	}
}

// below adds the queries in the expressions of one.
func (x *explainer) below(n tree.Node) {
	tree.Walk(n, func(below tree.Node) bool {
		switch q := below.(type) {
		case *tree.With, *tree.Derived:
			return false
		case tree.Query:
			if below == n {
				return true
			}
			x.why("a subquery")
			x.query(q, subqueryKind(q))
			return false
		}
		return true
	})
}

// subqueryKind is the kind of a subquery: a dependent one names a table that is not its own.
func subqueryKind(q tree.Query) string {
	own := map[string]bool{}
	tree.Walk(q, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Table:
			name := n.Name.Name.Text
			if n.Alias != nil {
				name = n.Alias.Text
			}
			own[strings.ToLower(name)] = true
		case *tree.Derived:
			if n.Alias != nil {
				own[strings.ToLower(n.Alias.Text)] = true
			}
		}
		return true
	})
	kind := "SUBQUERY"
	tree.Walk(q, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok && c.Table.Text != "" && !own[strings.ToLower(c.Table.Text)] {
			kind = "DEPENDENT SUBQUERY"
		}
		return true
	})
	return kind
}
