package parse

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// OneTable reports whether a FROM clause is one table.
func OneTable(from sqlparser.TableExprs) bool {
	if len(from) != 1 {
		return false
	}
	_, ok := from[0].(*sqlparser.AliasedTableExpr)
	return ok
}

// deletedTables looks for the tables that a DELETE of several tables names as those to delete from: among those of its FROM clause, exactly as they are
// called there. go-mysql-server finds them by small letters.
func deletedTables(n *sqlparser.Delete) error {
	if len(n.Targets) == 0 {
		return nil
	}
	var aliases []string
	var called []sqlparser.TableName
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		if !t.As.IsEmpty() {
			aliases = append(aliases, t.As.String())
		} else if name, ok := t.Expr.(sqlparser.TableName); ok {
			called = append(called, name)
		}
		return false, nil
	}, n.TableExprs)
	for i, target := range n.Targets {
		name := target.Name.String()
		alias := target.DbQualifier.IsEmpty() && slices.Contains(aliases, name)
		if !alias && !slices.ContainsFunc(called, func(c sqlparser.TableName) bool { return c.Name.String() == name }) {
			return mysqlerr.New(mysqlerr.UnknownTable, name, "MULTI DELETE")
		}
		if target.DbQualifier.IsEmpty() {
			n.Targets[i].Name = sqlparser.NewTableIdent(strings.ToLower(name))
		}
	}
	return nil
}

// refuseOwnSubquery is error 1093: a DELETE of several tables that reads one of its tables in a subquery of its condition, too. A derived table is read
// before the rows go.
func refuseOwnSubquery(n *sqlparser.Delete) error {
	if OneTable(n.TableExprs) || n.Where == nil {
		return nil
	}
	deleted := map[string]string{} // by the names of tables, how the statement calls them
	named := map[string]string{}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if t, ok := node.(*sqlparser.AliasedTableExpr); ok {
			if name, ok := t.Expr.(sqlparser.TableName); ok {
				called := name.Name.String()
				if !t.As.IsEmpty() {
					called = t.As.String()
				}
				named[strings.ToLower(called)] = name.Name.String()
			}
			return false, nil
		}
		return true, nil
	}, n.TableExprs)
	for _, t := range n.Targets {
		if name := named[strings.ToLower(t.Name.String())]; name != "" {
			deleted[strings.ToLower(name)] = t.Name.String()
		}
	}
	var err error
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return err == nil, nil
		}
		if name, ok := t.Expr.(sqlparser.TableName); ok {
			if called := deleted[strings.ToLower(name.Name.String())]; called != "" && name.DbQualifier.IsEmpty() {
				err = mysqlerr.New(mysqlerr.UpdateTableUsed, called, "DELETE")
			}
		}
		return false, nil
	}, n.Where)
	return err
}
