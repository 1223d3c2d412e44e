package computed

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval/function"
	gmsfunction "github.com/duramendb/duramen/query/gms/function"
)

// Rewrite marks the expressions of a statement that reads or changes rows, in its syntax tree, and names SUM and AVG as those that are exact. What was
// marked before stays. undo makes the tree what it was: those of routines are read again each time that they run.
func Rewrite(ast sqlparser.Statement) (undo func()) {
	m := &marker{}
	switch n := ast.(type) {
	case *sqlparser.DDL:
		if n.ViewSpec != nil && n.ViewSpec.ViewExpr != nil {
			m.rewrite(n.ViewSpec.ViewExpr)
		}
		if n.OptSelect != nil && n.OptSelect.Select != nil {
			m.rewrite(n.OptSelect.Select)
		}
		if n.TriggerSpec != nil && n.TriggerSpec.Body != nil {
			m.rewrite(n.TriggerSpec.Body)
		}
	case *sqlparser.DBDDL, *sqlparser.Show, *sqlparser.Explain, *sqlparser.Prepare:
	default:
		m.rewrite(ast)
	}
	return m.undo
}

// marker marks expressions.
type marker struct{ done []func() }

// undo takes everything back, the last first.
func (m *marker) undo() {
	for i := len(m.done) - 1; i >= 0; i-- {
		m.done[i]()
	}
	m.done = nil
}

// set puts an expression in the place of another one.
func (m *marker) set(at *sqlparser.Expr, e sqlparser.Expr) {
	old := *at
	if same(old, e) {
		return
	}
	*at = e
	m.done = append(m.done, func() { *at = old })
}

// same reports whether two expressions are one: marked ones, and lists, are compared by nobody.
func same(a, b sqlparser.Expr) bool {
	if _, marked := b.(sqlparser.InjectedExpr); marked {
		_, before := a.(sqlparser.InjectedExpr)
		return before
	}
	return true
}

func (m *marker) rewrite(ast sqlparser.SQLNode) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.FuncExpr:
			m.exact(n)
		case *sqlparser.Select:
			for i := range n.SelectExprs {
				if item, ok := n.SelectExprs[i].(*sqlparser.AliasedExpr); ok {
					m.value(&item.Expr)
				}
			}
			for i := range n.GroupBy {
				m.value(&n.GroupBy[i])
			}
		case *sqlparser.Where:
			if n != nil {
				m.condition(&n.Expr)
			}
		case *sqlparser.JoinTableExpr:
			if n.Condition.On != nil {
				m.condition(&n.Condition.On)
			}
		case *sqlparser.Order:
			m.value(&n.Expr)
		case *sqlparser.AssignmentExpr:
			m.value(&n.Expr)
		case *sqlparser.SetVarExpr:
			m.value(&n.Expr)
		case *sqlparser.Insert:
			if rows, ok := n.Rows.(*sqlparser.AliasedValues); ok {
				for _, row := range rows.Values {
					for i := range row {
						m.value(&row[i])
					}
				}
			}
		case sqlparser.InjectedExpr:
			return false, nil
		}
		return true, nil
	}, ast)
}

// exact names SUM and AVG as those that are exact.
func (m *marker) exact(f *sqlparser.FuncExpr) {
	if name, ok := gmsfunction.ExactSum(f); ok {
		old := f.Name
		f.Name = name
		m.done = append(m.done, func() { f.Name = old })
	}
}

// condition marks a condition. Comparisons carry themselves with their operands marked, of which joins and indexes are made.
func (m *marker) condition(at *sqlparser.Expr) {
	switch e := (*at).(type) {
	case *sqlparser.ParenExpr:
		m.condition(&e.Expr)
	case *sqlparser.AndExpr:
		m.condition(&e.Left)
		m.condition(&e.Right)
	case *sqlparser.OrExpr:
		m.condition(&e.Left)
		m.condition(&e.Right)
	case *sqlparser.XorExpr:
		m.condition(&e.Left)
		m.condition(&e.Right)
	case *sqlparser.NotExpr:
		m.condition(&e.Expr)
	case *sqlparser.ComparisonExpr, *sqlparser.RangeCond:
		own := m.marked(e, true)
		m.operands(e)
		if own != nil {
			m.set(at, own)
		}
	case *sqlparser.IsExpr:
		if e.Operator != sqlparser.IsNullStr && e.Operator != sqlparser.IsNotNullStr {
			m.condition(&e.Expr)
			break
		}
		m.value(&e.Expr)
	case *sqlparser.ColName:
		m.truth(at, e)
	default:
		m.value(at)
	}
}

// truth marks a column that is a condition.
func (m *marker) truth(at *sqlparser.Expr, col *sqlparser.ColName) {
	own, ok := m.marked(&sqlparser.NotExpr{Expr: &sqlparser.NotExpr{Expr: col}}, false).(sqlparser.InjectedExpr)
	if !ok {
		return
	}
	own.Children[0] = col
	own.Expression.(*source).truth = true
	m.set(at, own)
}

// operands marks what a comparison compares.
func (m *marker) operands(e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		m.value(&e.Left)
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			for i := range list {
				m.value(&list[i])
			}
		} else {
			m.value(&e.Right)
		}
	case *sqlparser.RangeCond:
		m.value(&e.Left)
		m.value(&e.From)
		m.value(&e.To)
	}
}

// value marks an expression that is a value, or, if it stays go-mysql-server's, those below it.
func (m *marker) value(at *sqlparser.Expr) {
	switch e := (*at).(type) {
	case *sqlparser.ParenExpr:
		m.value(&e.Expr)
		return
	case *sqlparser.SQLVal:
		if e.Type == sqlparser.BitVal { // bytes, where no number is asked for
			if own := m.marked(e, false); own != nil {
				m.set(at, own)
			}
		}
		return
	case *sqlparser.ColName, *sqlparser.NullVal, sqlparser.BoolVal, *sqlparser.Subquery, sqlparser.InjectedExpr, *sqlparser.Default,
		sqlparser.ValTuple, *sqlparser.IntervalExpr, nil:
		return
	case *sqlparser.UnaryExpr:
		_, literal := e.Expr.(*sqlparser.SQLVal)
		if literal && (e.Operator == sqlparser.UMinusStr || e.Operator == sqlparser.UPlusStr || strings.HasPrefix(e.Operator, "_")) {
			return
		}
	}
	if computes(*at) {
		if own := m.marked(*at, false); own != nil {
			m.set(at, own)
			return
		}
	}
	m.below(*at)
}

// below marks the arguments of an expression that stays go-mysql-server's.
func (m *marker) below(e sqlparser.Expr) {
	var args sqlparser.SelectExprs
	switch e := e.(type) {
	case *sqlparser.FuncExpr:
		m.exact(e)
		if name := e.Name.Lowered(); name == "json_arrayagg" || name == "json_objectagg" { // which ask what their arguments are
			return
		}
		args = e.Exprs
	case *sqlparser.GroupConcatExpr:
		args = e.Exprs
	case *sqlparser.BinaryExpr:
		m.value(&e.Left)
		m.value(&e.Right)
	case *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.XorExpr, *sqlparser.RangeCond, *sqlparser.IsExpr:
		m.condition(&e)
	}
	for _, arg := range args {
		if a, ok := arg.(*sqlparser.AliasedExpr); ok {
			m.value(&a.Expr)
		}
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
		return (known || ofGrammar[name]) && !e.IsAggregate() && e.Over == nil && !e.Distinct && e.Qualifier.IsEmpty() && !ofSession[name]
	case *sqlparser.ComparisonExpr, *sqlparser.RangeCond, *sqlparser.IsExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr,
		*sqlparser.UnaryExpr, *sqlparser.CaseExpr, *sqlparser.ConvertExpr, *sqlparser.ConvertUsingExpr, *sqlparser.CollateExpr, *sqlparser.SubstrExpr,
		*sqlparser.TrimExpr, *sqlparser.ExtractFuncExpr, *sqlparser.TimestampFuncExpr, *sqlparser.CharExpr:
		return true
	}
	return false
}

// ofGrammar are functions for which our grammar has rules of their own.
var ofGrammar = map[string]bool{
	"NOW": true, "LOCALTIME": true, "LOCALTIMESTAMP": true, "CURDATE": true, "CURTIME": true, "DATE_ADD": true, "DATE_SUB": true, "ADDDATE": true,
	"SUBDATE": true, "TIMESTAMPADD": true, "TIMESTAMPDIFF": true, "EXTRACT": true, "CHAR": true, "GET_FORMAT": true, "WEIGHT_STRING": true,
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
func (m *marker) marked(e sqlparser.Expr, condition bool) sqlparser.Expr {
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
	written := sqlparser.String(e)
	for _, leaf := range p.leaves {
		m.below(leaf)
	}
	return sqlparser.InjectedExpr{
		Expression: &source{x: sel.Items[0].X, text: written, condition: condition, json: strings.Contains(strings.ToLower(text), "json_")},
		Children:   append(sqlparser.Exprs{e}, p.leaves...),
	}
}
