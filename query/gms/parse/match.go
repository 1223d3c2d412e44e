package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/function"
)

// withModes puts the modes of MATCH ... AGAINST into what is searched for, by functions that package semantics knows: go-mysql-server refuses all but
// one of them.
func withModes(ast sqlparser.Statement) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		m, ok := n.(*sqlparser.MatchExpr)
		if !ok {
			return true, nil
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
		return true, nil
	}, ast)
}
