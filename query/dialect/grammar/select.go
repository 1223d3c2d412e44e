package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// selectQuery takes a query that is a part of a statement: with its WITH, set operations, ORDER BY and LIMIT.
func selectQuery(p *parser) tree.Query { return query(p, false) }

// query takes a query. Where it is the statement itself, its result can go into variables or a file.
func query(p *parser, top bool) tree.Query {
	p.deeper()
	values := p.valuesCall
	p.valuesCall = false
	defer func() {
		p.valuesCall = values
		p.shallower()
	}()
	start := p.start()
	with := withClause(p)
	if p.is('(') {
		return queryEnd(p, start, with, querySide(p), true, top)
	}
	q := queryCore(p, top)
	return queryEnd(p, start, with, q, false, top)
}

// isQueryWord reports whether a query follows that does not begin with a parenthesis.
func isQueryWord(p *parser) bool {
	w := p.peek(0).Word
	return w == lex.WSelect || w == lex.WWith || w == lex.WValues && !p.valuesCall
}

// isQuery reports whether a query follows, behind any number of parentheses that can be looked through.
func isQuery(p *parser) bool {
	i := 0
	for i < lookahead-2 && p.peek(i).Kind == '(' {
		i++
	}
	w := p.peek(i).Word
	return w == lex.WSelect || w == lex.WWith || w == lex.WValues && p.peek(i+1).Kind == '('
}

// continuesQuery reports whether what follows belongs to a query in parentheses before it.
func continuesQuery(p *parser) bool {
	switch p.peek(0).Word {
	case lex.WUnion, lex.WExcept, lex.WIntersect, lex.WOrder, lex.WLimit, lex.WOffset, lex.WFetch, lex.WFor, lex.WLock, lex.WProcedure, lex.WInto:
		return true
	}
	return false
}

func queryInParens(p *parser) tree.Query {
	return inParens(p, func() tree.Query { return query(p, false) })
}

// queryAfter takes what follows a query in parentheses.
func queryAfter(p *parser, start int32, with *tree.With, q tree.Query) tree.Query {
	return queryEnd(p, start, with, q, true, false)
}

// queryEnd takes the set operations and the tail behind a first query, which may have been in parentheses.
func queryEnd(p *parser, start int32, with *tree.With, first tree.Query, inside, top bool) tree.Query {
	into := tree.Into(nil) // before FROM
	if sel, ok := first.(*tree.Select); ok && !inside {
		into = sel.Into
	}
	q := first
	if into == nil {
		if inside && isSetWord(p) {
			q = nestedSide(first)
		}
		q = unions(p, start, q)
	}
	inside = inside && q == first
	tail := queryTail(p, top && into == nil)
	if into != nil {
		tail.Into = into
	}
	if inside && with == nil && tail.Empty() {
		return q
	}
	span := p.from(start)
	switch q := q.(type) {
	case *tree.Select:
		if !inside || q.With == nil && q.Tail.Empty() {
			q.Span, q.With, q.Tail = span, with, tail
			return q
		}
	case *tree.Values:
		if !inside || q.With == nil && q.Tail.Empty() {
			q.Span, q.With, q.Tail = span, with, tail
			return q
		}
	case *tree.SetOperation:
		if !inside || q.With == nil && q.Tail.Empty() {
			q.Span, q.With, q.Tail = span, with, tail
			return q
		}
	}
	return &tree.Nested{Span: span, With: with, Query: q, Tail: tail}
}

// unions takes UNION and EXCEPT with their right sides.
func unions(p *parser, start int32, left tree.Query) tree.Query {
	left = intersections(p, start, left)
	var terms []*tree.SetTerm
	for p.isWord(lex.WUnion) || p.isWord(lex.WExcept) {
		word := p.next()
		term := &tree.SetTerm{}
		if word.Word == lex.WExcept {
			term.Op = tree.Except
		}
		term.All = setAll(p)
		at := p.start()
		term.Query = intersections(p, at, queryPrimary(p))
		term.Span = p.from(word.Start)
		terms = append(terms, term)
	}
	return setOperation(p, start, left, terms)
}

// intersections takes INTERSECT with its right sides.
func intersections(p *parser, start int32, left tree.Query) tree.Query {
	var terms []*tree.SetTerm
	for p.isWord(lex.WIntersect) {
		at := p.next().Start
		term := &tree.SetTerm{Op: tree.Intersect, All: setAll(p)}
		term.Query = queryPrimary(p)
		term.Span = p.from(at)
		terms = append(terms, term)
	}
	return setOperation(p, start, left, terms)
}

// setOperation is what terms make of a query before them, the query itself if there are none.
func setOperation(p *parser, start int32, first tree.Query, terms []*tree.SetTerm) tree.Query {
	if terms == nil {
		return first
	}
	return &tree.SetOperation{Span: p.from(start), First: first, Rest: terms}
}

// setAll takes ALL or DISTINCT, and reports whether it was ALL.
func setAll(p *parser) bool {
	if p.accept(lex.WAll) {
		return true
	}
	acceptDistinct(p)
	return false
}

func acceptDistinct(p *parser) bool {
	return p.acceptAny(lex.WDistinct, lex.WDistinctrow) != lex.NoWord
}

// queryPrimary takes one side of a set operation.
func queryPrimary(p *parser) tree.Query {
	if p.is('(') {
		p.deeper()
		defer p.shallower()
		return nestedSide(querySide(p))
	}
	return queryCore(p, false)
}

func isSetWord(p *parser) bool {
	w := p.peek(0).Word
	return w == lex.WUnion || w == lex.WExcept || w == lex.WIntersect
}

// nestedSide is a query in parentheses as a side of a set operation. The types of a set operation's columns come from all of its sides, and one in
// parentheses has its own.
func nestedSide(q tree.Query) tree.Query {
	if s, ok := q.(*tree.SetOperation); ok && s.Empty() && s.With == nil {
		return &tree.Nested{Span: s.Span, Query: s}
	}
	return q
}

// querySide takes a query in parentheses that can be a side of a set operation: it has no WITH.
func querySide(p *parser) tree.Query {
	if p.peek(1).Word == lex.WWith {
		p.next()
		p.fail()
	}
	return queryInParens(p)
}

// queryCore takes SELECT or VALUES, up to what may follow every query.
func queryCore(p *parser, top bool) tree.Query {
	start := p.start()
	if p.accept(lex.WValues) {
		n := &tree.Values{Rows: list(p, insertRow)}
		n.Span = p.from(start)
		return n
	}
	p.expect(lex.WSelect)
	n := &tree.Select{Options: selectOptions(p), Items: selectItems(p)}
	if top && p.isWord(lex.WInto) {
		n.Into = into(p)
	}
	if p.accept(lex.WFrom) {
		if !p.accept(lex.WDual) {
			n.From = list(p, tableReference)
		}
	}
	if p.accept(lex.WWhere) {
		n.Where = expr(p)
	}
	if p.accept(lex.WGroup) {
		p.expect(lex.WBy)
		n.GroupBy = list(p, order)
		if p.isWords(lex.WWith, lex.WCube) {
			p.failWith(mysqlerr.NotYet("CUBE"))
		}
		if p.isWords(lex.WWith, lex.WRollup) {
			p.expect(lex.WWith, lex.WRollup)
			n.Rollup = true
		}
	}
	if p.accept(lex.WHaving) {
		n.Having = expr(p)
	}
	if p.accept(lex.WWindow) {
		n.Windows = list(p, namedWindow)
	}
	n.Span = p.from(start)
	return n
}

func namedWindow(p *parser) *tree.NamedWindow {
	start := p.start()
	n := &tree.NamedWindow{Name: p.ident()}
	p.expect(lex.WAs)
	n.Window = window(p)
	n.Span = p.from(start)
	return n
}

var selectOptionWords = map[lex.Word]tree.SelectOption{
	lex.WDistinct: tree.SelectDistinct, lex.WDistinctrow: tree.SelectDistinct, lex.WUnique: tree.SelectDistinct, lex.WHighPriority: tree.SelectHighPriority,
	lex.WStraightJoin: tree.SelectStraightJoin, lex.WSqlSmallResult: tree.SelectSQLSmallResult, lex.WSqlBigResult: tree.SelectSQLBigResult,
	lex.WSqlBufferResult: tree.SelectSQLBufferResult, lex.WSqlCalcFoundRows: tree.SelectSQLCalcFoundRows,
	lex.WSqlNoCache: tree.SelectSQLNoCache, lex.WSqlCache: tree.SelectSQLCache,
}

// selectOptions takes the words behind SELECT.
func selectOptions(p *parser) tree.SelectOption {
	all := tree.SelectOption(0)
	for {
		w := p.peek(0).Word
		o, ok := selectOptionWords[w]
		if !ok && w != lex.WAll {
			return all
		}
		p.next()
		all |= o
	}
}

// selectItems takes a select list. A * without a table can only be its first.
func selectItems(p *parser) []*tree.SelectItem {
	var items []*tree.SelectItem
	for first := true; first || p.acceptKind(','); first = false {
		start := p.start()
		n := &tree.SelectItem{}
		switch {
		case first && p.acceptKind('*'):
			n.X = &tree.AllColumns{Span: p.from(start)}
		case isTableStar(p):
			n.X = tableStar(p)
		default:
			n.X = expr(p)
			n.Alias = columnAlias(p)
		}
		n.Span = p.from(start)
		items = append(items, n)
	}
	return items
}

// isTableStar reports whether t.* or d.t.* follows.
func isTableStar(p *parser) bool {
	if !p.isName(0) || p.peek(1).Kind != '.' {
		return false
	}
	return p.peek(2).Kind == '*' || p.peek(3).Kind == '.' && p.peek(4).Kind == '*'
}

func tableStar(p *parser) *tree.AllColumns {
	start := p.start()
	n := &tree.AllColumns{Table: p.ident()}
	p.expectKind('.')
	if !p.is('*') {
		n.DB, n.Table = n.Table, p.identAfterPoint()
		p.expectKind('.')
	}
	p.expectKind('*')
	n.Span = p.from(start)
	return n
}

// columnAlias takes the name that an expression is given; nil: none.
func columnAlias(p *parser) *tree.Ident {
	as := p.accept(lex.WAs)
	t := p.peek(0)
	switch {
	case t.Kind == lex.String, p.isName(0) && (as || t.Word != lex.WSounds):
		name := p.identOf(p.next())
		return &name
	case as:
		p.fail()
	}
	return nil
}

// withClause takes WITH and its tables; nil: there is none.
func withClause(p *parser) *tree.With {
	if !p.isWord(lex.WWith) {
		return nil
	}
	start := p.next().Start
	n := &tree.With{Recursive: p.accept(lex.WRecursive)}
	n.Tables = list(p, func(p *parser) *tree.CTE {
		start := p.start()
		t := &tree.CTE{Name: p.ident()}
		if p.is('(') {
			t.Columns = columnNames(p)
		}
		p.expect(lex.WAs)
		t.Query = queryInParens(p)
		if n.Recursive && p.accept(lex.WCycle) {
			t.Cycle = list(p, (*parser).ident)
			p.expect(lex.WRestrict)
		}
		t.Span = p.from(start)
		return t
	})
	n.Span = p.from(start)
	return n
}

// columnNames takes names in parentheses.
func columnNames(p *parser) []tree.Ident {
	return inParens(p, func() []tree.Ident { return list(p, (*parser).ident) })
}
