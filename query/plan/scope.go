package plan

import (
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
)

// Source is the table of a statement, and how the statement calls it.
type Source struct {
	Table *relation.Table
	Alias string // the table's name where it has no other
	// Ignored are the indexes that the statement's hints forbid, by their place.
	Ignored map[int]bool
	// CurrentDB is the session's database, for messages.
	CurrentDB string
}

// scope is what names mean in a clause.
type scope struct {
	src    *Source
	clause string // as error 1054 has it
	// items are those of the select list, whose names count where there is no column of the name; nil in clauses where they do not.
	items []*Item
	// used notes the columns that are read.
	used map[int]bool
}

// column is the column that a name means: bind.Binder.Column.
func (s *scope) column(n *tree.ColumnRef) (*eval.Expr, error) {
	at, err := s.ordinal(n)
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		return s.at(at)
	}
	item, err := s.item(s.items, n)
	switch {
	case err != nil:
		return nil, err
	case item == nil:
		return nil, s.unknown(n)
	case Aggregated(item.X):
		return nil, mysqlerr.New(mysqlerr.IllegalReference, n.Name.Text, "reference to group function")
	}
	return item.X, nil
}

// at is the node of a column.
func (s *scope) at(ordinal int) (*eval.Expr, error) {
	c := &s.src.Table.Columns[ordinal]
	if c.Unknown != "" {
		return nil, bind.Refusal(c.Unknown)
	}
	if s.used != nil {
		s.used[ordinal] = true
	}
	def := s.src.Table.Def
	db, column := "`"+def.DB+"`.`", "`.`"+c.Def.Name+"`"
	x := s.src.Table.Expr(0, ordinal, db+def.Name+column) // warnings about values know no aliases
	if s.src.Alias == def.Name {
		return x, nil
	}
	printed := db + s.src.Alias + column
	return x.Printed(func(dst []byte) []byte { return append(dst, printed...) }), nil
}

// key is by what rows are ordered and told apart for an expression.
func (s *scope) key(x *eval.Expr) *eval.Expr {
	if source, ordinal, ok := x.Column(); ok {
		return s.src.Table.Key(source, ordinal, x.Name)
	}
	return x
}

// ordinal is the column of the table that a name means, -1 for none.
func (s *scope) ordinal(n *tree.ColumnRef) (int, error) {
	if s.src == nil || !s.src.called(n.DB.Text, n.Table.Text) {
		return -1, nil
	}
	return s.src.Table.Find(n.Name.Text), nil
}

// called reports whether db.table, or table, or nothing, is the source's name. Names of tables are compared without regard to case.
func (s *Source) called(db, table string) bool {
	if table == "" {
		return true
	}
	if !strings.EqualFold(table, s.Alias) {
		return false
	}
	return db == "" || strings.EqualFold(db, s.Table.Def.DB)
}

func (s *scope) unknown(n *tree.ColumnRef) error {
	name := n.Name.Text
	if n.Table.Text != "" {
		name = n.Table.Text + "." + name
	}
	if n.DB.Text != "" {
		name = n.DB.Text + "." + name
	}
	return mysqlerr.New(mysqlerr.BadField, name, s.clause)
}
