package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// refuseAssigned refuses an UPDATE of several tables that sets columns of one table under two names, of which go-mysql-server keeps one, or in which a
// value names a column that another assignment sets. MariaDB reads that column as it was, or as it is set, by the order in which it joins the tables.
func refuseAssigned(n *sqlparser.Update) error {
	if OneTable(n.TableExprs) {
		return nil
	}
	if setsTwice(n) {
		return mysqlerr.NotYet("UPDATE of one table under two names; write two statements")
	}
	var err error
	for i, set := range n.Exprs {
		namedIn(set.Expr, nil, func(name *sqlparser.ColName) bool {
			for j, other := range n.Exprs {
				if j != i && mayBeSame(name, other.Name) {
					err = mysqlerr.NotYet("UPDATE of several tables in which a value names a column that another assignment sets")
				}
			}
			return err == nil
		})
	}
	return err
}

// setsTwice reports whether an UPDATE may set columns of one table under two names.
func setsTwice(n *sqlparser.Update) bool {
	var tables []*sqlparser.AliasedTableExpr
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		if _, ok := t.Expr.(sqlparser.TableName); ok {
			tables = append(tables, t)
		}
		return false, nil // a derived table's own are not set
	}, n.TableExprs)
	set := map[string]bool{}
	for _, e := range n.Exprs {
		set[strings.ToLower(e.Name.Qualifier.Name.String())] = true
	}
	for i, t := range tables {
		for _, other := range tables[:i] {
			x, y := t.Expr.(sqlparser.TableName), other.Expr.(sqlparser.TableName)
			if !strings.EqualFold(x.Name.String(), y.Name.String()) || differ(x.DbQualifier.String(), y.DbQualifier.String()) {
				continue
			}
			// A column without a name of its table is one of both only in USING: then it is the first one's.
			if a, b := set[calledLower(t)], set[calledLower(other)]; a && b || (a || b) && set[""] {
				return true
			}
		}
	}
	return false
}

// namedIn goes over the columns that an expression names, while visit returns true. Of a subquery's these are what its own tables, or the given
// ones, do not have; a name alone may be one of both.
func namedIn(e sqlparser.SQLNode, own map[string]bool, visit func(*sqlparser.ColName) bool) {
	ended := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Subquery:
			within := map[string]bool{}
			for name := range own {
				within[name] = true
			}
			for _, t := range tablesIn(node.Select) {
				within[calledLower(t)] = true
			}
			namedIn(node.Select, within, visit)
			return false, nil
		case *sqlparser.ColName:
			if q := node.Qualifier.Name.String(); q == "" || !own[strings.ToLower(q)] {
				ended = !visit(node)
			}
		}
		return !ended, nil
	}, e)
}

// tablesIn are the tables of a FROM clause, or of a query, derived ones and those of subqueries with them.
func tablesIn(node sqlparser.SQLNode) []*sqlparser.AliasedTableExpr {
	var out []*sqlparser.AliasedTableExpr
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if ok {
			out = append(out, t)
		}
		return true, nil
	}, node)
	return out
}

// calledLower is how the statement calls a table, in small letters.
func calledLower(t *sqlparser.AliasedTableExpr) string {
	if name, ok := t.Expr.(sqlparser.TableName); ok && t.As.IsEmpty() {
		return strings.ToLower(name.Name.String())
	}
	return strings.ToLower(t.As.String())
}

// mayBeSame reports whether two names may be those of one column.
func mayBeSame(a, b *sqlparser.ColName) bool {
	return a.Name.Equal(b.Name) && !differ(a.Qualifier.Name.String(), b.Qualifier.Name.String())
}

// differ reports whether two names are both given, and not the same.
func differ(a, b string) bool { return a != "" && b != "" && !strings.EqualFold(a, b) }
