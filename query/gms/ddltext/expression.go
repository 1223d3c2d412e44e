package ddltext

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Expression writes a stored expression as MariaDB does: names quoted, functions in lower case under
// the names that MariaDB prints, and no parentheses but those that precedence asks for. A text that
// cannot be parsed is returned as it is.
func Expression(text string) string {
	e := parseExpression(text)
	if e == nil {
		return trimParens(text)
	}
	return printer{}.expr(e, precLowest)
}

func parseExpression(text string) sqlparser.Expr {
	ast, err := sqlparser.Parse("select " + text)
	if err != nil {
		return nil
	}
	sel, ok := ast.(*sqlparser.Select)
	if !ok || len(sel.SelectExprs) != 1 {
		return nil
	}
	e, ok := sel.SelectExprs[0].(*sqlparser.AliasedExpr)
	if !ok || !e.As.IsEmpty() {
		return nil
	}
	return e.Expr
}

// precedence is how strongly an operator binds; MariaDB's enum precedence (sql/item.h).
type precedence int

const (
	precLowest precedence = iota
	precOr
	precXor
	precAnd
	precNot
	precComparison
	precBetween
	precBitOr
	precBitAnd
	precShift
	precInterval
	precAdd
	precMul
	precBitXor
	precUnary
	precBang
	precCollate
	precHighest
)

// printer writes one expression.
type printer struct{}

var binaryOperators = map[string]struct {
	text string
	prec precedence
}{
	"|": {"|", precBitOr}, "&": {"&", precBitAnd}, "^": {"^", precBitXor}, "<<": {"<<", precShift}, ">>": {">>", precShift},
	"+": {"+", precAdd}, "-": {"-", precAdd}, "*": {"*", precMul}, "/": {"/", precMul}, "%": {"MOD", precMul}, "div": {"DIV", precMul},
}

// functionNames are functions that MariaDB prints under another name than they are called by.
var functionNames = map[string]string{
	"upper": "ucase", "lower": "lcase", "length": "octet_length", "character_length": "char_length", "now": "current_timestamp",
	"localtime": "current_timestamp", "localtimestamp": "current_timestamp", "substring": "substr", "mid": "substr", "day": "dayofmonth",
	"power": "pow", "ceil": "ceiling", "schema": "database", "session_user": "user", "system_user": "user",
	"current_date": "curdate", "current_time": "curtime", "nvl": "ifnull",
}

// in writes text in parentheses if its operator binds less than outer.
func in(text string, own, outer precedence) string {
	if outer > own {
		return "(" + text + ")"
	}
	return text
}

func (p printer) expr(e sqlparser.Expr, outer precedence) string {
	switch n := e.(type) {
	case *sqlparser.ParenExpr:
		return p.expr(n.Expr, outer)
	case *sqlparser.ColName:
		text := Name(n.Name.String())
		if q := n.Qualifier.Name.String(); q != "" {
			text = Name(q) + "." + text
		}
		return text
	case *sqlparser.SQLVal:
		return value(n)
	case *sqlparser.NullVal:
		return "NULL"
	case sqlparser.BoolVal:
		if n {
			return "1"
		}
		return "0"
	case *sqlparser.AndExpr:
		return in(p.expr(n.Left, precAnd)+" and "+p.expr(n.Right, precAnd), precAnd, outer)
	case *sqlparser.OrExpr:
		return in(p.expr(n.Left, precOr)+" or "+p.expr(n.Right, precOr), precOr, outer)
	case *sqlparser.XorExpr:
		return in(p.expr(n.Left, precXor)+" xor "+p.expr(n.Right, precXor+1), precXor, outer)
	case *sqlparser.NotExpr:
		return p.not(n.Expr, outer)
	case *sqlparser.ComparisonExpr:
		return p.comparison(n, outer)
	case *sqlparser.RangeCond:
		return in(p.expr(n.Left, precBetween+1)+" "+n.Operator+" "+p.expr(n.From, precBetween+1)+" and "+p.expr(n.To, precBetween+1), precBetween, outer)
	case *sqlparser.IsExpr:
		return in(p.expr(n.Expr, precComparison)+" "+n.Operator, precComparison, outer)
	case *sqlparser.BinaryExpr:
		return p.binary(n, outer)
	case *sqlparser.UnaryExpr:
		return p.unary(n, outer)
	case *sqlparser.CollateExpr:
		return in(p.expr(n.Expr, precCollate)+" collate "+strings.ToLower(n.Collation), precCollate, outer)
	case *sqlparser.CaseExpr:
		return p.caseExpr(n)
	case sqlparser.ValTuple:
		return "(" + p.list(n) + ")"
	}
	return p.call(e, outer)
}

func (p printer) list(es []sqlparser.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = p.expr(e, precLowest)
	}
	return strings.Join(parts, ",")
}

func (p printer) selectList(es sqlparser.SelectExprs) string {
	parts := make([]string, 0, len(es))
	for _, e := range es {
		switch e := e.(type) {
		case *sqlparser.AliasedExpr:
			parts = append(parts, p.expr(e.Expr, precLowest))
		default:
			parts = append(parts, sqlparser.String(e))
		}
	}
	return strings.Join(parts, ",")
}

// negated are the comparisons that NOT is folded into (Item_func_not::neg_transformer).
var negated = map[string]string{"=": "<>", "!=": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "<>": "="}

func (p printer) not(e sqlparser.Expr, outer precedence) string {
	for {
		inner, ok := e.(*sqlparser.ParenExpr)
		if !ok {
			break
		}
		e = inner.Expr
	}
	switch n := e.(type) {
	case *sqlparser.ComparisonExpr:
		if op, ok := negated[n.Operator]; ok {
			flipped := *n
			flipped.Operator = op
			return p.comparison(&flipped, outer)
		}
		switch n.Operator {
		case sqlparser.LikeStr, sqlparser.InStr, sqlparser.RegexpStr:
			flipped := *n
			flipped.Operator = "not " + n.Operator
			return p.comparison(&flipped, outer)
		}
	case *sqlparser.IsExpr:
		flipped := *n
		if rest, ok := strings.CutPrefix(n.Operator, "is not "); ok {
			flipped.Operator = "is " + rest
		} else {
			flipped.Operator = "is not " + strings.TrimPrefix(n.Operator, "is ")
		}
		return p.expr(&flipped, outer)
	case *sqlparser.RangeCond:
		flipped := *n
		if flipped.Operator = sqlparser.NotBetweenStr; n.Operator == sqlparser.NotBetweenStr {
			flipped.Operator = sqlparser.BetweenStr
		}
		return p.expr(&flipped, outer)
	case *sqlparser.ColName:
		return in(p.expr(n, precComparison)+" = 0", precComparison, outer)
	}
	return in("!"+p.expr(e, precBang), precBang, outer)
}

func (p printer) comparison(n *sqlparser.ComparisonExpr, outer precedence) string {
	op := n.Operator
	switch op {
	case "!=":
		op = "<>"
	case sqlparser.NotLikeStr: // with two spaces, as MariaDB has it
		op = " not like"
	case sqlparser.NotRegexpStr:
		return in("!("+p.expr(n.Left, precComparison)+" regexp "+p.expr(n.Right, precComparison)+")", precBang, outer)
	}
	text := p.expr(n.Left, precComparison+1) + " " + op + " " + p.expr(n.Right, precComparison+1)
	if n.Escape != nil {
		text += " escape " + p.expr(n.Escape, precLowest)
	}
	return in(text, precComparison, outer)
}

func (p printer) binary(n *sqlparser.BinaryExpr, outer precedence) string {
	if iv, ok := n.Right.(*sqlparser.IntervalExpr); ok && (n.Operator == "+" || n.Operator == "-") {
		return in(p.expr(n.Left, precInterval)+" "+n.Operator+" "+p.interval(iv), precInterval, outer)
	}
	if n.Operator == sqlparser.JSONExtractOp {
		return "json_extract(" + p.expr(n.Left, precLowest) + "," + p.expr(n.Right, precLowest) + ")"
	}
	op, ok := binaryOperators[strings.ToLower(n.Operator)]
	if !ok {
		return in(p.expr(n.Left, precHighest)+" "+n.Operator+" "+p.expr(n.Right, precHighest), precLowest, outer)
	}
	return in(p.expr(n.Left, op.prec)+" "+op.text+" "+p.expr(n.Right, op.prec+1), op.prec, outer)
}

func (p printer) interval(iv *sqlparser.IntervalExpr) string {
	return "interval " + p.expr(iv.Expr, precInterval) + " " + strings.ToLower(iv.Unit)
}

func (p printer) unary(n *sqlparser.UnaryExpr, outer precedence) string {
	op := strings.TrimSpace(strings.ToLower(n.Operator))
	switch {
	case op == "!":
		return p.not(n.Expr, outer)
	case strings.HasPrefix(op, "_"):
		return op + p.expr(n.Expr, precUnary)
	case op == "binary":
		return "cast(" + p.expr(n.Expr, precLowest) + " as char charset binary)"
	case op == "+":
		return p.expr(n.Expr, outer)
	}
	return in(op+p.expr(n.Expr, precUnary), precUnary, outer)
}

func (p printer) caseExpr(n *sqlparser.CaseExpr) string {
	b := "case "
	if n.Expr != nil {
		b += p.expr(n.Expr, precLowest) + " "
	}
	for _, w := range n.Whens {
		b += "when " + p.expr(w.Cond, precLowest) + " then " + p.expr(w.Val, precLowest) + " "
	}
	if n.Else != nil {
		b += "else " + p.expr(n.Else, precLowest) + " "
	}
	return b + "end"
}

// call writes what looks like a function.
func (p printer) call(e sqlparser.Expr, outer precedence) string {
	switch n := e.(type) {
	case *sqlparser.FuncExpr:
		return p.function(n, outer)
	case *sqlparser.SubstrExpr:
		var of string
		if n.Name != nil {
			of = p.expr(n.Name, precLowest)
		} else {
			of = p.expr(n.StrVal, precLowest)
		}
		args := of + "," + p.expr(n.From, precLowest)
		if n.To != nil {
			args += "," + p.expr(n.To, precLowest)
		}
		return "substr(" + args + ")"
	case *sqlparser.ConvertExpr:
		return "cast(" + p.expr(n.Expr, precLowest) + " as " + castType(n.Type) + ")"
	case *sqlparser.ConvertUsingExpr:
		return "convert(" + p.expr(n.Expr, precLowest) + " using " + strings.ToLower(n.Type) + ")"
	case *sqlparser.ExtractFuncExpr:
		return "extract(" + strings.Trim(strings.ToLower(n.Unit), "'\"") + " from " + p.expr(n.Expr, precLowest) + ")"
	case *sqlparser.TimestampFuncExpr:
		return strings.ToLower(n.Name) + "(" + strings.ToLower(n.Unit) + "," + p.expr(n.Expr1, precLowest) + "," + p.expr(n.Expr2, precLowest) + ")"
	case *sqlparser.TrimExpr:
		return p.trim(n)
	case *sqlparser.CharExpr:
		text := "char(" + p.selectList(n.Exprs)
		if n.Type != "" {
			text += " using " + strings.ToLower(n.Type)
		}
		return text + ")"
	case *sqlparser.IntervalExpr:
		return p.interval(n)
	}
	return sqlparser.String(e)
}

func (p printer) trim(n *sqlparser.TrimExpr) string {
	str := p.expr(n.Str, precLowest)
	pattern := ""
	if n.Pattern != nil {
		pattern = p.expr(n.Pattern, precLowest)
	}
	dir := ""
	switch strings.ToLower(n.Dir) {
	case "leading", "l":
		dir = "leading "
	case "trailing", "r":
		dir = "trailing "
	}
	switch {
	case (pattern == "" || pattern == "' '") && dir == "leading ":
		return "ltrim(" + str + ")"
	case (pattern == "" || pattern == "' '") && dir == "trailing ":
		return "rtrim(" + str + ")"
	case pattern == "" || pattern == "' '":
		return "trim(" + str + ")"
	case dir == "":
		dir = "both "
	}
	return "trim(" + dir + pattern + " from " + str + ")"
}

func (p printer) function(n *sqlparser.FuncExpr, outer precedence) string {
	name := n.Name.Lowered()
	args := n.Exprs
	arg := func(i int) sqlparser.Expr {
		if a, ok := args[i].(*sqlparser.AliasedExpr); ok {
			return a.Expr
		}
		return nil
	}
	switch {
	case name == "mod" && len(args) == 2 && arg(0) != nil && arg(1) != nil:
		return p.binary(&sqlparser.BinaryExpr{Left: arg(0), Operator: "%", Right: arg(1)}, outer)
	case name == "date" && len(args) == 1 && arg(0) != nil:
		return "cast(" + p.expr(arg(0), precLowest) + " as date)"
	case (name == "date_add" || name == "adddate" || name == "date_sub" || name == "subdate") && len(args) == 2:
		op := "+"
		if strings.Contains(name, "sub") {
			op = "-"
		}
		if iv, ok := arg(1).(*sqlparser.IntervalExpr); ok {
			return p.binary(&sqlparser.BinaryExpr{Left: arg(0), Operator: op, Right: iv}, outer)
		}
	case name == "regexp_like" && len(args) == 2 && arg(0) != nil && arg(1) != nil: // the SQL engine's word for REGEXP
		return in(p.expr(arg(0), precComparison+1)+" regexp "+p.expr(arg(1), precComparison+1), precComparison, outer)
	case name == "isnull" && len(args) == 1 && arg(0) != nil:
		return in(p.expr(arg(0), precComparison)+" is null", precComparison, outer)
	}
	if to, ok := functionNames[name]; ok {
		name = to
	}
	text := p.selectList(args)
	if (name == "current_timestamp" || name == "curtime") && text == "0" {
		text = ""
	}
	return name + "(" + text + ")"
}

func castType(t *sqlparser.ConvertType) string {
	name := strings.ToLower(t.Type)
	switch name {
	case "char", "nchar":
		name = "char"
		if t.Length != nil {
			name += "(" + string(t.Length.Val) + ")"
		}
		charset := t.Charset
		if charset == "" {
			charset = "utf8mb4"
		}
		return name + " charset " + strings.ToLower(charset)
	case "binary":
		if t.Length != nil {
			return "char(" + string(t.Length.Val) + ") charset binary"
		}
		return "char charset binary"
	case "signed integer":
		return "signed"
	case "unsigned integer":
		return "unsigned"
	case "decimal":
		length, scale := "10", "0"
		if t.Length != nil {
			length = string(t.Length.Val)
		}
		if t.Scale != nil {
			scale = string(t.Scale.Val)
		}
		return "decimal(" + length + "," + scale + ")"
	}
	if t.Length != nil {
		name += "(" + string(t.Length.Val) + ")"
	}
	return name
}

func value(v *sqlparser.SQLVal) string {
	switch v.Type {
	case sqlparser.StrVal:
		return literal(string(v.Val))
	case sqlparser.HexNum:
		return strings.ToLower(string(v.Val))
	case sqlparser.HexVal:
		return "X'" + strings.ToUpper(string(v.Val)) + "'"
	case sqlparser.BitVal:
		return "b'" + string(v.Val) + "'"
	}
	return string(v.Val)
}
