package plan

import (
	"math"
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
)

// query makes the plan of the query that gives the rows. from is its table, nil for none.
func (c *inserting) query(n tree.Query, from *Source) error {
	sel, ok := n.(*tree.Select)
	if !ok || sel.Lock != nil {
		return bind.Refusal("this query of an INSERT")
	}
	if c.again && numbered(sel) {
		return bind.Refusal("ROWNUM of rows that may be left out")
	}
	if from != nil {
		from.Place = PlaceQuery
	}
	p, err := CompileSelect(c.b, sel, from, c.text)
	c.p.Query = p
	if err == nil && p.Limit.Examined != nil && (c.p.Itself() || c.replaces) {
		return bind.Refusal("LIMIT ROWS EXAMINED of rows that are read once more, or that change others")
	}
	if err == nil && c.b.Assigned != nil && len(p.Order) > 0 && !p.Sorted && c.p.Itself() {
		return bind.Refusal("a user variable that rows of the same table set in an order") // MariaDB computes them before they are sorted
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
	if moment := c.moment(at, x); moment != nil {
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

// moment is the value of a TIMESTAMP, or of NOW(), that becomes that of a TIMESTAMP column, without the way over the local time, which may be that of another
// moment, too; nil for all else.
func (c *compiler) moment(at int, x *eval.Expr) *eval.Expr {
	to, m := c.scope.src.Table.Columns[at].Type, x.Instant()
	if to.Kind != types.Timestamp || m == nil {
		return nil
	}
	if x.Type.Decimals <= to.Decimals && (to.Nullable || !x.Type.Nullable) {
		return m
	}
	row, fraction := eval.Of[int64](m), int(to.Decimals)
	unit := int64(math.Pow10(temporal.FractionMax - fraction))
	round := c.b.Env.Mode.Temporal().RoundFraction
	return eval.New(m.Name, m.Type, func(f *eval.Frame) (int64, bool) {
		v, null := row(f)
		switch {
		case null && !to.Nullable:
			v = int64(f.Started)
		case null:
			return 0, true
		case round:
			v += unit / 2
		}
		return v - v%unit, false
	}, x)
}

// zero is what becomes of a zero TIMESTAMP x; nil if that is nothing special.
func (c *compiler) zero(at int, x *eval.Expr) (*assign.Assigner, error) {
	if c.b.Env.Mode&types.NoZeroDate == 0 {
		return nil, nil //nolint:nilnil // see above
	}
	t := c.scope.src.Table
	col := &t.Columns[at]
	to := &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
	return assign.New(c.b.Env.Mode, to, assign.Source{Type: x.Type, Column: true})
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
