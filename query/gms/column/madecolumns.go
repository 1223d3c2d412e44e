package column

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/schema"
)

// MadeDefinitions are the columns that CREATE TABLE ... SELECT makes of a query, as definitions; some is false if go-mysql-server
// makes the same. connection is the connection's collation.
func MadeDefinitions(c *sql.Context, node sql.Node, connection string) (defs []string, some bool) {
	m := &madeColumns{connection: connection, deps: map[sql.ColumnId]sql.Expression{}, node: node}
	exprs, tables := m.outputs(node), jsonTables(node)
	sch, origins := node.Schema(c), Origins(c, node)
	for i, col := range sch {
		var e sql.Expression
		if len(exprs) == len(sch) {
			e = exprs[i]
		}
		var o Origin
		if len(origins) == len(sch) {
			o = origins[i]
		}
		from := col.Source
		if f, ok := m.inner(e).(*expression.GetField); ok {
			from = f.Table()
		} else if e != nil {
			from = ""
		}
		if t := tables[strings.ToLower(from)]; t != nil {
			name := col.Name
			if f, ok := m.inner(e).(*expression.GetField); ok {
				name = f.Name()
			}
			defs, some = append(defs, dialect.QuoteName(col.Name)+" "+ofJSONTable(col, ordinality(t.Cols, name))), true
			continue
		}
		if e != nil && tables != nil && !col.Nullable && mentions(c, m.inner(e), tables) {
			copied := *col
			copied.Nullable = true
			col = &copied
		}
		text, made := zerofilled(col, &o)
		if !made {
			if o.aggregated() && o.extreme == nil {
				e = o.expr
			}
			if o.mayBeNull() && !col.Nullable {
				copied := *col
				copied.Nullable, some = true, true
				col = &copied
			}
			text, made = m.definition(c, col, e, &o)
		}
		some = some || made
		defs = append(defs, dialect.QuoteName(col.Name)+" "+text)
	}
	return defs, some
}

// zerofilled is the type of a column with zeros in front, or of MIN and MAX of one, if it comes from somewhere where go-mysql-server does not know them.
func zerofilled(col *sql.Column, o *Origin) (text string, ok bool) {
	f := o.Facts
	if f == nil && o.extreme != nil {
		f = o.extreme.Facts
	}
	if f == nil || f.Flags&mysql.ZEROFILL_FLAG == 0 || !types.IsInteger(col.Type) {
		return "", false
	}
	return withNull(strings.ToUpper(f.SQLType), col.Nullable || o.mayBeNull()), true
}

// aggregated reports whether a column of a derived table or a view is an aggregate function of it.
func (o *Origin) aggregated() bool {
	_, ok := o.expr.(sql.Aggregation)
	return ok && o.materialized
}

// mayBeNull reports whether a column of a derived table or a view is NULL without rows, or where an outer join has none.
func (o *Origin) mayBeNull() bool {
	if o.outer || o.extreme != nil {
		return true
	}
	f, ok := o.expr.(sql.FunctionExpression)
	if !ok || !o.aggregated() {
		return false
	}
	name := strings.ToLower(f.FunctionName())
	return !strings.HasPrefix(name, "count") && !strings.HasPrefix(name, "bit")
}

// jsonTables are the aliases of JSON_TABLE in a plan, in lower case.
func jsonTables(node sql.Node) map[string]*plan.JSONTable {
	var found map[string]*plan.JSONTable
	transform.Inspect(node, func(n sql.Node) bool {
		if t, ok := n.(*plan.JSONTable); ok {
			if found == nil {
				found = map[string]*plan.JSONTable{}
			}
			found[strings.ToLower(t.Name())] = t
		}
		return true
	})
	return found
}

// mentions reports whether an expression has a column of one of the tables.
func mentions(c *sql.Context, e sql.Expression, tables map[string]*plan.JSONTable) bool {
	found := false
	sql.Inspect(c, e, func(_ *sql.Context, e sql.Expression) bool {
		f, ok := e.(*expression.GetField)
		found = found || ok && tables[strings.ToLower(f.Table())] != nil
		return !found
	})
	return found
}

// ordinality reports whether a column of JSON_TABLE is FOR ORDINALITY.
func ordinality(cols []plan.JSONTableCol, name string) bool {
	for _, c := range cols {
		if c.Opts == nil && ordinality(c.NestedCols, name) || c.Opts != nil && c.Opts.ForOrd && strings.EqualFold(c.Opts.Name, name) {
			return true
		}
	}
	return false
}

// ofJSONTable is the column for one of JSON_TABLE, all of which may be NULL.
func ofJSONTable(col *sql.Column, ordinality bool) string {
	if t, ok := col.Type.(sql.StringType); types.IsJSON(col.Type) || ok && t.Equals(schema.ColumnJSON.StringType) {
		return withNull("LONGTEXT COLLATE utf8mb4_bin", true)
	}
	if ordinality {
		return withNull("INT", true)
	}
	return withNull(schema.TypeText(col.Type, 0), true)
}

// madeColumns finds the types of the columns that a query makes.
type madeColumns struct {
	connection string                          // collation of literals
	deps       map[sql.ColumnId]sql.Expression // what the columns of a grouping or of windows are
	node       sql.Node                        // the plan of the query, nil if it is not asked for
}

// outputs are the expressions of a query's columns; nil if they are not to be seen in the plan.
func (m *madeColumns) outputs(node sql.Node) (out []sql.Expression) {
	for node != nil {
		switch n := node.(type) {
		case *plan.Project:
			if out == nil {
				out = n.Projections
			}
		case *plan.GroupBy:
			m.computes(n.SelectDeps)
			if out == nil {
				out = n.SelectDeps
			}
			return out
		case *plan.Window:
			m.computes(n.SelectExprs)
			if out == nil {
				out = n.SelectExprs
			}
		case *plan.SetOp:
			if out == nil {
				return m.outputs(n.Left()) // which say what all queries meet in
			}
			return out
		case *plan.SubqueryAlias, *plan.ResolvedTable:
			return out
		}
		children := node.Children()
		if len(children) != 1 {
			return out
		}
		node = children[0]
	}
	return out
}

// computes notes what the columns are that a node computes.
func (m *madeColumns) computes(list []sql.Expression) {
	for _, e := range list {
		if id, ok := e.(sql.IdExpression); ok {
			m.deps[id.Id()] = e
		}
	}
}

// definition is the type of a column, and whether it is one that the expression makes: a column of a
// table is taken as it is.
func (m *madeColumns) definition(c *sql.Context, col *sql.Column, e sql.Expression, from *Origin) (text string, made bool) {
	if types.IsTimespan(col.Type) && from.timeDigits() > 0 { // the type does not say how many digits it has
		return withNull(fmt.Sprintf("TIME(%d)", from.timeDigits()), col.Nullable), true
	}
	if schema.IsJSON(col.Type) {
		x := m.inner(e)
		if t, ok := saidType(c, x); ok {
			return withNull(declaration(t), true), true
		}
		_, column := x.(*expression.GetField)
		return withNull("LONGTEXT COLLATE "+col.Type.(sql.StringType).Collation().Name(), col.Nullable || !column), true
	}
	if t, ok := col.Type.(sql.StringType); e == nil && (!ok || !parse.ForeignCollation(t.Collation().Name())) {
		if ok && !types.IsBinaryType(t) {
			return withNull(schema.TypeText(t, 0)+" COLLATE "+t.Collation().Name(), col.Nullable), false
		}
		return withNull(schema.TypeText(col.Type, 0), col.Nullable), false
	}
	e = m.inner(e)
	nullable := col.Nullable
	if own, ok := saidType(c, e); ok {
		return withNull(declaration(own), nullable), true
	}
	if f, ok := e.(sql.FunctionExpression); ok {
		name := strings.ToLower(f.FunctionName())
		nullable = nullable || name == "min" || name == "max"
	}
	if f, ok := e.(sql.FunctionExpression); ok && text == "" {
		if t, ok := aggregateType(c, f); ok {
			nullable = !strings.EqualFold(f.FunctionName(), "count")
			return withNull(t, nullable), true
		}
		if name := strings.ToLower(f.FunctionName()); name == "curdate" || name == "current_date" || name == "date" {
			return withNull("DATE", nullable), true
		}
	}
	t, isText := col.Type.(sql.StringType)
	if !isText || types.IsBinaryType(t) {
		_, plain := e.(*expression.GetField)
		if col.Type == types.Boolean && !plain {
			return withNull("INT", nullable), true
		}
		if lit, ok := e.(*expression.Literal); ok && types.IsInteger(lit.Type(c)) {
			text = "INT"
			if len(lit.String()) > 9 {
				text = "BIGINT"
			}
			return withNull(text, nullable), true
		}
		if col.Type == types.Null {
			return "BINARY(0) NULL", !plain
		}
		return withNull(schema.TypeText(col.Type, 0), nullable), !plain
	}
	_, plain := e.(*expression.GetField)
	length, coll, known := m.text(c, e)
	if plain && !parse.ForeignCollation(t.Collation().Name()) {
		return withNull(schema.TypeText(t, 0)+" COLLATE "+t.Collation().Name(), nullable), false
	}
	if coll == "" {
		coll = m.connection
	}
	text = "LONGTEXT"
	switch {
	case known && length == 0:
		text = "CHAR(0)"
	case known && length <= 512:
		text = fmt.Sprintf("VARCHAR(%d)", length)
	}
	return withNull(text+" COLLATE "+coll, nullable), true
}

func withNull(text string, nullable bool) string {
	if nullable {
		return text + " NULL"
	}
	return text + " NOT NULL"
}

// inner takes names off an expression, and finds what a column of a grouping is.
func (m *madeColumns) inner(e sql.Expression) sql.Expression {
	for range 8 {
		switch x := e.(type) {
		case *expression.Alias:
			e = x.Child
		case *expression.GetField:
			dep := m.deps[x.Id()]
			if dep == nil || dep == e {
				return e
			}
			e = dep
		default:
			return e
		}
	}
	return e
}

// aggregateType is the type of an aggregate function of numbers, by Item_sum_sum and Item_sum_avg.
func aggregateType(c *sql.Context, f sql.FunctionExpression) (string, bool) {
	name := strings.ToLower(f.FunctionName())
	if name == "count" {
		return "BIGINT", true
	}
	if arg, ok := function.VarianceArgument(f); ok { // by Item_sum_variance
		if precision, scale, exact := exactNumber(arg.Type(c)); exact {
			return fmt.Sprintf("DOUBLE(%d,%d)", 2*precision+6, min(scale+4, 30)), true
		}
		return "DOUBLE", true
	}
	args := f.Children()
	if len(args) != 1 || name != "sum" && name != "avg" && name != "min" && name != "max" {
		return "", false
	}
	typ := args[0].Type(c)
	if name == "min" || name == "max" {
		_, isText := typ.(sql.StringType)
		return schema.TypeText(typ, 0), !isText && typ != types.Null
	}
	precision, scale, exact := exactNumber(typ)
	if !exact {
		return "DOUBLE", true
	}
	if name == "sum" {
		return fmt.Sprintf("DECIMAL(%d,%d)", min(precision+22, 65), scale), true
	}
	return fmt.Sprintf("DECIMAL(%d,%d)", min(precision+4, 65), min(scale+4, 38)), true
}

// exactNumber are the digits of an integer or DECIMAL type, and those of them behind the point.
func exactNumber(t sql.Type) (precision, scale int, ok bool) {
	if d, ok := t.(sql.DecimalType); ok {
		return int(d.Precision()), int(d.Scale()), true
	}
	if !types.IsInteger(t) {
		return 0, 0, false
	}
	precision = integerDigits[strings.Fields(strings.ToLower(t.String()))[0]]
	if precision == 0 {
		precision = 20
	}
	return precision, 0, true
}

// integerDigits is the precision of integer types.
var integerDigits = map[string]int{"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "bigint": 19}

// text is the greatest number of characters of an expression and its collation, "" for that of the connection.
func (m *madeColumns) text(c *sql.Context, e sql.Expression) (length int64, coll string, known bool) {
	e = m.inner(e)
	if e == nil {
		return 0, "", false
	}
	t, isText := e.Type(c).(sql.StringType)
	switch x := e.(type) {
	case *expression.Literal:
		if s, ok := x.Value().(string); ok {
			return int64(utf8.RuneCountInString(s)), "", true
		}
		return int64(len(x.String())), "", !isText
	case *expression.GetField:
		if isText && !types.IsTextBlob(t) {
			return t.MaxCharacterLength(), t.Collation().Name(), !parse.ForeignCollation(t.Collation().Name())
		}
		return m.numberText(c, e)
	case *expression.Case:
		var branches []sql.Expression
		for _, b := range x.Branches {
			branches = append(branches, b.Value)
		}
		if x.Else != nil {
			branches = append(branches, x.Else)
		}
		return m.longest(c, branches)
	}
	f, ok := e.(sql.FunctionExpression)
	if !ok {
		return m.numberText(c, e)
	}
	args := e.Children()
	switch name := strings.ToLower(f.FunctionName()); name {
	case "upper", "ucase", "lower", "lcase", "ltrim", "rtrim", "trim", "reverse", "min", "max":
		return m.text(c, args[0])
	case "concat":
		known = true
		for _, a := range args {
			n, of, ok := m.text(c, a)
			length, known = length+n, known && ok
			if coll == "" {
				coll = of
			}
		}
		return length, coll, known
	case "left", "right":
		length, coll, known = m.text(c, args[0])
		if n, ok := literalInt(args[1]); ok {
			length = min(length, max(n, 0))
		}
		return length, coll, known
	case "substring", "substr", "mid":
		length, coll, known = m.text(c, args[0])
		if n, ok := literalInt(args[1]); ok && n > 0 {
			length = max(length-n+1, 0)
		}
		if len(args) == 3 {
			if n, ok := literalInt(args[2]); ok {
				length = min(length, max(n, 0))
			}
		}
		return length, coll, known
	case "repeat":
		length, coll, known = m.text(c, args[0])
		n, ok := literalInt(args[1])
		return length * max(n, 0), coll, known && ok && n < 1<<20
	case "if":
		return m.longest(c, args[1:])
	case "coalesce", "ifnull":
		return m.longest(c, args)
	case "md5":
		return 32, "", true
	case "sha", "sha1":
		return 40, "", true
	}
	return m.numberText(c, e)
}

// numberText is the length of a number or date as text.
func (m *madeColumns) numberText(c *sql.Context, e sql.Expression) (int64, string, bool) {
	switch t := e.Type(c).(type) {
	case sql.DecimalType:
		return int64(t.Precision()) + 2, "", true
	case sql.NumberType:
		if types.IsInteger(t) {
			if n := integerWidths[strings.Fields(strings.ToLower(t.String()))[0]]; n > 0 {
				return n, "", true
			}
		}
	}
	return 0, "", false
}

// integerWidths is the display width of integer types.
var integerWidths = map[string]int64{"tinyint": 4, "smallint": 6, "mediumint": 9, "int": 11, "bigint": 20}

func (m *madeColumns) longest(c *sql.Context, list []sql.Expression) (length int64, coll string, known bool) {
	known = true
	for _, e := range list {
		if e.Type(c) == types.Null {
			continue
		}
		n, of, ok := m.text(c, e)
		length, known = max(length, n), known && ok
		if coll == "" {
			coll = of
		}
	}
	return length, coll, known
}

func literalInt(e sql.Expression) (int64, bool) {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return 0, false
	}
	var n int64
	_, err := fmt.Sscan(fmt.Sprint(lit.Value()), &n)
	return n, err == nil
}
