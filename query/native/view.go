package native

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/relation"
)

// viewsMost is how many views may be below each other.
const viewsMost = 32

// viewed is a view over one table, with the conditions of those below it.
type viewed struct {
	table   *relation.Table
	columns []plan.ViewColumn
	where   []tree.Expr
	checks  []tree.Expr
	// fixed says that rows cannot be changed through it, as it does not show them one by one.
	fixed bool
	// objects are the definitions that were read.
	objects []*catalog.ObjectDef
}

// throughView is the table below a view that a statement changes. verb is the statement in error 1288.
func (b *binding) throughView(db, name string, alias *tree.Ident, verb string, need func(*catalog.TableDef) privilege.Need) (*plan.Source, error) {
	if b.Confined() {
		return nil, bind.Refusal("a view under LOCK TABLES")
	}
	if rights := b.Rights(); !rights.Everything() {
		if err := rights.Check(privilege.Needs{List: []privilege.Need{need(&catalog.TableDef{DB: db, Name: name})}}); err != nil {
			return nil, err
		}
	}
	v, err := b.viewOf(db, name, 0)
	if err != nil {
		return nil, err
	}
	src := &plan.Source{Alias: name, CurrentDB: b.DB(), Unchecked: !b.Vars.On("check_constraint_checks")}
	if alias != nil {
		src.Alias = alias.Text
	}
	switch {
	case v.fixed && verb == reading:
		return nil, bind.Refusal("a view that is a table of its own")
	case v.fixed:
		number := mysqlerr.NonUpdatableTable
		if verb == "INSERT" {
			number = mysqlerr.NonInsertableTable
		}
		return nil, mysqlerr.New(number, src.Alias, verb)
	}
	src.Table = v.table
	src.View = &plan.View{
		DB: db, Name: name, Columns: v.columns, Where: v.where, Checks: v.checks, Named: map[int]bool{}, Reads: verb == reading, Asked: map[int]bool{},
	}
	b.views = v.objects
	return src, nil
}

// viewText is what the catalog keeps of a view.
type viewText struct {
	CreateViewStatement string
	SQLMode             string `json:"SqlMode"`
}

// plainModes are the parts of sql_mode that change what a text means.
var plainModes = []string{"ANSI", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT", "IGNORE_SPACE", "HIGH_NOT_PRECEDENCE", "ORACLE", "MSSQL"}

// viewOf reads the definition of a view.
func (b *binding) viewOf(db, name string, depth int) (*viewed, error) {
	object := b.catalog().Object("view", db, name)
	var text viewText
	if object == nil || json.Unmarshal(object.Body, &text) != nil || depth > viewsMost {
		return nil, bind.Refusal("a view")
	}
	for _, mode := range plainModes {
		if strings.Contains(text.SQLMode, mode) {
			return nil, bind.Refusal("a view that was made under another sql_mode")
		}
	}
	n, _, err := grammar.Parse(text.CreateViewStatement, grammar.Options{})
	def, ok := n.(*tree.View)
	if err != nil || !ok {
		return nil, bind.Refusal("a view")
	}
	v := &viewed{objects: []*catalog.ObjectDef{object}}
	sel, ok := def.Query.(*tree.Select)
	if !ok || def.Algorithm == "TEMPTABLE" {
		v.fixed = true
		return v, nil
	}
	if v.fixed = grouped(sel); v.fixed {
		return v, nil
	}
	if sel.With != nil || sel.Options != 0 || sel.OrderBy != nil || sel.Procedure != nil || sel.Into != nil || sel.Lock != nil || len(sel.From) != 1 {
		return nil, bind.Refusal("a view of this form")
	}
	from, ok := sel.From[0].(*tree.Table)
	if !ok || from.Partitions != nil || from.Time != nil || from.Hints != nil {
		return nil, bind.Refusal("a view of this form")
	}
	below, err := b.belowView(db, from, depth)
	if err != nil {
		return nil, err
	}
	if v.fixed = below.fixed; v.fixed {
		return v, nil
	}
	v.table, v.where, v.checks, v.objects = below.table, below.where, below.checks, append(v.objects, below.objects...)
	return v, v.define(def, sel, from, below, text.CreateViewStatement, b.verb == reading)
}

// grouped reports whether a query does not show the rows of its table one by one.
func grouped(n *tree.Select) bool {
	if n.Options&tree.SelectDistinct != 0 || n.GroupBy != nil || n.Having != nil || n.Windows != nil || n.Limit != nil || len(n.From) == 0 {
		return true
	}
	found := false
	for _, item := range n.Items {
		tree.Walk(item.X, func(n tree.Node) bool {
			if _, is := n.(*tree.Aggregate); is {
				found = true
			}
			_, query := n.(*tree.Subquery)
			return !found && !query
		})
	}
	return found
}

// belowView is the table of a view, or the view.
func (b *binding) belowView(db string, from *tree.Table, depth int) (*viewed, error) {
	if from.Name.DB.Text != "" {
		db = from.Name.DB.Text
	}
	name := from.Name.Name.Text
	tbl, _ := b.Temp.Table(db, name)
	if tbl != nil {
		return nil, bind.Refusal("a view over the name of a temporary table")
	}
	if tbl = b.catalog().Table(db, name); tbl == nil {
		return b.viewOf(db, name, depth+1)
	}
	v := &viewed{table: b.Tables.of(tbl)}
	for i := range tbl.Def.Columns {
		if c := &tbl.Def.Columns[i]; !c.Hidden && !c.Invisible {
			v.columns = append(v.columns, plan.ViewColumn{Name: c.Name, Ordinal: i})
		}
	}
	return v, nil
}

// define takes columns and conditions out of a view's text.
func (v *viewed) define(def *tree.View, sel *tree.Select, from *tree.Table, below *viewed, text string, reads bool) error {
	names := &plan.View{Columns: below.columns}
	alias := from.Name.Name.Text
	if from.Alias != nil {
		alias = from.Alias.Text
	}
	mine := func(table string) bool { return table == "" || strings.EqualFold(table, alias) }
	for _, item := range sel.Items {
		c := plan.ViewColumn{Ordinal: -1}
		switch x := item.X.(type) {
		case *tree.AllColumns:
			if !mine(x.Table.Text) {
				return bind.Refusal("a view of this form")
			}
			v.columns = append(v.columns, below.columns...)
			continue
		case *tree.ColumnRef:
			at := names.Find(x.Name.Text)
			if at < 0 || !mine(x.Table.Text) {
				return bind.Refusal("a view whose table has changed")
			}
			c = plan.ViewColumn{Name: x.Name.Text, Ordinal: below.columns[at].Ordinal, X: below.columns[at].X}
		default:
			c.Name = strings.TrimSpace(text[item.Start:item.End])
			c.X = below.expression(item.X, names, mine)
		}
		if item.Alias != nil {
			c.Name = item.Alias.Text
		}
		v.columns = append(v.columns, c)
	}
	if def.Columns != nil && len(def.Columns) != len(v.columns) {
		return bind.Refusal("a view whose table has changed")
	}
	for i := range def.Columns {
		v.columns[i].Name = def.Columns[i].Text
	}
	if sel.Where == nil {
		return v.checked(def, nil)
	}
	where, ok := belowNames(sel.Where, func(x *tree.ColumnRef) *tree.ColumnRef {
		at := names.Find(x.Name.Text)
		if at < 0 || !mine(x.Table.Text) || below.columns[at].Ordinal < 0 {
			return nil
		}
		return plan.OfTable(v.table.Def.Columns[below.columns[at].Ordinal].Name)
	})
	if !ok && reads {
		where = below.expression(sel.Where, names, mine)
		ok = where != nil
	}
	if !ok {
		return bind.Refusal("a view with such a condition")
	}
	return v.checked(def, where)
}

// expression is an expression of a view over this one, or over a table, with the table's names; nil for one that is not understood.
func (v *viewed) expression(n tree.Expr, names *plan.View, mine func(string) bool) tree.Expr {
	ok := true
	out := tree.Rewrite(n, func(n tree.Node) tree.Node {
		switch x := n.(type) {
		case *tree.ColumnRef:
			at := names.Find(x.Name.Text)
			switch {
			case at < 0 || !mine(x.Table.Text):
			case v.columns[at].Ordinal >= 0:
				return plan.OfTable(v.table.Def.Columns[v.columns[at].Ordinal].Name)
			case v.columns[at].X != nil:
				return v.columns[at].X
			}
			ok = false
		case *tree.TextLit:
			ok = ok && !strings.ContainsFunc(x.Value, func(r rune) bool { return r >= utf8.RuneSelf })
		case *tree.In:
			ok = ok && x.Query == nil
		case *tree.Call:
			ok = ok && x.DB.Text == "" && x.Package.Text == "" && !ofDefiner[strings.ToUpper(x.Name.Text)]
		case *tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.BytesLit, *tree.TemporalLit, *tree.Ident,
			*tree.Binary, *tree.Chain, *tree.Unary, *tree.Is, *tree.Between, *tree.Like, *tree.Row,
			*tree.CaseExpr, *tree.Cast, *tree.CastType, *tree.ConvertUsing, *tree.Extract, *tree.Trim, *tree.TimestampDiff, *tree.AddInterval, *tree.Collate:
		default:
			ok = false
		}
		return n
	}).(tree.Expr)
	if !ok {
		return nil
	}
	return out
}

// ofDefiner are functions that say another thing in a view than around it.
var ofDefiner = map[string]bool{"CURRENT_USER": true, "CURRENT_ROLE": true}

// readView makes a SELECT of a view one of its table.
func readView(n *tree.Select, src *plan.Source) (*tree.Select, error) {
	if n.Rollup || n.Lock != nil || n.From[0].(*tree.Table).Partitions != nil {
		return nil, bind.Refusal("such a SELECT of a view")
	}
	out := *n
	out.Where = within(src.View, n.Where)
	return &out, nil
}

// reading is what a SELECT does, among the verbs of binding.verb.
const reading = "SELECT"

// mayReadThrough asks for the privileges of a SELECT of a view: on something of it, on each column that is named, and below it those of its definer.
func (st *Statement) mayReadThrough(v *plan.View) error {
	rights := st.session.Rights()
	if !rights.Everything() {
		name := privilege.TableName{DB: v.DB, Name: v.Name}
		levels := [][]privilege.TableName{{name}}
		var needs privilege.Needs
		needs.List = append(needs.List, needToRead(&catalog.TableDef{DB: v.DB, Name: v.Name}))
		if st.plan.Star {
			needs.Reads = append(needs.Reads, privilege.Read{Privilege: privilege.Select, Whole: true, Levels: levels})
		}
		for i := range v.Columns {
			if v.Asked[i] {
				needs.Reads = append(needs.Reads, privilege.Read{Privilege: privilege.Select, Column: v.Columns[i].Name, Levels: levels})
			}
		}
		if err := rights.Check(needs); err != nil {
			return err
		}
	}
	return rights.BelowView(v.DB, v.Name, privilege.Select)
}

// checked adds the condition of a view itself to those below it. CASCADED asks all of them of rows that are stored, LOCAL its own.
func (v *viewed) checked(def *tree.View, where tree.Expr) error {
	if where != nil {
		v.where = append([]tree.Expr{where}, v.where...)
	}
	switch {
	case def.Check == "CASCADED":
		v.checks = v.where
	case def.Check == "LOCAL" && where != nil:
		v.checks = append([]tree.Expr{where}, v.checks...)
	}
	return nil
}

// belowNames is a condition with other names for its columns; ok is false for one that has anything but columns, literals and operators.
func belowNames(n tree.Expr, name func(*tree.ColumnRef) *tree.ColumnRef) (out tree.Expr, ok bool) {
	ok = true
	out = tree.Rewrite(n, func(n tree.Node) tree.Node {
		switch x := n.(type) {
		case *tree.ColumnRef:
			if to := name(x); to != nil {
				return to
			}
			ok = false
		case *tree.TextLit:
			ok = ok && !strings.ContainsFunc(x.Value, func(r rune) bool { return r >= utf8.RuneSelf })
		case *tree.In:
			ok = ok && x.Query == nil
		case *tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.BytesLit, *tree.TemporalLit, *tree.Ident,
			*tree.Binary, *tree.Chain, *tree.Unary, *tree.Is, *tree.Between, *tree.Like, *tree.Row:
		default:
			ok = false
		}
		return n
	}).(tree.Expr)
	return out, ok
}

// assignable is error 1348 of an assignment to a column of a view that is an expression.
func assignable(src *plan.Source, list []*tree.Assignment) error {
	for _, a := range list {
		if at := src.View.Find(a.Column.Name.Text); at >= 0 && src.View.Columns[at].Ordinal < 0 {
			return mysqlerr.New(mysqlerr.NonupdateableColumn, a.Column.Name.Text)
		}
	}
	return nil
}

// within is a condition, and those of a view.
func within(v *plan.View, where tree.Expr) tree.Expr {
	all := v.Where
	if where != nil {
		all = append([]tree.Expr{where}, all...)
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &tree.Chain{Op: tree.OpAnd, Operands: all}
}

// updateOfView is an UPDATE of the table below a view.
func updateOfView(n *tree.Update, src *plan.Source) (*tree.Update, error) {
	if n.Limit != nil {
		return nil, bind.Refusal("LIMIT of an UPDATE through a view")
	}
	out := *n
	out.Where = within(src.View, n.Where)
	return &out, assignable(src, n.Set)
}

// deleteOfView is a DELETE from the table below a view.
func deleteOfView(n *tree.Delete, src *plan.Source) (*tree.Delete, error) {
	if n.Limit != nil || n.Returning != nil {
		return nil, bind.Refusal("LIMIT or RETURNING of a DELETE through a view")
	}
	out := *n
	out.Where = within(src.View, n.Where)
	return &out, nil
}

// insertIntoView is an INSERT into the table below a view: with the columns that it names, or all of the view's.
func (b *binding) insertIntoView(n *tree.Insert, src *plan.Source) (*tree.Insert, error) {
	if n.Returning != nil || n.OnDuplicate != nil && n.Query != nil {
		return nil, bind.Refusal("this form of INSERT into a view")
	}
	out, v := *n, src.View
	if n.Columns == nil && n.Set == nil && (n.Query != nil || b.long != nil && b.long.Width > 0 || len(n.Rows) > 0 && len(n.Rows[0].Items) > 0) {
		for i := range v.Columns {
			out.Columns = append(out.Columns, &tree.ColumnRef{Name: tree.Ident{Text: v.Columns[i].Name}})
		}
	}
	given := map[int]bool{}
	take := func(name string) error {
		at := v.Find(name)
		if at < 0 {
			return nil // which is said later
		}
		column := v.Columns[at].Ordinal
		if column < 0 || given[column] {
			return mysqlerr.New(mysqlerr.NonInsertableTable, src.Alias, "INSERT")
		}
		given[column] = true
		return nil
	}
	seen := map[string]bool{}
	for _, c := range out.Columns {
		name, ok := c.(*tree.ColumnRef)
		if !ok {
			return nil, bind.Refusal("this list of columns")
		}
		if key := strings.ToLower(name.Name.Text); !seen[key] {
			seen[key] = true
			if err := take(name.Name.Text); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range n.Set {
		if err := take(a.Column.Name.Text); err != nil {
			return nil, err
		}
	}
	return &out, assignable(src, n.OnDuplicate)
}

// needsOf is the definition whose names the privileges of a statement are asked for: a view has its own, and none for columns that it lacks.
func needsOf(src *plan.Source) *catalog.TableDef {
	if src.View == nil {
		return src.Table.Def
	}
	def := &catalog.TableDef{DB: src.View.DB, Name: src.View.Name, Columns: make([]catalog.ColumnDef, len(src.Table.Def.Columns))}
	for _, c := range src.View.Columns {
		if c.Ordinal >= 0 && src.View.Named[c.Ordinal] {
			def.Columns[c.Ordinal].Name = c.Name
		}
	}
	return def
}
