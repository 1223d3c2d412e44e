package gms

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/infoschema"
)

// nameSchemaColumns gives the columns that a query selects from information_schema the names that it writes: go-mysql-server
// answers with those of the tables, which are capitals. Such a name is an alias; one that the list has twice gets none.
func nameSchemaColumns(ast sqlparser.Statement, text, db string) {
	if !strings.EqualFold(db, infoSchema) && !strings.Contains(strings.ToLower(text), infoSchema) {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if s, ok := n.(*sqlparser.Select); ok && readsSchema(s.From, db) {
			aliasColumns(s.SelectExprs)
		}
		return true, nil
	}, ast)
}

// readsSchema reports whether a FROM clause has a table of information_schema; db is the database of names without one.
func readsSchema(from sqlparser.TableExprs, db string) bool {
	for _, t := range from {
		switch t := t.(type) {
		case *sqlparser.AliasedTableExpr:
			name, ok := t.Expr.(sqlparser.TableName)
			in := name.DbQualifier.String()
			if in == "" {
				in = db
			}
			if ok && strings.EqualFold(in, infoSchema) && !strings.HasPrefix(name.Name.String(), infoschema.MySQLPrefix) {
				return true
			}
		case *sqlparser.ParenTableExpr:
			if readsSchema(t.Exprs, db) {
				return true
			}
		case *sqlparser.JoinTableExpr:
			if readsSchema(sqlparser.TableExprs{t.LeftExpr, t.RightExpr}, db) {
				return true
			}
		}
	}
	return false
}

func aliasColumns(list sqlparser.SelectExprs) {
	named := map[string]int{}
	each := func(do func(e *sqlparser.AliasedExpr, name sqlparser.ColIdent)) {
		for _, item := range list {
			e, ok := item.(*sqlparser.AliasedExpr)
			if !ok {
				continue
			}
			if c, ok := e.Expr.(*sqlparser.ColName); ok && e.As.IsEmpty() {
				do(e, c.Name)
			} else {
				named[e.As.Lowered()]++
			}
		}
	}
	each(func(_ *sqlparser.AliasedExpr, name sqlparser.ColIdent) { named[name.Lowered()]++ })
	each(func(e *sqlparser.AliasedExpr, name sqlparser.ColIdent) {
		if named[name.Lowered()] == 1 {
			e.As = name
		}
	})
}

// patternIn is what the name of the first column of SHOW TABLES and SHOW DATABASES has of their LIKE.
func patternIn(ast sqlparser.Statement) string {
	n, ok := ast.(*sqlparser.Show)
	if !ok {
		return ""
	}
	filter := n.Filter
	switch {
	case strings.EqualFold(n.Type, "tables") && n.ShowTablesOpt != nil:
		filter = n.ShowTablesOpt.Filter
	case !strings.EqualFold(n.Type, "databases"): // SHOW SCHEMAS is one of these
		return ""
	}
	if filter == nil || filter.Like == "" {
		return ""
	}
	return " (" + filter.Like + ")"
}
