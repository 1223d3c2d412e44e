package column

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
)

// Origin is where a column of a result comes from: a column of a table, perhaps through views and derived
// tables, or else an expression.
type Origin struct {
	// Facts is what the table's definition says; nil for expressions and for tables of the server's own.
	Facts *relation.Facts
	// expr is the expression that an output column is, its alias taken off; nil if it is not known.
	expr sql.Expression
	// db, orgTable and orgName are those of the table; table is its alias. A view or a derived table stands for
	// the tables below it.
	db, table, orgTable, orgName string
	// set: a column of a set operation; stored: that MariaDB keeps in a temporary table before it sends it, which shows in its metadata.
	set, stored bool
	// materialized: of a view or derived table that MariaDB does not make a part of the query around it, so that its values are those of a column.
	materialized bool
	// outer: the table is on the side of an outer join that may have no row.
	outer bool
	// fraction tells the fractional digits of an expression that is a time, if known is set: the most that a
	// column has which it is made of.
	fraction struct {
		digits int
		known  bool
	}
	// extreme is the origin of what the expression is the least or greatest value of; nil for others. A temporary table has it as its column is.
	extreme *Origin
	// moment are the fractional digits of an expression that is a date and time, plus one; 0 if only its type tells them.
	moment int
}

// computed reports whether the values are those of an expression, which no table has had as a column's.
func (o *Origin) computed() bool {
	_, column := o.expr.(*expression.GetField) // of JSON_TABLE, or of a table of the server's own
	return o.Facts == nil && o.expr != nil && !column && !o.stored && !o.materialized
}

// said reports whether an expression says what its type is in MariaDB.
func said(e sql.Expression) bool {
	_, ok := typeOf(e)
	return ok
}

// Refine asks how many digits of a second expressions have that are dates with times; a negative number says that it is not known.
func Refine(from []Origin, digits func(sql.Expression) int) {
	for i := range from {
		if from[i].Facts == nil && from[i].expr != nil && !from[i].set && !said(from[i].expr) {
			from[i].moment = max(digits(from[i].expr), -1) + 1
		}
	}
}

// timeDigits are the fractional digits of a time; -1 if they are not known.
func (o *Origin) timeDigits() int {
	switch {
	case o.Facts != nil:
		return int(o.Facts.Decimals)
	case o.fraction.known:
		return o.fraction.digits
	}
	return -1
}

func (o *Origin) setTimeDigits(digits int) { o.fraction.digits, o.fraction.known = digits, digits >= 0 }

// Origins finds the origin of each column of a bound plan's result; nil if the plan has a shape that it does
// not know.
func Origins(c *sql.Context, node sql.Node) []Origin {
	t := tracer{c: c}
	return t.outputs(node)
}

// tracer follows columns down a plan.
type tracer struct {
	c *sql.Context
	// derived are the columns of the views and derived tables that were met, by lower-case name: each is looked
	// into once, however many of its columns are asked for.
	derived map[*plan.SubqueryAlias]map[string]Origin
}

func (t *tracer) outputs(node sql.Node) []Origin {
	switch n := node.(type) {
	case *plan.InsertInto:
		if len(n.Returning) > 0 {
			return t.list(n.Returning, n.Destination)
		}
		return nil
	case *plan.DeleteFrom:
		if len(n.Returning) > 0 {
			return t.list(n.Returning, n.Child)
		}
		return nil
	case *plan.Project:
		return t.list(n.Projections, n.Child)
	case *plan.GroupBy:
		return t.list(n.SelectDeps, n.Child)
	case *plan.Window:
		return t.list(n.SelectExprs, n.Child)
	case *plan.JoinNode:
		if n.Op.IsPartial() {
			return t.outputs(n.Left())
		}
		left, right := t.outputs(n.Left()), t.outputs(n.Right())
		setOuter(left, n.Op.IsRightOuter() || n.Op.IsFullOuter())
		setOuter(right, n.Op.IsLeftOuter() || n.Op.IsFullOuter())
		return append(left, right...)
	case *plan.ResolvedTable, *plan.TableAlias, *plan.IndexedTableAccess, *plan.SubqueryAlias:
		schema := node.Schema(t.c)
		out := make([]Origin, len(schema))
		for i, col := range schema {
			out[i], _ = t.find(node, "", "", col.Name)
		}
		return out
	case *plan.SetOp:
		return t.ofSet(n)
	case *plan.Values:
		if s, ok := t.c.Session.(TriggerSession); ok && s.TriggerRow() != nil && len(n.ExpressionTuples) == 1 {
			return t.list(n.ExpressionTuples[0], nil)
		}
		return nil
	}
	if children := node.Children(); len(children) == 1 {
		return t.outputs(children[0])
	}
	return nil
}

// ofSet are the columns of a set operation: those of its first query, if they say what they are in MariaDB.
func (t *tracer) ofSet(n *plan.SetOp) []Origin {
	left, right := t.outputs(n.Left()), t.outputs(n.Right())
	out := make([]Origin, len(n.Schema(t.c)))
	stored := n.SetOpType != plan.UnionType || n.Distinct || len(n.SortFields) > 0
	for i := range min(len(out), len(left), len(right)) {
		out[i].materialized = true
		out[i].setTimeDigits(max(left[i].timeDigits(), right[i].timeDigits()))
		if of, ok := saidType(t.c, left[i].expr); ok {
			out[i].expr, out[i].set, out[i].stored = left[i].expr, true, stored || left[i].stored
			out[i].setTimeDigits(int(of.Decimals))
		}
	}
	return out
}

func setOuter(list []Origin, outer bool) {
	for i := range list {
		list[i].outer = list[i].outer || outer
	}
}

func (t *tracer) list(list []sql.Expression, from sql.Node) []Origin {
	out := make([]Origin, len(list))
	for i, e := range list {
		out[i] = t.origin(e, from)
	}
	return out
}

// origin finds the origin of an expression over the rows of from.
func (t *tracer) origin(e sql.Expression, from sql.Node) Origin {
	for {
		alias, ok := e.(*expression.Alias)
		if !ok {
			break
		}
		e = alias.Child
	}
	if f, ok := e.(*expression.GetField); ok {
		if o, found := t.field(from, f); found {
			return o
		}
	}
	o := Origin{expr: e}
	o.setTimeDigits(t.digits(e, from))
	switch e := e.(type) {
	case *aggregation.Max:
		o.extreme = t.extreme(e.Child, from)
	case *aggregation.Min:
		o.extreme = t.extreme(e.Child, from)
	}
	return o
}

// extreme is the origin of what MIN or MAX looks for the least or greatest value of.
func (t *tracer) extreme(of sql.Expression, from sql.Node) *Origin {
	o := t.origin(of, from)
	if o.Facts != nil {
		o.Facts = maybeNull(o.Facts)
	}
	return &o
}

// maybeNull are the facts of a column whose values may be NULL, and are part of no index.
func maybeNull(f *relation.Facts) *relation.Facts {
	facts := *f
	facts.Flags &^= mysql.NOT_NULL_FLAG | mysql.PRI_KEY_FLAG | mysql.UNIQUE_KEY_FLAG | mysql.MULTIPLE_KEY_FLAG | mysql.PART_KEY_FLAG |
		mysql.AUTO_INCREMENT_FLAG | mysql.NO_DEFAULT_VALUE_FLAG
	return &facts
}

// numeric reports whether a column is one of numbers, BIT and YEAR among them.
func numeric(f *relation.Facts) bool {
	t, ok := f.Values()
	return ok && (t.Kind.Integer() || t.Kind == types.Year || t.Kind == types.Bit)
}

// digits finds the fractional digits of the columns with a time that an expression reads.
func (t *tracer) digits(e sql.Expression, from sql.Node) int {
	if own, ok := saidType(t.c, e); ok && own.Kind.Temporal() {
		return int(own.Decimals)
	}
	if digits, is := currentDigits(e); is {
		return digits
	}
	if sub, ok := e.(*plan.Subquery); ok {
		if cols := t.outputs(sub.Query); len(cols) == 1 {
			return cols[0].timeDigits()
		}
	}
	digits := -1
	if !gmstypes.IsTime(e.Type(t.c)) && !gmstypes.IsTimespan(e.Type(t.c)) {
		return digits
	}
	sql.Inspect(t.c, e, func(c *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && (gmstypes.IsTime(f.Type(c)) || gmstypes.IsTimespan(f.Type(c))) {
			if o, found := t.field(from, f); found {
				digits = max(digits, o.timeDigits())
			}
		}
		return true
	})
	return digits
}

// currentDigits is the argument of NOW and its like, which go-mysql-server's type of them does not tell.
func currentDigits(e sql.Expression) (digits int, is bool) {
	f, ok := e.(sql.FunctionExpression)
	if !ok {
		return 0, false
	}
	switch strings.ToLower(f.FunctionName()) {
	case "now", "current_timestamp", "localtime", "localtimestamp", "sysdate", "utc_timestamp":
	default:
		return 0, false
	}
	for _, child := range e.Children() {
		if literal, ok := child.(*expression.Literal); ok {
			if n, _, err := gmstypes.Int64.Convert(context.Background(), literal.Value()); err == nil {
				digits, _ := n.(int64)
				return int(min(max(digits, 0), 6)), true
			}
		}
	}
	// UTC_TIMESTAMP(n) shows its argument in its text only.
	if _, arg, found := strings.Cut(e.String(), "("); found && len(arg) > 1 && arg[0] >= '0' && arg[0] <= '6' {
		return int(arg[0] - '0'), true
	}
	return 0, true
}

// find looks for a column of a table, "" for any, among those that a plan reads.
func (t *tracer) find(node sql.Node, db, table, name string) (Origin, bool) {
	switch n := node.(type) {
	case *plan.ResolvedTable:
		return ofTable(t.c, n, table, name)
	case *plan.IndexedTableAccess:
		return t.find(n.TableNode, db, table, name)
	case *plan.TableAlias:
		if table != "" && !strings.EqualFold(table, n.Name()) {
			return Origin{}, false
		}
		o, found := t.find(n.Child, "", "", name)
		o.table = n.Name()
		if _, derived := n.Child.(*plan.SubqueryAlias); derived {
			o.orgTable = n.Name()
		}
		return o, found
	case *plan.SubqueryAlias:
		return t.throughSubquery(n, table, name)
	case *plan.JoinNode:
		o, found := t.find(n.Left(), db, table, name)
		if found {
			o.outer = o.outer || n.Op.IsRightOuter() || n.Op.IsFullOuter()
			return o, true
		}
		o, found = t.find(n.Right(), db, table, name)
		o.outer = o.outer || n.Op.IsLeftOuter() || n.Op.IsFullOuter()
		return o, found
	case *plan.SetOp:
		return Origin{}, false
	case sql.Projector:
		if table == "" { // an alias that was given below
			for _, e := range n.ProjectedExprs() {
				alias, ok := e.(*expression.Alias)
				if ok && strings.EqualFold(alias.Name(), name) || !ok && strings.EqualFold(e.String(), name) {
					return t.origin(e, node.Children()[0]), true
				}
			}
		}
	}
	for _, child := range node.Children() {
		if o, found := t.find(child, db, table, name); found {
			return o, true
		}
	}
	return Origin{}, false
}

func ofTable(c *sql.Context, n *plan.ResolvedTable, table, name string) (o Origin, found bool) {
	if table != "" && !strings.EqualFold(table, n.Name()) {
		return o, false
	}
	t := n.Table
	for {
		w, wrapped := t.(sql.TableWrapper)
		if !wrapped {
			break
		}
		t = w.Underlying()
	}
	o = Origin{table: n.Name(), orgTable: t.Name(), orgName: name}
	if n.SqlDatabase != nil {
		o.db = n.SqlDatabase.Name()
	}
	own, ok := t.(interface {
		Facts(column string) *relation.Facts
	})
	if ok {
		o.Facts = own.Facts(name)
		return o, o.Facts != nil
	}
	return o, n.Schema(c).IndexOfColName(name) >= 0
}

// throughSubquery finds what a column of a view or of a derived table is made of. MariaDB names the view and
// its column instead of the table's, and the database of the table.
func (t *tracer) throughSubquery(n *plan.SubqueryAlias, table, name string) (Origin, bool) {
	if table != "" && !strings.EqualFold(table, n.Name()) {
		return Origin{}, false
	}
	cols, met := t.derived[n]
	if !met {
		inner, kept := t.outputs(n.Child), materialized(n.Child)
		cols = map[string]Origin{}
		for i, col := range n.Schema(t.c) {
			o := Origin{}
			if i < len(inner) {
				o = inner[i]
			}
			o.table, o.orgTable, o.orgName = n.Name(), n.Name(), col.Name
			if o.set { // it is materialized
				o.stored, o.orgTable = true, ""
			}
			o.materialized = o.materialized || kept
			if kept && o.extreme != nil && o.extreme.Facts != nil && numeric(o.extreme.Facts) {
				o = *o.extreme
				o.table, o.orgName, o.outer = n.Name(), col.Name, true
			}
			if _, twice := cols[strings.ToLower(col.Name)]; !twice {
				cols[strings.ToLower(col.Name)] = o
			}
		}
		if t.derived == nil {
			t.derived = map[*plan.SubqueryAlias]map[string]Origin{}
		}
		t.derived[n] = cols
	}
	o, found := cols[strings.ToLower(name)]
	return o, found
}

// materialized reports whether MariaDB makes a table of the rows of a view or derived table before it reads them.
func materialized(n sql.Node) bool {
	for {
		switch n.(type) {
		case *plan.GroupBy, *plan.Window, *plan.Distinct, *plan.OrderedDistinct, *plan.Limit, *plan.TopN, *plan.Offset, *plan.SetOp, *plan.RecursiveCte, *plan.Having:
			return true
		case *plan.JoinNode, *plan.SubqueryAlias, *plan.TableAlias, *plan.ResolvedTable:
			return false
		}
		children := n.Children()
		if len(children) != 1 {
			return false
		}
		n = children[0]
	}
}
