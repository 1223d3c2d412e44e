package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/statement"
)

// checkStars refuses a SELECT with * over joins that share columns (NATURAL, USING) for which go-mysql-server shows other columns than MariaDB: each shared
// one once, before the others of the left side and those of the right side. Queries within statements are refused by package parse.
func (e *Engine) checkStars(c *sql.Context, ast sqlparser.Statement, schema sql.Schema) error {
	n, ok := ast.(*sqlparser.Select)
	if !ok || parse.RefuseStars(n) == nil {
		return nil
	}
	s := sharedColumns{s: sessionOf(c), tables: map[string][]string{}}
	var all []string
	for _, from := range n.From {
		columns, ok := s.of(from)
		if !ok {
			return parse.RefuseStars(n)
		}
		all = append(all, columns...)
	}
	var shown []string
	for _, x := range n.SelectExprs {
		star, ok := x.(*sqlparser.StarExpr)
		switch {
		case !ok:
			shown = append(shown, "")
		case star.TableName.IsEmpty():
			shown = append(shown, all...)
		default:
			columns, ok := s.tables[strings.ToLower(star.TableName.Name.String())]
			if !ok {
				return parse.RefuseStars(n)
			}
			shown = append(shown, columns...)
		}
	}
	if len(shown) != len(schema) {
		return parse.RefuseStars(n)
	}
	for i, name := range shown {
		if name != "" && !strings.EqualFold(name, schema[i].Name) {
			return parse.RefuseStars(n)
		}
	}
	return nil
}

// sharedColumns finds the columns that * shows.
type sharedColumns struct {
	s      *Session
	tables map[string][]string // columns of the tables that were met, by the small letters of their names in the statement
}

// of are the columns of a part of FROM; ok is false for what is no table, and for RIGHT joins.
func (s sharedColumns) of(from sqlparser.TableExpr) (columns []string, ok bool) {
	switch from := from.(type) {
	case *sqlparser.AliasedTableExpr:
		name, ok := from.Expr.(sqlparser.TableName)
		if !ok || s.s == nil || s.s.Tx == nil {
			return nil, false
		}
		t := s.s.Tx.Catalog().Table(s.s.DBOf(statement.Use{DB: name.DbQualifier.String()}), name.Name.String())
		if t == nil {
			return nil, false
		}
		called := name.Name.String()
		if !from.As.IsEmpty() {
			called = from.As.String()
		}
		for i := range t.Def.Columns {
			if !t.Def.Columns[i].Hidden && !t.Def.Columns[i].Invisible {
				columns = append(columns, t.Def.Columns[i].Name)
			}
		}
		s.tables[strings.ToLower(called)] = columns
		return columns, true
	case *sqlparser.ParenTableExpr:
		for _, inner := range from.Exprs {
			own, ok := s.of(inner)
			if !ok {
				return nil, false
			}
			columns = append(columns, own...)
		}
		return columns, true
	case *sqlparser.JoinTableExpr:
		left, ok := s.of(from.LeftExpr)
		right, also := s.of(from.RightExpr)
		if !ok || !also || strings.Contains(from.Join, "right") {
			return nil, false
		}
		return joined(from, left, right), true
	}
	return nil, false
}

// joined are the columns of a join in the order in which * shows them.
func joined(n *sqlparser.JoinTableExpr, left, right []string) []string {
	shared := map[string]bool{}
	for _, name := range n.Condition.Using {
		shared[name.Lowered()] = true
	}
	if strings.Contains(n.Join, "natural") {
		for _, name := range right {
			shared[strings.ToLower(name)] = true
		}
	}
	var first, rest []string
	here := map[string]bool{}
	for _, name := range left {
		if low := strings.ToLower(name); shared[low] {
			first, here[low] = append(first, name), true
		} else {
			rest = append(rest, name)
		}
	}
	for _, name := range right {
		if !here[strings.ToLower(name)] {
			rest = append(rest, name)
		}
	}
	return append(first, rest...)
}
