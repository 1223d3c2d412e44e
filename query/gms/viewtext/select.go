package viewtext

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// source is a table in a FROM clause.
type source struct {
	db, name string // db is empty for what has no database, or is not named by one
	columns  []string
}

// column is a column of a FROM clause.
type column struct{ db, table, name string }

func (c column) text(named bool) string {
	out := dialect.QuoteName(c.table) + "." + dialect.QuoteName(c.name)
	if c.db != "" {
		out = dialect.QuoteName(c.db) + "." + out
	}
	if named {
		out += " AS " + dialect.QuoteName(c.name)
	}
	return out
}

// selects gives the names of a SELECT's columns.
func (r *reader) selects(n *tree.Select, with *tables, shown bool) ([]string, error) {
	with, err := r.with(n.With, with)
	if err != nil {
		return nil, err
	}
	var sources []source
	var all []column
	for _, ref := range n.From {
		of, columns, err := r.from(ref, with)
		if err != nil {
			return nil, err
		}
		sources, all = append(sources, of...), append(all, columns...)
	}
	var items []*item
	for _, i := range n.Items {
		star, ok := i.X.(*tree.AllColumns)
		if !ok {
			items = append(items, &item{SelectItem: i, name: r.nameOf(i), given: i.Alias != nil || isColumn(i.X)})
			continue
		}
		columns := all
		if star.Table.Text != "" {
			if columns, err = columnsOf(sources, star, r.db); err != nil {
				return nil, err
			}
		}
		if len(n.From) == 0 {
			return nil, mysqlerr.New(mysqlerr.NoTablesUsed)
		}
		if len(columns) > columnsMost {
			return nil, mysqlerr.NotYet("a view of so many columns")
		}
		texts := make([]string, len(columns))
		for i, c := range columns {
			texts[i] = c.text(!r.joins)
			items = append(items, &item{name: c.name, given: true})
		}
		if !r.joins || usesColumns(n.From) {
			r.put(star.Span, strings.Join(texts, ","))
		}
	}
	if shown {
		distinguish(items)
	}
	names := make([]string, len(items))
	for i, x := range items {
		names[i] = x.name
		if x.SelectItem == nil {
			continue
		}
		before := len(r.edits)
		if bits, ok := x.X.(*tree.BytesLit); ok {
			r.bits(bits)
		}
		if err := r.expressions(with, x.X); err != nil {
			return nil, err
		}
		bare := x.X.Place() == x.Span && isColumn(x.X)
		if x.Alias == nil && !bare && (shown || len(r.edits) > before) {
			r.put(tree.Span{Start: x.End, End: x.End}, " AS "+dialect.QuoteName(x.name))
		}
	}
	plain := *n
	plain.With, plain.Items, plain.From = nil, nil, nil
	return names, r.parts(&plain, with)
}

// parts looks at the clauses of a SELECT behind FROM.
func (r *reader) parts(n *tree.Select, with *tables) error {
	nodes := tailOf(&n.Tail)
	for _, x := range []tree.Expr{n.Where, n.Having} {
		if x != nil {
			nodes = append(nodes, x)
		}
	}
	for _, g := range n.GroupBy {
		nodes = append(nodes, g)
	}
	for _, w := range n.Windows {
		nodes = append(nodes, w)
	}
	return r.expressions(with, nodes...)
}

// isColumn reports whether an item is a column, in parentheses perhaps, whose name is taken for one that a user has given.
func isColumn(x tree.Expr) bool {
	for {
		switch n := x.(type) {
		case *tree.ColumnRef:
			return true
		case *tree.Unary:
			if n.Op != tree.OpPositive {
				return false
			}
			x = n.X
		default:
			return false
		}
	}
}

// nameOf is the name of an item.
func (r *reader) nameOf(n *tree.SelectItem) string {
	if n.Alias != nil {
		return n.Alias.Text
	}
	return n.Written(r.text)
}

// columnsOf are the columns of t.*.
func columnsOf(sources []source, star *tree.AllColumns, db string) ([]column, error) {
	for _, s := range sources {
		if strings.EqualFold(s.name, star.Table.Text) && (star.DB.Text == "" || s.db == "" || strings.EqualFold(s.db, star.DB.Text)) {
			return s.all(), nil
		}
	}
	if star.DB.Text != "" {
		db = star.DB.Text
	}
	return nil, mysqlerr.New(mysqlerr.BadTable, db+"."+star.Table.Text)
}

func (s source) all() []column {
	out := make([]column, len(s.columns))
	for i, name := range s.columns {
		out[i] = column{s.db, s.name, name}
	}
	return out
}

// from gives the tables of a part of a FROM clause, and the columns of its *.
func (r *reader) from(ref tree.TableRef, with *tables) ([]source, []column, error) {
	var s source
	switch ref := ref.(type) {
	case *tree.Join:
		return r.join(ref, with)
	case *tree.Table:
		columns, err := r.table(ref.Name, with)
		if err != nil {
			return nil, nil, err
		}
		s = source{ref.Name.DB.Text, ref.Name.Name.Text, columns}
		if ref.Alias != nil {
			s.db, s.name = "", ref.Alias.Text
		}
	case *tree.Derived:
		if _, values := ref.Query.(*tree.Values); values && r.edit {
			return nil, nil, mysqlerr.NotYet("VALUES as a table of a view, or of a join with NATURAL or USING; SELECT ... UNION ALL")
		}
		columns, err := r.query(ref.Query, with, false)
		if err != nil {
			return nil, nil, err
		}
		if ref.Alias == nil {
			return nil, nil, mysqlerr.New(mysqlerr.DerivedMustHaveAlias)
		}
		s = source{"", ref.Alias.Text, columns}
	case *tree.JSONTable:
		s = source{"", ref.Alias.Text, jsonColumns(nil, ref.Columns)}
	default:
		return nil, nil, mysqlerr.NotYet("this table in a view")
	}
	return []source{s}, s.all(), nil
}

func jsonColumns(names []string, columns []*tree.JSONColumn) []string {
	for _, c := range columns {
		if c.Kind == tree.JSONNested {
			names = jsonColumns(names, c.Columns)
		} else {
			names = append(names, c.Name.Text)
		}
	}
	return names
}

// join gives those of a join. What NATURAL and USING join comes first, once, from the side that has all rows.
func (r *reader) join(n *tree.Join, with *tables) ([]source, []column, error) {
	tablesLeft, left, err := r.from(n.Left, with)
	if err != nil {
		return nil, nil, err
	}
	tablesRight, right, err := r.from(n.Right, with)
	if err != nil {
		return nil, nil, err
	}
	if n.On != nil {
		if err := r.expressions(with, n.On); err != nil {
			return nil, nil, err
		}
	}
	all := append(slices.Clone(tablesLeft), tablesRight...)
	if !n.Natural && n.Using == nil {
		return all, append(slices.Clone(left), right...), nil
	}
	if n.Kind == tree.RightJoin {
		left, right = right, left
	}
	common := func(c column, other []column) bool {
		same := func(name string) bool { return strings.EqualFold(c.name, name) }
		if n.Using != nil {
			return slices.ContainsFunc(n.Using, func(name tree.Ident) bool { return same(name.Text) })
		}
		return slices.ContainsFunc(other, func(o column) bool { return same(o.name) })
	}
	if n.Natural && !r.joins {
		r.natural(n, left, right)
	}
	var joined, rest []column
	for _, c := range left {
		if common(c, right) {
			joined = append(joined, c)
		} else {
			rest = append(rest, c)
		}
	}
	for _, c := range right {
		if !common(c, left) {
			rest = append(rest, c)
		}
	}
	return all, append(joined, rest...), nil
}

// natural writes a NATURAL join of a view with the columns that both sides have now.
func (r *reader) natural(n *tree.Join, left, right []column) {
	from := int(n.Left.Place().End)
	for _, t := range dialect.Tokens(r.text[from:n.Right.Place().Start], dialect.Mode{}, 0) {
		if t.Is("NATURAL") {
			r.put(tree.Span{Start: int32(from + t.Start), End: int32(from + t.End)}, "")
			break
		}
	}
	var names []string
	for _, c := range left {
		if slices.ContainsFunc(right, func(o column) bool { return strings.EqualFold(o.name, c.name) }) {
			names = append(names, dialect.QuoteName(c.name))
		}
	}
	end := tree.Span{Start: n.End, End: n.End}
	if len(names) == 0 {
		r.put(end, " ON TRUE")
	} else {
		r.put(end, " USING ("+strings.Join(names, ",")+")")
	}
}

// table are the columns of a table or view.
func (r *reader) table(n *tree.TableName, with *tables) ([]string, error) {
	db, name := n.DB.Text, n.Name.Text
	if db == "" {
		if t := with.find(name); t != nil {
			return t.columns, nil
		}
		db = r.db
	}
	if r.self != "" && r.edit {
		if r.catalog.Temporary(db, name) {
			return nil, mysqlerr.New(mysqlerr.ViewSelectTmptable, name)
		}
		if strings.EqualFold(db, r.db) && strings.EqualFold(name, r.self) {
			return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, name)
		}
	}
	if columns, ok := r.catalog.Table(db, name); ok {
		return columns, nil
	}
	text, mode, ok := r.catalog.View(db, name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, name)
	}
	return columnsOfView(db, name, text, mode, r)
}

// columnsOfView are the columns of a view that is there.
func columnsOfView(db, name, text string, mode dialect.Mode, above *reader) ([]string, error) {
	if columns, ok := above.known[[2]string{db, name}]; ok {
		return columns, nil
	}
	st, _, err := grammar.Parse(text, grammar.Options{Mode: mode.Lex()})
	def, ok := st.(*tree.View)
	if err != nil || !ok || above.depth >= viewsDeepest {
		return nil, mysqlerr.New(mysqlerr.ViewInvalid, db, name)
	}
	if def.Columns != nil {
		names := make([]string, len(def.Columns))
		for i := range def.Columns {
			names[i] = def.Columns[i].Text
		}
		return names, nil
	}
	r := &reader{text: text, db: db, catalog: above.catalog, depth: above.depth + 1, known: above.known}
	columns, err := r.query(def.Query, nil, true)
	if err != nil {
		return nil, mysqlerr.New(mysqlerr.ViewInvalid, db, name)
	}
	above.known[[2]string{db, name}] = columns
	return columns, nil
}
