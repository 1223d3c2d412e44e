package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
)

// query makes the plan of the query that gives the rows. from is its table, nil for none.
func (c *inserting) query(n tree.Query, from *Source) error {
	sel, ok := n.(*tree.Select)
	if !ok || sel.Lock != nil {
		return bind.Refusal("this query of an INSERT")
	}
	if c.again && numbered(sel) {
		return mysqlerr.Never("ROWNUM of rows that may be left out, with IGNORE or ON DUPLICATE KEY UPDATE")
	}
	if from != nil {
		from.Place = PlaceQuery
	}
	p, err := CompileSelect(c.b, sel, from, c.text)
	c.p.Query = p
	if err == nil && p.Limit.Examined != nil {
		err = c.examinedCopy(p)
	}
	if err == nil && c.b.Assigned != nil && len(p.Order) > 0 && !p.Sorted && c.p.Itself() {
		return mysqlerr.Never("a user variable that rows of the same table set in an order") // MariaDB computes them before they are sorted
	}
	return err
}

// Itself reports whether the query reads the table that it adds rows to.
func (p *Insert) Itself() bool {
	return p.Query != nil && p.Query.Source != nil && p.Query.Source.Table.ID() == p.Source.Table.ID()
}

// fromQuery settles what the columns get of the query's items.
func (c *inserting) fromQuery() error {
	q := c.p.Query
	items := q.Items
	c.p.Kept = q.Group != nil || q.Distinct || c.p.Itself()
	if len(items) != len(c.p.Columns) {
		return mysqlerr.New(mysqlerr.WrongValueCountOnRow, 1)
	}
	c.p.Given = make([]Cell, len(items))
	for i, item := range items {
		var err error
		col := &c.scope.src.Table.Columns[c.p.Columns[i]]
		how := generationOf(col, item.X.Null() && (item.X.Is(eval.Literal) || item.X.Name == "?"))
		if how == Unsaid || how == Said && col.Virtual() && !c.p.All {
			c.p.Given[i].Generated = how
			continue
		}
		if c.p.Given[i], err = c.copied(c.p.Columns[i], item.X); err != nil {
			return err
		}
		c.p.Given[i].Generated = how
	}
	return nil
}

// missing is the error about a column that has to be given a value: of a query it comes before those about ON DUPLICATE KEY UPDATE.
func (c *inserting) missing() error {
	if c.p.Query == nil || c.p.Ignore || !c.b.Env.Mode.Strict() {
		return nil
	}
	t := c.scope.src.Table
	for i := range t.Columns {
		if !slices.Contains(c.p.Columns, i) && DefaultOf(t, i).None {
			return mysqlerr.New(mysqlerr.NoDefaultForField, t.Columns[i].Def.Name)
		}
	}
	return nil
}

// copied is a cell with a value of a query's row.
func (c *inserting) copied(at int, x *eval.Expr) (cell Cell, err error) {
	_, _, column := x.Column()
	if moment, err := c.moment(at, x); moment != nil || err != nil {
		if err != nil {
			return cell, err
		}
		cell.X = moment
		cell.Zero, err = c.zero(at, x)
		return cell, err
	}
	if src := c.p.Query.Source; !column && src != nil && fraction(x, src) {
		return cell, errFraction
	}
	cell.X = x
	cell.Assign, err = c.assignerOf(at, assign.Source{Type: x.Type, Column: column})
	return cell, err
}

// Copied refuses a query with an item that INSERT ... SELECT refuses, whatever column it is for.
func Copied(p *Select) error {
	for _, item := range p.Items {
		if item.Column == nil && p.Source != nil && fraction(item.X, p.Source) {
			return errFraction
		}
	}
	return nil
}

var errFraction = bind.Refusal("a number made of a time with a fraction") // which has more or fewer digits than its type says

// fraction reports whether an expression over columns of src makes a number of a time with a fraction.
func fraction(x *eval.Expr, src *Source) bool {
	found := false
	if x.Type.Class() == types.ClassDec {
		x.Columns(func(place, at int) {
			if place == src.Place || place == placeNew && src.Place == placeThere {
				t := src.Table.Columns[at].Type
				found = found || t.Kind.Temporal() && t.Decimals > 0
			}
		})
	}
	return found
}
