package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// rewriteMatch puts the columns of a MATCH into parentheses, which MariaDB does not ask for.
func rewriteMatch(e *dialect.Editor, toks []dialect.Token) bool {
	for i, t := range toks {
		if t.Is("AGAINST") && i > 0 {
			e.Replace(toks[0], "("+toks[0].Text)
			if i > 1 {
				e.Replace(toks[i-1], toks[i-1].Text+")")
			} else {
				e.Replace(t, ") AGAINST")
			}
			return true
		}
	}
	return false
}

// withModes puts the modes of MATCH ... AGAINST into what is searched for, by functions that package semantics knows: go-mysql-server refuses all but
// one of them. In the order of a set operation's rows there is no index that MATCH could have.
func withModes(ast sqlparser.Statement) error {
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if set, ok := n.(*sqlparser.SetOp); ok { // whose order is not gone through
			if err := sqlparser.Walk(noMatch, set.OrderBy); err != nil {
				return false, err
			}
		}
		withMode(n)
		return true, nil
	}, ast)
}

// noMatch refuses a MATCH. In boolean mode MariaDB does without an index.
func noMatch(n sqlparser.SQLNode) (bool, error) {
	m, ok := n.(*sqlparser.MatchExpr)
	switch {
	case !ok:
		return true, nil
	case m.Option == sqlparser.BooleanModeStr:
		return false, mysqlerr.NotYet("MATCH ... IN BOOLEAN MODE in the ORDER BY of a UNION")
	}
	return false, mysqlerr.New(mysqlerr.FTMatchingKeyNotFound)
}

// withMode is withModes for one node.
func withMode(n sqlparser.SQLNode) {
	m, ok := n.(*sqlparser.MatchExpr)
	if !ok {
		return
	}
	name := ""
	switch m.Option {
	case sqlparser.BooleanModeStr:
		name = function.AgainstBoolean
	case sqlparser.QueryExpansionStr, sqlparser.NaturalLanguageModeWithQueryExpansionStr:
		name = function.AgainstExpansion
	}
	if name != "" {
		m.Option = ""
		m.Expr = &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name), Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: m.Expr}}}
	}
}
