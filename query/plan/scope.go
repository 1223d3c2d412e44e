package plan

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/partition"
	"github.com/duramendb/duramen/query/relation"
)

// Source is the table of a statement, and how the statement calls it.
type Source struct {
	Table *relation.Table
	Alias string // the table's name where it has no other
	// View is the view that the statement names; nil if it names the table.
	View *View
	// Ignored are the indexes that the statement's hints forbid, by their place: -1 is the primary key, by which rows are found all the same.
	Ignored map[int]bool
	// CurrentDB is the session's database, for messages.
	CurrentDB string
	// Place is the place of its row among those of the frame.
	Place int
	// Unchecked says that CHECK constraints are not looked at (check_constraint_checks=OFF).
	Unchecked bool
	// Descending says that rows are read from the last to the first where nothing asks for another order.
	Descending bool
	// Partitions is the rule of the table's partitions; nil if it has none.
	Partitions *partition.Rule
	// Selected are the places of the partitions that PARTITION (...) names; nil for all.
	Selected map[int]bool
	// Counted says that the rows are those of a sequence, of which MariaDB counts more as examined than it reads.
	Counted bool
}

// scope is what names mean in a clause.
type scope struct {
	src    *Source
	clause string // as error 1054 has it
	// items are those of the select list, whose names count where there is no column of the name; nil in clauses where they do not.
	items []*Item
	// used notes the columns that are read.
	used map[int]bool
	// below notes those that defaults and generated columns read, which the statement does not name.
	below map[int]bool
	// derived says that there is a table without a name: a SELECT in parentheses.
	derived bool
	// source is which row of the table is read: its place behind the table's.
	source int
	// bind binds an expression of a view's; see ofView.
	bind func(tree.Expr) (*eval.Expr, error)
}

// column is the column that a name means: bind.Binder.Column.
func (s *scope) column(n *tree.ColumnRef) (*eval.Expr, error) {
	if x, err := s.ofView(n); x != nil || err != nil {
		return x, err
	}
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

// place is the place of the row that is read among those of the frame.
func (s *scope) place() int { return s.src.Place + s.source }

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
	x := s.src.Table.Expr(s.place(), ordinal, db+def.Name+column) // warnings about values know no aliases
	if s.src.Alias == def.Name || s.src.View != nil && s.src.View.Reads {
		return x, nil
	}
	printed := db + s.src.Alias + column
	return x.Printed(func(dst []byte) []byte { return append(dst, printed...) }), nil
}

// ordinal is the column of the table that a name means, -1 for none.
func (s *scope) ordinal(n *tree.ColumnRef) (int, error) {
	if s.src != nil && n.Table.Text == tableMark {
		return s.src.Table.Find(n.Name.Text), nil
	}
	if s.src == nil || !s.src.called(n.DB.Text, n.Table.Text) {
		return -1, nil
	}
	if v := s.src.View; v != nil {
		return v.ordinal(n.Name.Text)
	}
	return s.src.Table.Find(n.Name.Text), nil
}

// called reports whether db.table, or table, or nothing, is the source's name, exactly.
func (s *Source) called(db, table string) bool {
	if table == "" {
		return true
	}
	if table != s.Alias {
		return false
	}
	if s.View != nil {
		return db == "" || db == s.View.DB
	}
	return db == "" || db == s.Table.Def.DB
}

// unknown is the error of a name that means nothing. Where there is no table at all, it is the name's table that is unknown.
func (s *scope) unknown(n *tree.ColumnRef) error {
	if s.src == nil && !s.derived && n.Table.Text != "" && s.clause != "HAVING" { // which looks for items only
		return unknownTable(n, s.clause)
	}
	clause := s.clause
	if s.src != nil && s.src.View != nil && !s.src.View.Reads && clause == "WHERE" {
		clause = "FROM" // where MariaDB has the conditions of a view
	}
	return mysqlerr.New(mysqlerr.BadField, fullName(n), clause)
}

// unknownTable is the error of the name of a column in a statement without tables.
func unknownTable(n *tree.ColumnRef, clause string) error {
	table := n.Table.Text
	if n.DB.Text != "" {
		table = n.DB.Text + "." + table
	}
	return mysqlerr.New(mysqlerr.UnknownTable, table, clause)
}

// fullName is a name as messages have it.
func fullName(n *tree.ColumnRef) string {
	name := n.Name.Text
	if n.Table.Text != "" {
		name = n.Table.Text + "." + name
	}
	if n.DB.Text != "" {
		name = n.DB.Text + "." + name
	}
	return name
}
