package grammar

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// tableReference takes one of a FROM clause, with its joins.
func tableReference(p *parser) tree.TableRef {
	if p.acceptKind('{') {
		p.ident()
		t := joined(p)
		p.expectKind('}')
		return t
	}
	return joined(p)
}

// pending is a join whose right side is being read.
type pending struct {
	left  tree.TableRef
	kind  tree.JoinKind
	start int32
}

// joined takes tables with joins between. An ON belongs to the last join that has none yet: a JOIN b JOIN c ON x ON y. A join that stays without
// one joins what stands before it with the first table behind it only.
func joined(p *parser) tree.TableRef {
	outer := p.operand()
	start := p.start()
	t := joinedAfter(p, start, tableFactor(p))
	p.operandEnd(outer)
	return t
}

// joinedAfter takes the joins behind a first table.
func joinedAfter(p *parser, start int32, current tree.TableRef) tree.TableRef {
	grouped := addJoin(nil, current)
	at := start // of current
	var open []pending
	for {
		natural, kind, ok := joinWords(p)
		switch {
		case !ok && (p.isWord(lex.WOn) || p.isWord(lex.WUsing)) && len(open) > 0:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			n := &tree.Join{Kind: last.kind, Left: last.left, Right: current}
			if p.accept(lex.WOn) {
				n.On = expr(p)
			} else {
				p.next()
				n.Using = columnNames(p)
			}
			n.Span, at = p.from(last.start), last.start
			current = n
		case !ok:
			return closeJoins(p, current, grouped, open)
		default:
			p.taller()
			behind := p.start()
			right := tableFactor(p)
			grouped = addJoin(grouped, right)
			if natural {
				current = &tree.Join{Span: p.from(at), Kind: kind, Natural: true, Left: current, Right: right}
				continue
			}
			open = append(open, pending{left: current, kind: kind, start: at})
			current, at = right, behind
		}
	}
}

// addJoin appends a table if it is a join, which then stands in parentheses.
func addJoin(all []tree.TableRef, t tree.TableRef) []tree.TableRef {
	if _, ok := t.(*tree.Join); ok {
		return append(all, t)
	}
	return all
}

// closeJoins makes joins of those that have no condition: each joins its left side with the first table of what stands behind it. Joins that are
// grouped, by parentheses, count as a table.
func closeJoins(p *parser, current tree.TableRef, grouped []tree.TableRef, open []pending) tree.TableRef {
	first := &current
	for i := len(open) - 1; i >= 0; i-- {
		if k := open[i].kind; k == tree.LeftJoin || k == tree.RightJoin {
			p.fail()
		}
		for j, ok := (*first).(*tree.Join); ok && !slices.Contains(grouped, *first); j, ok = (*first).(*tree.Join) {
			j.Start = open[0].start // where that of all of them is in the end
			first = &j.Left
		}
		*first = &tree.Join{Span: tree.Span{Start: open[0].start, End: (*first).Place().End}, Kind: open[i].kind, Left: open[i].left, Right: *first}
	}
	return current
}

// joinWords takes the words of a join.
func joinWords(p *parser) (natural bool, kind tree.JoinKind, ok bool) {
	natural = p.accept(lex.WNatural)
	if natural && p.isWord(lex.WCross) {
		p.fail()
	}
	switch w := p.acceptAny(lex.WJoin, lex.WInner, lex.WCross, lex.WStraightJoin, lex.WLeft, lex.WRight); w {
	case lex.WStraightJoin:
		return natural, tree.StraightJoin, true
	case lex.WLeft, lex.WRight:
		p.accept(lex.WOuter)
		p.expect(lex.WJoin)
		if w == lex.WLeft {
			return natural, tree.LeftJoin, true
		}
		return natural, tree.RightJoin, true
	case lex.WInner, lex.WCross:
		p.expect(lex.WJoin)
		return natural, tree.InnerJoin, true
	case lex.WJoin:
		return natural, tree.InnerJoin, true
	}
	if natural {
		p.fail()
	}
	return false, 0, false
}

// tableFactor takes a table, a query, or joins in parentheses.
func tableFactor(p *parser) tree.TableRef {
	switch {
	case p.is('('):
		return parenthesizedTables(p)
	case p.isWord(lex.WJsonTable) && p.peek(1).Kind == '(':
		return jsonTable(p)
	}
	start := p.start()
	n := &tree.Table{Name: p.tableName()}
	if p.accept(lex.WPartition) {
		n.Partitions = columnNames(p)
	}
	if p.isWords(lex.WFor, lex.WSystemTime) {
		n.Time = systemTime(p)
	}
	n.Alias = tableAlias(p)
	n.Hints = indexHints(p)
	n.Span = p.from(start)
	return n
}

// parenthesizedTables takes a derived table, or joins in parentheses. A query in parentheses can turn out to be either a part of a larger
// query, or a table among joins.
func parenthesizedTables(p *parser) tree.TableRef {
	start := p.start()
	p.expectKind('(')
	q, t := queryOrTables(p)
	p.expectKind(')')
	if t != nil {
		return t
	}
	return derived(p, start, q)
}

// queryOrTables takes what stands in parentheses in a FROM clause.
func queryOrTables(p *parser) (tree.Query, tree.TableRef) {
	p.deeper()
	defer p.shallower()
	start := p.start()
	if isQueryWord(p) {
		return selectQuery(p), nil
	}
	outer := p.operand()
	defer func() { p.operandEnd(outer) }()
	if !p.is('(') {
		return nil, tableList(p, joined(p))
	}
	p.next()
	q, t := queryOrTables(p)
	p.expectKind(')')
	if q != nil && (p.is(')') || continuesQuery(p)) {
		return queryAfter(p, start, nil, q), nil
	}
	if q != nil {
		t = derived(p, start, q)
	}
	return nil, tableList(p, joinedAfter(p, start, t))
}

// tableList takes further tables behind commas, which join as JOIN does.
func tableList(p *parser, t tree.TableRef) tree.TableRef {
	start := t.Place().Start
	for p.acceptKind(',') {
		p.taller()
		right := joined(p)
		t = &tree.Join{Span: p.from(start), Left: t, Right: right}
	}
	return t
}

// derived takes what follows a query in a FROM clause.
func derived(p *parser, start int32, q tree.Query) tree.TableRef {
	n := &tree.Derived{Query: q}
	if p.isWords(lex.WFor, lex.WSystemTime) {
		n.Time = systemTime(p)
	}
	if n.Alias = tableAlias(p); n.Alias == nil {
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// tableAlias takes the name that a table is given; nil: none.
func tableAlias(p *parser) *tree.Ident {
	as := p.accept(lex.WAs)
	if !as {
		as = p.acceptKind('=') // t = x is t AS x
	}
	switch {
	case p.isName(0) && p.peek(0).Word != lex.WWindow:
		name := p.ident()
		return &name
	case as:
		p.fail()
	}
	return nil
}

// indexHints takes USE INDEX and its like.
func indexHints(p *parser) []*tree.IndexHint {
	var hints []*tree.IndexHint
	for {
		start := p.start()
		n := &tree.IndexHint{}
		switch p.acceptAny(lex.WUse, lex.WForce, lex.WIgnore) {
		case lex.WForce:
			n.Kind = tree.ForceIndex
		case lex.WIgnore:
			n.Kind = tree.IgnoreIndex
		case lex.NoWord:
			return hints
		}
		if p.acceptAny(lex.WIndex, lex.WKey) == lex.NoWord {
			p.fail()
		}
		if p.accept(lex.WFor) {
			switch p.acceptAny(lex.WJoin, lex.WOrder, lex.WGroup) {
			case lex.WJoin:
				n.For = tree.ForJoin
			case lex.WOrder:
				p.expect(lex.WBy)
				n.For = tree.ForOrderBy
			case lex.WGroup:
				p.expect(lex.WBy)
				n.For = tree.ForGroupBy
			default:
				p.fail()
			}
		}
		p.expectKind('(')
		if n.Kind != tree.UseIndex || !p.is(')') {
			n.Indexes = list(p, indexName)
		}
		p.expectKind(')')
		n.Span = p.from(start)
		hints = append(hints, n)
	}
}

// indexName takes the name of an index, or PRIMARY.
func indexName(p *parser) tree.Ident {
	if p.isWord(lex.WPrimary) {
		return p.identOf(p.next())
	}
	return p.ident()
}

// systemTime takes FOR SYSTEM_TIME.
func systemTime(p *parser) *tree.SystemTime {
	start := p.start()
	p.expect(lex.WFor, lex.WSystemTime)
	n := &tree.SystemTime{}
	switch p.acceptAny(lex.WAs, lex.WAll, lex.WFrom, lex.WBetween) {
	case lex.WAs:
		p.expect(lex.WOf)
		n.Kind, n.Start = tree.TimeAsOf, timePoint(p)
	case lex.WAll:
		n.Kind = tree.TimeAll
	case lex.WFrom:
		n.Kind, n.Start = tree.TimeFromTo, timePoint(p)
		p.expect(lex.WTo)
		n.End = timePoint(p)
	case lex.WBetween:
		n.Kind, n.Start = tree.TimeBetween, timePoint(p)
		p.expect(lex.WAnd)
		n.End = timePoint(p)
	default:
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// timePoint takes a point of history.
func timePoint(p *parser) *tree.TimePoint {
	start := p.start()
	n := &tree.TimePoint{}
	switch {
	case p.isWord(lex.WTimestamp) && p.peek(1).Kind != lex.String && p.peek(1).Kind != '(':
		p.next()
		n.Timestamp = true
	case p.isWord(lex.WTransaction):
		p.next()
		n.Transaction = true
	}
	n.X = bitExpr(p)
	n.Span = p.from(start)
	return n
}
