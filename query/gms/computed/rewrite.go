package computed

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval/function"
)

// Rewrite marks the expressions of a statement that reads or changes rows, in its syntax tree. Where it was before it changes nothing.
func Rewrite(ast sqlparser.Statement) {
	switch ast.(type) {
	case *sqlparser.DDL, *sqlparser.DBDDL, *sqlparser.Show, *sqlparser.Explain, *sqlparser.Prepare:
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Select:
			for i := range n.SelectExprs {
				if item, ok := n.SelectExprs[i].(*sqlparser.AliasedExpr); ok {
					item.Expr = value(item.Expr)
				}
			}
			for i := range n.GroupBy {
				n.GroupBy[i] = value(n.GroupBy[i])
			}
		case *sqlparser.Where:
			if n != nil {
				n.Expr = condition(n.Expr)
			}
		case *sqlparser.JoinTableExpr:
			if n.Condition.On != nil {
				n.Condition.On = condition(n.Condition.On)
			}
		case *sqlparser.Order:
			n.Expr = value(n.Expr)
		case *sqlparser.AssignmentExpr:
			n.Expr = value(n.Expr)
		case sqlparser.Values:
			for _, row := range n {
				for i := range row {
					row[i] = value(row[i])
				}
			}
		case sqlparser.InjectedExpr:
			return false, nil
		}
		return true, nil
	}, ast)
}

// condition marks what is compared in a condition, and leaves the comparisons of columns, of which joins and indexes are made.
func condition(e sqlparser.Expr) sqlparser.Expr {
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		e.Expr = condition(e.Expr)
	case *sqlparser.AndExpr:
		e.Left, e.Right = condition(e.Left), condition(e.Right)
	case *sqlparser.OrExpr:
		e.Left, e.Right = condition(e.Left), condition(e.Right)
	case *sqlparser.XorExpr:
		e.Left, e.Right = condition(e.Left), condition(e.Right)
	case *sqlparser.NotExpr:
		e.Expr = condition(e.Expr)
	case *sqlparser.ComparisonExpr:
		e.Left = value(e.Left)
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			for i := range list {
				list[i] = value(list[i])
			}
		} else {
			e.Right = value(e.Right)
		}
	case *sqlparser.RangeCond:
		e.Left, e.From, e.To = value(e.Left), value(e.From), value(e.To)
	case *sqlparser.IsExpr:
		if e.Operator != sqlparser.IsNullStr && e.Operator != sqlparser.IsNotNullStr {
			e.Expr = condition(e.Expr)
			break
		}
		e.Expr = value(e.Expr)
	default:
		return value(e)
	}
	return e
}

// value marks an expression that is a value, or, if it stays go-mysql-server's, those below it.
func value(e sqlparser.Expr) sqlparser.Expr {
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		e.Expr = value(e.Expr)
		return e
	case *sqlparser.ColName, *sqlparser.SQLVal, *sqlparser.NullVal, sqlparser.BoolVal, *sqlparser.Subquery, sqlparser.InjectedExpr, *sqlparser.Default,
		sqlparser.ValTuple, *sqlparser.IntervalExpr:
		return e
	case *sqlparser.UnaryExpr:
		if _, number := e.Expr.(*sqlparser.SQLVal); number && (e.Operator == sqlparser.UMinusStr || e.Operator == sqlparser.UPlusStr) {
			return e
		}
	}
	if computes(e) {
		if own := marked(e); own != nil {
			return own
		}
	}
	below(e)
	return e
}

// below marks the arguments of an expression that stays go-mysql-server's.
func below(e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.FuncExpr:
		for _, arg := range e.Exprs {
			if a, ok := arg.(*sqlparser.AliasedExpr); ok {
				a.Expr = value(a.Expr)
			}
		}
	case *sqlparser.GroupConcatExpr:
		for _, arg := range e.Exprs {
			if a, ok := arg.(*sqlparser.AliasedExpr); ok {
				a.Expr = value(a.Expr)
			}
		}
	case *sqlparser.BinaryExpr:
		e.Left, e.Right = value(e.Left), value(e.Right)
	case *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.XorExpr, *sqlparser.RangeCond, *sqlparser.IsExpr:
		condition(e)
	}
}

// computes reports whether an expression is one that SQL of our own may compute, over what go-mysql-server yields.
func computes(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		return e.Operator != sqlparser.JSONExtractOp && e.Operator != sqlparser.JSONUnquoteExtractOp
	case *sqlparser.FuncExpr:
		name := strings.ToUpper(e.Name.String())
		_, known := function.Find(name)
		return known && !e.IsAggregate() && e.Over == nil && !e.Distinct && e.Qualifier.IsEmpty() && !ofSession[name]
	case *sqlparser.ComparisonExpr, *sqlparser.RangeCond, *sqlparser.IsExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr,
		*sqlparser.UnaryExpr, *sqlparser.CaseExpr, *sqlparser.ConvertExpr, *sqlparser.ConvertUsingExpr, *sqlparser.CollateExpr, *sqlparser.SubstrExpr,
		*sqlparser.TrimExpr, *sqlparser.ExtractFuncExpr, *sqlparser.TimestampFuncExpr, *sqlparser.CharExpr:
		return true
	}
	return false
}

// ofSession are functions that go-mysql-server computes: what they say is about its session or the running routine, or another one each time.
var ofSession = map[string]bool{
	"USER": true, "CURRENT_USER": true, "SESSION_USER": true, "SYSTEM_USER": true, "CURRENT_ROLE": true, "DATABASE": true, "SCHEMA": true, "VERSION": true,
	"CONNECTION_ID": true, "LAST_INSERT_ID": true, "FOUND_ROWS": true, "ROW_COUNT": true, "GET_LOCK": true, "RELEASE_LOCK": true, "IS_FREE_LOCK": true,
	"IS_USED_LOCK": true, "RELEASE_ALL_LOCKS": true, "RAND": true, "UUID": true, "SYS_GUID": true, "UUID_SHORT": true, "SLEEP": true, "BENCHMARK": true,
	"LOAD_FILE": true, "NEXTVAL": true, "LASTVAL": true, "SETVAL": true, "MASTER_POS_WAIT": true, "MASTER_GTID_WAIT": true, "BINLOG_GTID_POS": true,
	"ROWNUM": true, "NAME_CONST": true, "VALUES": true, "VALUE": true, "DEFAULT": true, "SYSDATE": true, "GROUPING": true,
}

// marked is an expression that carries itself and its text for our grammar; nil for one that this does not read, or that has a subquery, which would be
// planned twice.
func marked(e sqlparser.Expr) sqlparser.Expr {
	p := printer{places: map[string]int{}}
	text := p.print(e)
	if p.foreign {
		return nil
	}
	n, _, err := grammar.Parse("SELECT "+text, grammar.Options{})
	if err != nil {
		return nil
	}
	sel, ok := n.(*tree.Select)
	if !ok || len(sel.Items) != 1 || sel.Items[0].Alias != nil {
		return nil
	}
	for _, leaf := range p.leaves {
		below(leaf)
	}
	return sqlparser.InjectedExpr{Expression: &source{x: sel.Items[0].X, text: text}, Children: append(sqlparser.Exprs{e}, p.leaves...)}
}
