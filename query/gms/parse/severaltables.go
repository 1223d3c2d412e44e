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

// deletedTables settles which tables every DELETE of several tables names as those to delete from.
func deletedTables(ast sqlparser.Statement) error {
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.DDL:
			for _, body := range Bodies(n) {
				if err := deletedTables(body); err != nil {
					return false, err
				}
			}
		case *sqlparser.Delete:
			return true, linkTargets(n)
		}
		return true, nil
	}, ast)
}

// linkTargets looks for the tables that a DELETE names among those of its FROM clause, exactly as they are called there, and gives them the small letters
// by which go-mysql-server finds them. It takes a table of that name under another alias for one as well, and is not asked then.
func linkTargets(n *sqlparser.Delete) error {
	if len(n.Targets) == 0 {
		return nil
	}
	var aliases, called []string
	var hidden []string // tables that are called otherwise
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name, isTable := t.Expr.(sqlparser.TableName)
		switch {
		case t.As.IsEmpty() && isTable:
			called = append(called, name.Name.String())
		case isTable && !strings.EqualFold(name.Name.String(), t.As.String()):
			hidden = append(hidden, strings.ToLower(name.Name.String()))
			fallthrough
		default:
			aliases = append(aliases, t.As.String())
		}
		return false, nil
	}, n.TableExprs)
	for i, target := range n.Targets {
		name, qualified := target.Name.String(), !target.DbQualifier.IsEmpty()
		if !slices.Contains(called, name) && (qualified || !slices.Contains(aliases, name)) {
			return mysqlerr.New(mysqlerr.UnknownTable, name, "MULTI DELETE")
		}
		if slices.Contains(aliases, name) && slices.Contains(hidden, strings.ToLower(name)) {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "DELETE of an alias that is the name of another table of the statement (use another alias)")
		}
		if !qualified {
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
