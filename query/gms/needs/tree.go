package needs

import (
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
)

// collector finds the tables and columns that a syntax tree reads. It looks at every field of every node: what
// it does not know, it walks through, so that a sub-query is found wherever it stands.
type collector struct {
	needs *privilege.Needs
	word  string // in the error for a table that is read, in place of SELECT
	block *block
	depth int // of the value that is looked at
	deep  bool
}

// depthMax bounds the nesting of values in a tree; Of does not know what is deeper.
const depthMax = 20_000

// block is a query block with its tables.
type block struct {
	outer  *block
	tables []aliased
	ctes   []string
}

type aliased struct {
	privilege.TableName
	alias string
	base  bool // a table or view: not derived, not a common table expression
	row   bool // the row of a trigger (NEW, OLD), whose columns are always qualified
}

func tableName(t sqlparser.TableName) privilege.TableName {
	return privilege.TableName{DB: t.DbQualifier.String(), Name: t.Name.String()}
}

// cte reports whether a name is that of a common table expression in scope.
func (b *block) cte(name string) bool {
	for ; b != nil; b = b.outer {
		for _, c := range b.ctes {
			if strings.EqualFold(c, name) {
				return true
			}
		}
	}
	return false
}

// levels are the tables that a column may belong to.
func (b *block) levels(qualifier sqlparser.TableName) [][]privilege.TableName {
	q := tableName(qualifier)
	var out [][]privilege.TableName
	for ; b != nil; b = b.outer {
		var level []privilege.TableName
		for _, t := range b.tables {
			if q.Name != "" && (!strings.EqualFold(q.Name, t.alias) || q.DB != "" && t.DB != "" && !strings.EqualFold(q.DB, t.DB)) {
				continue
			}
			if q.Name == "" && t.row {
				continue
			}
			if q.Name != "" && !t.base {
				return out // a derived table has that name
			}
			if t.base {
				level = append(level, t.TableName)
			}
		}
		if len(level) > 0 {
			out = append(out, level)
			if q.Name != "" {
				return out
			}
		}
	}
	return out
}

var (
	tableNameType = reflect.TypeFor[sqlparser.TableName]()
	authType      = reflect.TypeFor[sqlparser.AuthInformation]()
)

// walk looks at a node.
func (c *collector) walk(node any) {
	if node == nil {
		return
	}
	c.value(reflect.ValueOf(node))
}

func (c *collector) value(v reflect.Value) {
	if c.depth++; c.depth > depthMax {
		c.deep = true
	}
	defer func() { c.depth-- }()
	if c.deep {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			c.value(v.Elem())
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.CanInterface() && c.special(v.Interface()) {
			return
		}
		c.value(v.Elem())
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k == reflect.Uint8 || k == reflect.String {
			return
		}
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == authType {
			return
		}
		if v.Type() == tableNameType && v.CanInterface() {
			c.read(v.Interface().(sqlparser.TableName), "")
			return
		}
		if v.CanInterface() && c.special(v.Interface()) {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.value(v.Field(i))
			}
		}
	}
}

// special deals with the nodes that have a meaning of their own; false for all others.
func (c *collector) special(node any) bool {
	switch n := node.(type) {
	case *sqlparser.SQLVal, sqlparser.ColIdent, sqlparser.TableIdent, *sqlparser.Lock, *sqlparser.ConvertType:
		return true
	case *sqlparser.ColName:
		c.column(privilege.Select, n.Name.String(), n.Qualifier)
		if n.StoredProcVal != nil {
			c.walk(n.StoredProcVal)
		}
	case *sqlparser.FuncExpr:
		if len(n.Exprs) != 1 || !n.Name.EqualString("count") {
			return false
		}
		if _, star := n.Exprs[0].(*sqlparser.StarExpr); !star { // that of COUNT(*) reads no column
			return false
		}
		c.walk(n.Over)
	case *sqlparser.StarExpr:
		c.column(privilege.Select, "", n.TableName)
	case *sqlparser.AliasedTableExpr:
		c.aliased(n)
	case *sqlparser.Select:
		c.query(n)
	case *sqlparser.SetOp:
		c.scoped(n.With, func() {
			c.walk(n.Left)
			c.walk(n.Right)
			c.walk(n.OrderBy)
			c.walk(n.Limit)
			c.into(n.Into)
		})
	case *sqlparser.TableFuncExpr:
		c.block.add(aliased{alias: n.Alias.String()})
		c.walk(n.Exprs)
	case *sqlparser.JSONTableExpr:
		c.block.add(aliased{alias: n.Alias.String()})
		c.walk(n.Data)
	case *sqlparser.Into:
		c.into(n)
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.Set, *sqlparser.Call: // in a body
		c.statement(n.(sqlparser.Statement), "")
	default:
		return false
	}
	return true
}

func (b *block) add(t aliased) {
	if b != nil {
		b.tables = append(b.tables, t)
	}
}

func (c *collector) column(p privilege.Set, name string, qualifier sqlparser.TableName) {
	if c.block == nil {
		return
	}
	if levels := c.block.levels(qualifier); len(levels) > 0 {
		c.needs.Reads = append(c.needs.Reads, privilege.Read{
			Privilege: p, Column: name, Whole: name == "" && qualifier.IsEmpty(), Levels: levels,
		})
	}
}

// read needs SELECT on a table.
func (c *collector) read(t sqlparser.TableName, alias string) {
	if t.Name.IsEmpty() {
		return
	}
	name := tableName(t)
	if name.DB == "" && (strings.EqualFold(name.Name, "dual") || c.block.cte(name.Name)) {
		c.block.add(aliased{TableName: name, alias: aliasOr(alias, name.Name)})
		return
	}
	need := privilege.NeedTable(name, privilege.Select)
	need.ByColumn, need.Word = true, c.word
	c.needs.Add(need)
	c.block.add(aliased{TableName: name, alias: aliasOr(alias, name.Name), base: true})
}

func aliasOr(alias, name string) string {
	if alias != "" {
		return alias
	}
	return name
}

func (c *collector) aliased(n *sqlparser.AliasedTableExpr) {
	if t, ok := n.Expr.(sqlparser.TableName); ok {
		c.read(t, n.As.String())
	} else {
		c.walk(n.Expr)
		c.block.add(aliased{alias: n.As.String()})
	}
	c.walk(n.AsOf)
}

// scoped runs f in a block that knows the common table expressions of a WITH clause, after reading those.
func (c *collector) scoped(with *sqlparser.With, f func()) {
	outer := c.block
	c.block = &block{outer: outer}
	defer func() { c.block = outer }()
	if with != nil {
		for _, cte := range with.Ctes {
			if with.Recursive {
				c.block.ctes = append(c.block.ctes, cte.As.String())
			}
			c.walk(cte.Expr)
			if !with.Recursive {
				c.block.ctes = append(c.block.ctes, cte.As.String())
			}
		}
		c.block.tables = nil
	}
	f()
}

// query reads one SELECT: its tables first, which its columns then belong to.
func (c *collector) query(n *sqlparser.Select) {
	c.scoped(n.With, func() {
		c.into(n.Into)
		tables, conditions := splitFrom(n.From)
		for _, t := range tables {
			c.walk(t)
		}
		c.walk(conditions)
		c.walk(n.SelectExprs)
		c.walk(n.Where)
		c.walk(n.GroupBy)
		c.walk(n.Having)
		c.walk(n.Window)
		c.walk(n.OrderBy)
		c.walk(n.Limit)
	})
}

// splitFrom divides a FROM clause into its tables and the conditions of its joins.
func splitFrom(from sqlparser.TableExprs) (tables []sqlparser.TableExpr, conditions []sqlparser.JoinCondition) {
	var split func(e sqlparser.TableExpr)
	split = func(e sqlparser.TableExpr) {
		switch e := e.(type) {
		case *sqlparser.JoinTableExpr:
			split(e.LeftExpr)
			split(e.RightExpr)
			conditions = append(conditions, e.Condition)
		case *sqlparser.ParenTableExpr:
			for _, inner := range e.Exprs {
				split(inner)
			}
		default:
			tables = append(tables, e)
		}
	}
	for _, e := range from {
		split(e)
	}
	return tables, conditions
}

func (c *collector) into(n *sqlparser.Into) {
	if n != nil && (n.Outfile != "" || n.Dumpfile != "") {
		c.needs.Add(privilege.Need{On: privilege.Global, All: privilege.File})
	}
}
