package native

import (
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
)

// hidden is the error of a statement that was not bound because of err, as its user gets it: which columns a table has, and what they are,
// is not told to somebody who has no privilege on all of it. Instead the first column is denied that is not there, or may not be used.
func (b *binding) hidden(n tree.Statement, err error) error {
	var wrong *mysqlerr.Error
	if !errors.As(err, &wrong) || len(b.named) == 0 || b.Rights().Everything() {
		return err
	}
	h := hiding{b: b, src: b.named[0]}
	if wrong.Number == mysqlerr.BadField {
		h.unknown = wrong.Message
	}
	switch n := n.(type) {
	case *tree.Select:
		h.query(n)
	case *tree.Insert:
		h.insert(n)
	case *tree.Update:
		h.see(n.Where, privilege.Select)
		h.sets(n.Set, privilege.Update)
		for _, o := range n.OrderBy {
			h.see(o, privilege.Select)
		}
	case *tree.Delete:
		h.see(n, privilege.Select)
	}
	if h.denied != nil {
		return h.denied
	}
	return err
}

// hiding looks for columns of a table that may not be used.
type hiding struct {
	b       *binding
	src     *plan.Source
	unknown string // the message about a name that means nothing
	denied  error
}

func (h *hiding) query(n *tree.Select) {
	having := n.Having
	tree.Walk(n, func(n tree.Node) bool {
		if n == tree.Node(having) { // its names are those of the select list, which are seen there
			return false
		}
		h.look(n, privilege.Select)
		return true
	})
	if having != nil && h.denied == nil {
		h.unknown = ""
		h.see(having, privilege.Select)
	}
}

func (h *hiding) insert(n *tree.Insert) {
	given := privilege.Insert
	if n.OnDuplicate != nil {
		given |= privilege.Update
	}
	if n.Returning != nil {
		given |= privilege.Select
	}
	for _, c := range n.Columns {
		h.see(c, given)
	}
	for _, row := range n.Rows {
		h.see(row, given)
	}
	for _, set := range n.Set {
		h.see(set, given)
	}
	for _, set := range n.OnDuplicate {
		h.see(set.Column, privilege.Select|privilege.Update)
		h.see(set.Value, privilege.Select)
	}
	for _, item := range n.Returning {
		h.see(item, privilege.Select)
	}
	if n.Query != nil && len(h.b.named) > 1 {
		h.src = h.b.named[1]
		h.see(n.Query, privilege.Select)
	}
}

// sets looks at assignments: first at what is assigned.
func (h *hiding) sets(sets []*tree.Assignment, which privilege.Set) {
	for _, set := range sets {
		h.see(set.Column, which)
	}
	for _, set := range sets {
		h.see(set.Value, privilege.Select)
	}
}

// see looks at all columns in a node, of which each needs some privileges.
func (h *hiding) see(n tree.Node, which privilege.Set) {
	if n == nil {
		return
	}
	tree.Walk(n, func(n tree.Node) bool {
		h.look(n, which)
		return h.denied == nil
	})
}

func (h *hiding) look(n tree.Node, which privilege.Set) {
	if h.denied != nil || h.src.View != nil || h.b.temporary[h.src] != nil {
		return
	}
	def := h.src.Table.Def
	switch n := n.(type) {
	case *tree.SelectItem:
		all, ok := n.X.(*tree.AllColumns)
		if !ok || !h.called(all.DB, all.Table) {
			return
		}
		h.denied = h.b.Rights().Check(privilege.Needs{Reads: []privilege.Read{{
			Privilege: privilege.Select, Whole: true, Levels: [][]privilege.TableName{{{DB: def.DB, Name: def.Name}}},
		}}})
	case *tree.ColumnRef:
		if !h.called(n.DB, n.Table) {
			return
		}
		name := n.Name.Text
		if at := h.src.Table.Find(name); at >= 0 {
			name = def.Columns[at].Name
		} else if !h.means(n) {
			return // the name of an item of the select list, or something else is wrong
		}
		h.denied = h.b.Rights().OfColumn(def.DB, def.Name, name, which)
	}
}

// called reports whether a name's qualifiers are those of the table.
func (h *hiding) called(db, table tree.Ident) bool {
	return (table.Text == "" || strings.EqualFold(table.Text, h.src.Alias)) && (db.Text == "" || strings.EqualFold(db.Text, h.src.Table.Def.DB))
}

// means reports whether a name is the one that the message is about.
func (h *hiding) means(n *tree.ColumnRef) bool {
	full := n.Name.Text
	for _, of := range []tree.Ident{n.Table, n.DB} {
		if of.Text != "" {
			full = of.Text + "." + full
		}
	}
	return strings.HasPrefix(h.unknown, "Unknown column '"+full+"' in ")
}
