package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// expr takes an expression.
func expr(p *parser) tree.Expr { return exprAt(p, tree.BindAssign) }

// bitExpr takes an expression without comparisons and without what binds looser.
func bitExpr(p *parser) tree.Expr { return exprAt(p, tree.BindBitOr) }

// exprOrDefault takes an expression, or the words DEFAULT or IGNORE.
func exprOrDefault(p *parser) tree.Expr {
	if x := plain(p); x != nil {
		return x
	}
	start := p.start()
	switch {
	case p.isWord(lex.WDefault) && p.peek(1).Kind != '(':
		p.next()
		return &tree.DefaultWord{Span: p.from(start)}
	case p.accept(lex.WIgnore):
		return &tree.IgnoreWord{Span: p.from(start)}
	}
	return expr(p)
}

// exprAt takes an expression whose operators bind at least as tightly as minimum.
func exprAt(p *parser, minimum int) tree.Expr {
	outer := p.operand()
	p.deeper()
	start := p.start()
	x, maximum := prefix(p, minimum)
	x = infixBelow(p, x, start, minimum, maximum)
	p.shallower()
	p.operandEnd(outer)
	return x
}

// prefix takes what begins an expression. Operators that bind more tightly than maximum cannot follow.
func prefix(p *parser, minimum int) (x tree.Expr, maximum int) {
	t := p.peek(0)
	unary := func(op tree.Op, bind int) (tree.Expr, int) {
		x := exprAt(p, bind)
		return &tree.Unary{Span: p.from(t.Start), Op: op, X: x}, bind
	}
	switch t.Kind {
	case '!':
		p.next()
		return unary(tree.OpNot, tree.BindUnary)
	case '~':
		p.next()
		return unary(tree.OpBitNot, tree.BindUnary)
	case '-', '+':
		return signedOrInterval(p, minimum)
	}
	switch t.Word {
	case lex.WNot:
		if p.o.Mode&lex.HighNotPrecedence != 0 {
			p.next()
			return unary(tree.OpNot, tree.BindUnary)
		}
		if minimum > tree.BindNot {
			p.fail()
		}
		p.next()
		return unary(tree.OpNot, tree.BindNot)
	case lex.WBinary:
		p.next()
		x := exprAt(p, tree.BindUnary)
		at := tree.Span{Start: t.Start, End: t.End}
		return &tree.Cast{Span: p.from(t.Start), X: x, Type: &tree.CastType{Span: at, Kind: tree.CastBinary}}, tree.BindUnary
	case lex.WInterval:
		if minimum >= tree.BindUnary {
			return intervalCall(p), tree.BindPrimary
		}
		x, unit := intervalOrCall(p)
		if unit == 0 {
			return x, tree.BindPrimary
		}
		p.expectKind('+')
		return addInterval(p, t.Start, x, unit, false)
	}
	return primary(p), tree.BindPrimary
}

// signed takes an operand that begins with - or +.
func signed(p *parser, minimum int) tree.Expr {
	x, _ := signedOrInterval(p, minimum)
	return x
}

// signedOrInterval takes what begins with - or +, and says what can follow as prefix does.
func signedOrInterval(p *parser, minimum int) (tree.Expr, int) {
	t := p.next()
	op := tree.OpNegate
	if t.Kind == '+' {
		op = tree.OpPositive
	}
	if !p.isWord(lex.WInterval) || minimum >= tree.BindUnary {
		x := exprAt(p, tree.BindUnary)
		return &tree.Unary{Span: p.from(t.Start), Op: op, X: x}, tree.BindUnary
	}
	at := p.start()
	x, unit := intervalOrCall(p)
	if unit == 0 {
		x = infix(p, x, at, tree.BindUnary)
		return &tree.Unary{Span: p.from(t.Start), Op: op, X: x}, tree.BindUnary
	}
	p.expectKind('+')
	return addInterval(p, t.Start, x, unit, op == tree.OpNegate)
}

// bindInterval is the tightest operator that may follow an interval.
const bindInterval = tree.BindBitXor

// addInterval takes what an interval before it is added to: all of a comparison, and even NOT.
func addInterval(p *parser, start int32, value tree.Expr, unit tree.Unit, minus bool) (tree.Expr, int) {
	x := exprAt(p, tree.BindNot)
	return &tree.AddInterval{Span: p.from(start), X: x, Minus: minus, Value: value, Unit: unit}, bindInterval
}

// intervalCall takes the function INTERVAL().
func intervalCall(p *parser) tree.Expr {
	start := p.start()
	p.expect(lex.WInterval)
	args := countedArguments(p, 2, many)
	return &tree.Call{Span: p.from(start), Name: keywordName("INTERVAL"), Keyword: true, Args: args}
}

// intervalOrCall takes INTERVAL value unit, or the function INTERVAL(), which has no unit.
func intervalOrCall(p *parser) (tree.Expr, tree.Unit) {
	start := p.start()
	p.expect(lex.WInterval)
	if !p.is('(') {
		x := expr(p)
		return x, intervalUnit(p)
	}
	inner := p.start()
	p.next()
	q, items := parenContent(p)
	p.expectKind(')')
	if len(items) > 1 {
		return &tree.Call{Span: p.from(start), Name: keywordName("INTERVAL"), Keyword: true, Args: items}, 0
	}
	x := infix(p, parenthesized(p, inner, q, items), inner, tree.BindAssign)
	return x, intervalUnit(p)
}

// infix takes operators and their right operands after x, which begins at start, as long as they bind at least as tightly as minimum.
func infix(p *parser, x tree.Expr, start int32, minimum int) tree.Expr {
	return infixBelow(p, x, start, minimum, tree.BindPrimary)
}

// infixBelow is infix for operators that bind no more tightly than maximum. Behind one that has no right operand (IS NULL) none can
// follow that binds more tightly than it.
func infixBelow(p *parser, x tree.Expr, start int32, minimum, maximum int) tree.Expr {
	for {
		t := p.peek(0)
		op, bind := operatorOf(p, t)
		if op == 0 || bind < minimum || bind > maximum {
			return x
		}
		maximum = bind
		p.taller()
		switch {
		case t.Kind == lex.OrOr && bind != tree.BindOr:
			p.next()
			right := exprAt(p, bind+1)
			x = &tree.Call{Span: p.from(start), Name: keywordName("CONCAT"), Args: []tree.Expr{x, right}}
		case bind == tree.BindCollate:
			p.next()
			name := namedCollation(p)
			x = &tree.Collate{Span: p.from(start), X: x, Collation: name}
		case bind == tree.BindCompare:
			x = comparison(p, x, start, op)
		case bind == tree.BindBetween || bind == tree.BindPredicate:
			x = predicate(p, x, start)
		case bind == tree.BindPlus:
			if x = sum(p, x, start, op); isInterval(x) {
				maximum = bindInterval
			}
		case op == tree.OpAnd || op == tree.OpOr:
			x = chain(p, x, start, op)
		default:
			p.next()
			right := exprAt(p, bind+1)
			x = &tree.Binary{Span: p.from(start), Op: op, Left: x, Right: right}
		}
	}
}

// chain takes AND or OR, as often as it follows, and the operands behind each.
func chain(p *parser, x tree.Expr, start int32, op tree.Op) tree.Expr {
	n := &tree.Chain{Op: op, Operands: append(make([]tree.Expr, 0, 2), x)}
	for next, bind := op, op.Bind(); next == op && bind == op.Bind(); next, bind = operatorOf(p, p.peek(0)) {
		p.next()
		n.Operands = append(n.Operands, exprAt(p, bind+1))
	}
	n.Span = p.from(start)
	return n
}

// opOther stands for operators whose node is no Binary.
const opOther = tree.OpNot

// operatorOf is the operator that a token is after an operand, and how tightly it binds. 0: none.
func operatorOf(p *parser, t lex.Token) (tree.Op, int) {
	op := tree.Op(0)
	switch t.Kind {
	case lex.Name:
		return wordOperator(p, t.Word)
	case lex.OrOr:
		op = tree.OpOr
		switch {
		case p.o.Mode&lex.PipesAsConcat == 0:
		case p.o.Mode&lex.Oracle != 0:
			return op, tree.BindPlus
		default:
			return op, tree.BindConcat
		}
	case lex.AndAnd:
		op = tree.OpAnd
	case '=':
		op = tree.OpEqual
	case lex.NullSafe:
		op = tree.OpNullSafeEqual
	case lex.NotEqual:
		op = tree.OpNotEqual
	case '<':
		op = tree.OpLess
	case lex.LessEqual:
		op = tree.OpLessEqual
	case '>':
		op = tree.OpGreater
	case lex.GreaterEqual:
		op = tree.OpGreaterEqual
	case '|':
		op = tree.OpBitOr
	case '&':
		op = tree.OpBitAnd
	case lex.ShiftLeft:
		op = tree.OpShiftLeft
	case lex.ShiftRight:
		op = tree.OpShiftRight
	case '+':
		op = tree.OpPlus
	case '-':
		op = tree.OpMinus
	case '*':
		op = tree.OpTimes
	case '/':
		op = tree.OpDivide
	case '%':
		op = tree.OpModulo
	case '^':
		op = tree.OpBitXor
	}
	return op, op.Bind()
}

func wordOperator(p *parser, w lex.Word) (tree.Op, int) {
	switch w {
	case lex.WOr:
		return tree.OpOr, tree.BindOr
	case lex.WXor:
		return tree.OpXor, tree.BindXor
	case lex.WAnd:
		return tree.OpAnd, tree.BindAnd
	case lex.WIs:
		return opOther, tree.BindCompare
	case lex.WBetween:
		return opOther, tree.BindBetween
	case lex.WIn, lex.WLike, lex.WRegexp, lex.WRlike:
		return opOther, tree.BindPredicate
	case lex.WSounds:
		return opOther, tree.BindPredicate
	case lex.WNot:
		if p.peek(1).Word == lex.WBetween {
			return opOther, tree.BindBetween
		}
		return opOther, tree.BindPredicate
	case lex.WDiv:
		return tree.OpIntDivide, tree.BindTimes
	case lex.WMod:
		return tree.OpModulo, tree.BindTimes
	case lex.WCollate:
		return opOther, tree.BindCollate
	}
	return 0, 0
}

// comparison takes an operator like = or IS, and its right side.
func comparison(p *parser, left tree.Expr, start int32, op tree.Op) tree.Expr {
	if p.accept(lex.WIs) {
		not := p.accept(lex.WNot)
		what := truth(p)
		return &tree.Is{Span: p.from(start), X: left, Not: not, What: what}
	}
	p.next()
	if quantifier := p.peek(0).Word; op != tree.OpNullSafeEqual &&
		(quantifier == lex.WAll || p.peek(1).Kind == '(' && (quantifier == lex.WAny || quantifier == lex.WSome)) {
		p.next()
		q := inParens(p, func() tree.Query { return selectQuery(p) })
		return &tree.Quantified{Span: p.from(start), Op: op, Left: left, All: quantifier == lex.WAll, Query: q}
	}
	right := exprAt(p, tree.BindBetween)
	return &tree.Binary{Span: p.from(start), Op: op, Left: left, Right: right}
}

// truth takes what IS compares with.
func truth(p *parser) tree.Expr {
	start := p.start()
	switch p.acceptAny(lex.WNull, lex.WUnknown, lex.WTrue, lex.WFalse) {
	case lex.WNull, lex.WUnknown:
		return &tree.NullLit{Span: p.from(start)}
	case lex.WTrue:
		return &tree.BoolLit{Span: p.from(start), Value: true}
	case lex.WFalse:
		return &tree.BoolLit{Span: p.from(start)}
	}
	p.fail()
	return nil
}

// predicate takes IN, BETWEEN, LIKE, REGEXP or SOUNDS LIKE after its left side.
func predicate(p *parser, left tree.Expr, start int32) tree.Expr {
	not := p.accept(lex.WNot)
	t := p.peek(0)
	switch t.Word {
	case lex.WIn:
		p.next()
		n := &tree.In{X: left, Not: not}
		p.expectKind('(')
		n.Query, n.List = parenContent(p)
		p.expectKind(')')
		if len(n.List) == 1 {
			if s, ok := n.List[0].(*tree.Subquery); ok {
				n.Query, n.List = s.Query, nil
			}
		}
		n.Span = p.from(start)
		return n
	case lex.WBetween:
		p.next()
		low := exprAt(p, tree.BindBetween)
		p.expect(lex.WAnd)
		high := exprAt(p, tree.BindBetween)
		return &tree.Between{Span: p.from(start), X: left, Not: not, Low: low, High: high}
	case lex.WLike:
		p.next()
		n := &tree.Like{X: left, Not: not, Pattern: patternExpr(p)}
		if p.accept(lex.WEscape) {
			n.Escape = patternExpr(p)
		}
		n.Span = p.from(start)
		return n
	case lex.WRegexp, lex.WRlike:
		p.next()
		op := tree.OpRegexp
		if not {
			op = tree.OpNotRegexp
		}
		right := patternExpr(p)
		return &tree.Binary{Span: p.from(start), Op: op, Left: left, Right: right}
	case lex.WSounds:
		if !not {
			p.next()
			p.expect(lex.WLike)
			right := patternExpr(p)
			return &tree.Binary{Span: p.from(start), Op: tree.OpSoundsLike, Left: left, Right: right}
		}
	}
	p.fail()
	return nil
}

// patternExpr takes the right operand of LIKE and its like. A further one behind it belongs to it if it has a NOT: a LIKE (b NOT LIKE c).
func patternExpr(p *parser) tree.Expr {
	outer := p.operand()
	p.deeper()
	start := p.start()
	x := bitExpr(p)
	for p.isWord(lex.WNot) {
		p.taller()
		x = predicate(p, x, start)
	}
	p.shallower()
	p.operandEnd(outer)
	return x
}

// sum takes + or - and its right side, which may be an interval.
func sum(p *parser, left tree.Expr, start int32, op tree.Op) tree.Expr {
	p.next()
	at := p.start()
	if !p.isWord(lex.WInterval) {
		right := exprAt(p, tree.BindPlus+1)
		return &tree.Binary{Span: p.from(start), Op: op, Left: left, Right: right}
	}
	x, unit := intervalOrCall(p)
	if unit != 0 {
		return &tree.AddInterval{Span: p.from(start), X: left, Minus: op == tree.OpMinus, Value: x, Unit: unit}
	}
	right := infix(p, x, at, tree.BindPlus+1)
	return &tree.Binary{Span: p.from(start), Op: op, Left: left, Right: right}
}

func isInterval(x tree.Expr) bool {
	_, ok := x.(*tree.AddInterval)
	return ok
}

// units are the units of time by their keywords.
var units = map[lex.Word]tree.Unit{
	lex.WYear: tree.UnitYear, lex.WQuarter: tree.UnitQuarter, lex.WMonth: tree.UnitMonth, lex.WWeek: tree.UnitWeek, lex.WDay: tree.UnitDay,
	lex.WHour: tree.UnitHour, lex.WMinute: tree.UnitMinute, lex.WSecond: tree.UnitSecond, lex.WMicrosecond: tree.UnitMicrosecond,
	lex.WSqlTsiYear: tree.UnitYear, lex.WSqlTsiQuarter: tree.UnitQuarter, lex.WSqlTsiMonth: tree.UnitMonth, lex.WSqlTsiWeek: tree.UnitWeek,
	lex.WSqlTsiDay: tree.UnitDay, lex.WSqlTsiHour: tree.UnitHour, lex.WSqlTsiMinute: tree.UnitMinute, lex.WSqlTsiSecond: tree.UnitSecond,
	lex.WYearMonth: tree.UnitYearMonth, lex.WDayHour: tree.UnitDayHour, lex.WDayMinute: tree.UnitDayMinute, lex.WDaySecond: tree.UnitDaySecond,
	lex.WDayMicrosecond: tree.UnitDayMicrosecond, lex.WHourMinute: tree.UnitHourMinute, lex.WHourSecond: tree.UnitHourSecond,
	lex.WHourMicrosecond: tree.UnitHourMicrosecond, lex.WMinuteSecond: tree.UnitMinuteSecond,
	lex.WMinuteMicrosecond: tree.UnitMinuteMicrosecond, lex.WSecondMicrosecond: tree.UnitSecondMicrosecond,
}

// intervalUnit takes a unit of time.
func intervalUnit(p *parser) tree.Unit {
	u, ok := units[p.peek(0).Word]
	if !ok {
		p.fail()
	}
	p.next()
	return u
}

// simpleUnit takes a unit of time that is one, as TIMESTAMPADD has them.
func simpleUnit(p *parser) tree.Unit {
	if u, ok := units[p.peek(0).Word]; !ok || u >= tree.UnitYearMonth {
		p.fail()
	}
	return intervalUnit(p)
}

// query takes a query that is a part of a statement.
func (p *parser) query() tree.Query { return selectQuery(p) }
