package viewtext

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Catalog is what the names in a view mean.
type Catalog interface {
	// Temporary reports whether the session has a temporary table of the name.
	Temporary(db, name string) bool
	// Table are the columns of a table that * shows; ok is false if there is no such table.
	Table(db, name string) (columns []string, ok bool)
	// View is the CREATE VIEW of a view, and the mode under which it is read; ok is false if there is no such view.
	View(db, name string) (text string, mode dialect.Mode, ok bool)
}

const (
	// viewsDeepest is how many views may be below each other.
	viewsDeepest = 32
	// columnsMost is how many columns there may be in one * at most: as many as in a table.
	columnsMost = 4096
)

// Settle is the text that is kept of a CREATE VIEW or ALTER VIEW that runs in a database. A text that is neither stays as it is.
func Settle(text string, mode dialect.Mode, db string, c Catalog) (string, error) {
	st, _, err := grammar.Parse(text, grammar.Options{Mode: mode.Lex()})
	def, ok := st.(*tree.View)
	if err != nil || !ok {
		return text, nil //nolint:nilerr // the parser of the statement tells
	}
	if name := def.Name.DB.Text; name != "" {
		db = name
	}
	if err := allowed(def); err != nil {
		return "", err
	}
	r := &reader{text: text, db: db, catalog: c, self: def.Name.Name.Text, edit: true, known: map[[2]string][]string{}}
	columns, err := r.query(def.Query, nil, true)
	if err != nil {
		return "", err
	}
	if def.Columns != nil && len(def.Columns) != len(columns) {
		return "", mysqlerr.New(mysqlerr.ViewWrongList)
	}
	return r.edited(), nil
}

// allowed refuses what no view may have.
func allowed(def *tree.View) (err error) {
	tree.Walk(def.Query, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.UserVariable, *tree.AssignVariable, *tree.SystemVariable, *tree.Placeholder:
			err = mysqlerr.New(mysqlerr.ViewSelectVariable)
		}
		return err == nil
	})
	return err
}

// Joined is the text of a statement in which each * over a join with NATURAL or USING is written out: go-mysql-server has the columns of such a join
// in another order, or loses some.
func Joined(text string, mode dialect.Mode, db string, c Catalog) (string, error) {
	st, _, err := grammar.Parse(text, grammar.Options{Mode: mode.Lex()})
	if err != nil {
		return text, nil //nolint:nilerr // the parser of the statement tells
	}
	r := &reader{text: text, db: db, catalog: c, edit: true, joins: true, known: map[[2]string][]string{}}
	var known *mysqlerr.Error
	if err := r.expressions(nil, st); errors.As(err, &known) && (known.Number == mysqlerr.NotSupportedYet || known.Number == mysqlerr.BadTable) {
		return "", err
	} else if err != nil {
		return text, nil //nolint:nilerr // whoever plans the statement says what is not there
	}
	return r.edited(), nil
}

// usesColumns reports whether there is NATURAL or USING in a FROM clause.
func usesColumns(from []tree.TableRef) bool {
	return slices.ContainsFunc(from, func(ref tree.TableRef) bool {
		j, ok := ref.(*tree.Join)
		return ok && (j.Natural || j.Using != nil || usesColumns([]tree.TableRef{j.Left, j.Right}))
	})
}

// reader reads the query of one view, or the queries of a statement.
type reader struct {
	text    string
	db      string // in which names without a database are looked for
	self    string // the view that is being made; empty for one that is there
	catalog Catalog
	depth   int
	edit    bool // the text is changed: else only names are wanted
	joins   bool // only a * over NATURAL and USING is
	edits   []edit
	// known are the columns of the views that were read, by their names: each is read once, however often others name it.
	known map[[2]string][]string
}

// edit puts another text in a place.
type edit struct {
	tree.Span
	text string
}

func (r *reader) put(at tree.Span, text string) {
	if r.edit {
		r.edits = append(r.edits, edit{at, text})
	}
}

// edited is the text with what was put into it.
func (r *reader) edited() string {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return int(a.Start - b.Start) })
	var out strings.Builder
	done := int32(0)
	for _, e := range r.edits {
		out.WriteString(r.text[done:e.Start])
		out.WriteString(e.text)
		done = e.End
	}
	out.WriteString(r.text[done:])
	return out.String()
}

// tables are what WITH names, the innermost first.
type tables struct {
	name    string
	columns []string
	outer   *tables
}

func (t *tables) find(name string) *tables {
	for ; t != nil; t = t.outer {
		if strings.EqualFold(t.name, name) {
			return t
		}
	}
	return nil
}

// query gives the names of a query's columns. shown says that they are the view's: those without names get them.
func (r *reader) query(q tree.Query, with *tables, shown bool) ([]string, error) {
	switch q := q.(type) {
	case *tree.Select:
		return r.selects(q, with, shown)
	case *tree.Nested:
		with, err := r.with(q.With, with)
		if err != nil {
			return nil, err
		}
		columns, err := r.query(q.Query, with, shown)
		if err != nil {
			return nil, err
		}
		return columns, r.expressions(with, tailOf(&q.Tail)...)
	case *tree.SetOperation:
		with, err := r.with(q.With, with)
		if err != nil {
			return nil, err
		}
		columns, err := r.query(q.First, with, shown)
		if err != nil {
			return nil, err
		}
		for _, term := range q.Rest {
			if _, err := r.query(term.Query, with, false); err != nil {
				return nil, err
			}
		}
		return columns, r.expressions(with, tailOf(&q.Tail)...)
	case *tree.Values:
		var columns []string
		for _, x := range q.Rows[0].Items {
			item := &tree.SelectItem{Span: x.Place(), X: x}
			columns = append(columns, item.Written(r.text))
		}
		return columns, nil
	}
	return nil, mysqlerr.NotYet("this query in a view")
}

func tailOf(t *tree.Tail) (out []tree.Node) {
	for _, o := range t.OrderBy {
		out = append(out, o)
	}
	return out
}

// with adds the tables of a WITH clause.
func (r *reader) with(w *tree.With, outer *tables) (*tables, error) {
	if w == nil {
		return outer, nil
	}
	for _, c := range w.Tables {
		names := make([]string, len(c.Columns))
		for i := range c.Columns {
			names[i] = c.Columns[i].Text
		}
		if !w.Recursive {
			columns, err := r.query(c.Query, outer, false)
			if err != nil {
				return nil, err
			}
			outer = &tables{c.Name.Text, named(columns, names), outer}
			continue
		}
		if len(names) == 0 { // the first query, which does not name the table, has the names
			first := c.Query
			if s, ok := first.(*tree.SetOperation); ok && s.With == nil {
				first = s.First
			}
			only := *r
			only.edit, only.edits = false, nil
			var err error
			if names, err = only.query(first, outer, false); err != nil {
				return nil, err
			}
		}
		outer = &tables{c.Name.Text, names, outer}
		if _, err := r.query(c.Query, outer, false); err != nil {
			return nil, err
		}
	}
	return outer, nil
}

func named(columns, names []string) []string {
	if len(names) > 0 {
		return names
	}
	return columns
}

// expressions looks at the queries in expressions.
func (r *reader) expressions(with *tables, nodes ...tree.Node) (err error) {
	for _, n := range nodes {
		tree.Walk(n, func(n tree.Node) bool {
			if err != nil {
				return false
			}
			switch n := n.(type) {
			case *tree.Exists:
				err = r.exists(n, with)
				return false
			case tree.Query:
				_, err = r.query(n, with, false)
				return false
			case *tree.TemporalLit:
				err = r.temporal(n)
			}
			return true
		})
	}
	return err
}

// exists looks at EXISTS, which asks for rows and not for columns: a * there is not what the tables have.
func (r *reader) exists(n *tree.Exists, with *tables) error {
	sel, ok := n.Query.(*tree.Select)
	if !ok || len(sel.Items) != 1 {
		_, err := r.query(n.Query, with, false)
		return err
	}
	if _, ok := sel.Items[0].X.(*tree.AllColumns); !ok {
		_, err := r.query(n.Query, with, false)
		return err
	}
	plain := *sel
	plain.Items = nil
	_, err := r.selects(&plain, with, false)
	return err
}

// temporal writes a literal of a time as a CAST, as go-mysql-server takes it for a text.
func (r *reader) temporal(n *tree.TemporalLit) error {
	if r.joins || !r.edit {
		return nil
	}
	cast, ok := n.Cast()
	if !ok {
		return mysqlerr.NotYet("a literal like DATE'2026-01-02' that is not written so, in a view; CAST")
	}
	r.put(n.Span, cast)
	return nil
}

// bits writes a column b'1' as 0x01, which go-mysql-server reads as the text of bytes that it is. In expressions it takes the one for a number, and the
// other for a text.
func (r *reader) bits(n *tree.BytesLit) {
	if at := r.text[n.Start]; !r.joins && n.Charset == "" && n.Number && n.Value != "" && (at|0x20 == 'b' || at == '0' && r.text[n.Start+1]|0x20 == 'b') {
		r.put(n.Span, fmt.Sprintf("0x%X", n.Value))
	}
}
