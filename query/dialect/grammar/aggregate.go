package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// rowsKind is how the arguments of a function over rows are written.
type rowsKind uint8

const (
	notOverRows  rowsKind = iota
	oneArgument           // a value
	distinctOne           // a value, perhaps DISTINCT
	counted               // COUNT
	concatenated          // GROUP_CONCAT
	collected             // JSON_ARRAYAGG
	paired                // JSON_OBJECTAGG
	windowNone            // window functions, by the number of their arguments
	windowOne
	windowTwo
	windowOneOrTwo
	lastValue
	inverse // PERCENTILE_CONT and _DISC
	median
)

var overRows = map[lex.Word]rowsKind{
	lex.WAvg: distinctOne, lex.FSum: distinctOne, lex.FMin: distinctOne, lex.FMax: distinctOne, lex.FBitAnd: oneArgument, lex.FBitOr: oneArgument,
	lex.FBitXor: oneArgument, lex.FStd: oneArgument, lex.FStddev: oneArgument, lex.FStddevPop: oneArgument, lex.FStddevSamp: oneArgument,
	lex.FVariance: oneArgument, lex.FVarPop: oneArgument, lex.FVarSamp: oneArgument, lex.FCount: counted, lex.FGroupConcat: concatenated,
	lex.FJsonArrayagg: collected, lex.FJsonObjectagg: paired, lex.WRowNumber: windowNone, lex.FRank: windowNone, lex.FDenseRank: windowNone,
	lex.FPercentRank: windowNone, lex.FCumeDist: windowNone, lex.FNtile: windowOne, lex.FFirstValue: windowOne, lex.FNthValue: windowTwo,
	lex.FLead: windowOneOrTwo, lex.FLag: windowOneOrTwo, lex.WLastValue: lastValue, lex.FPercentileCont: inverse, lex.FPercentileDisc: inverse,
	lex.FMedian: median,
}

// aggregateName is the name of a function over rows; synonyms have one.
func aggregateName(w lex.Word) string {
	switch w {
	case lex.FStddev, lex.FStddevPop:
		w = lex.FStd
	case lex.FVarPop:
		w = lex.FVariance
	}
	return w.String()
}

// aggregate takes a function over rows; nil: the word is none.
func aggregate(p *parser, t lex.Token) tree.Expr {
	kind := overRows[t.Word]
	if kind == notOverRows {
		return nil
	}
	p.next()
	n := &tree.Aggregate{Name: aggregateName(t.Word)}
	switch kind {
	case windowNone:
		p.expectKind('(')
		p.expectKind(')')
	case windowOne, inverse, median:
		n.Args = countedArguments(p, 1, 1)
	case windowTwo:
		n.Args = countedArguments(p, 2, 2)
	case windowOneOrTwo:
		n.Args = countedArguments(p, 1, 2)
	case lastValue:
		n.Args = countedArguments(p, 1, many)
		if len(n.Args) > 1 || !p.isWord(lex.WOver) {
			return &tree.Call{Span: p.from(t.Start), Name: keywordName("LAST_VALUE"), Keyword: true, Args: n.Args}
		}
	default:
		p.expectKind('(')
		aggregateArguments(p, n, kind)
		p.expectKind(')')
	}
	switch {
	case kind == inverse || kind == median:
		if kind == inverse {
			p.expect(lex.WWithin, lex.WGroup)
			n.Within = inParens(p, func() *tree.Order {
				p.expect(lex.WOrder, lex.WBy)
				return order(p)
			})
		}
		n.Over = partitionOnly(p)
	case kind >= windowNone || p.isWord(lex.WOver):
		n.Over = over(p)
	}
	n.Span = p.from(t.Start)
	return n
}

// aggregateArguments takes what stands in the parentheses of an aggregate.
func aggregateArguments(p *parser, n *tree.Aggregate, kind rowsKind) {
	if kind == counted {
		all := p.accept(lex.WAll)
		if star := p.start(); p.acceptKind('*') {
			n.Args = []tree.Expr{&tree.AllColumns{Span: p.from(star)}}
			return
		}
		if all {
			n.Args = []tree.Expr{expr(p)}
			return
		}
	}
	if kind != oneArgument && kind != paired {
		n.Distinct = acceptDistinct(p)
	}
	switch {
	case kind == concatenated || kind == collected || kind == counted && n.Distinct:
		n.Args = list(p, expr)
	case kind == paired:
		n.Args = []tree.Expr{expr(p)}
		p.expectKind(',')
		n.Args = append(n.Args, expr(p))
	default:
		p.accept(lex.WAll)
		n.Args = []tree.Expr{expr(p)}
	}
	if kind != concatenated && kind != collected {
		return
	}
	n.OrderBy = orderBy(p)
	if kind == concatenated && p.accept(lex.WSeparator) {
		n.Separator = plainText(p)
	}
	if p.isWord(lex.WLimit) {
		start := p.next().Start
		n.Limit = &tree.Limit{}
		limitNumbers(p, n.Limit)
		n.Limit.Span = p.from(start)
	}
}

// plainText takes a string, or the digits of one.
func plainText(p *parser) *tree.TextLit {
	start := p.start()
	if p.is(lex.HexString) || p.is(lex.BitString) || p.is(lex.HexNumber) || p.is(lex.BitNumber) {
		return &tree.TextLit{Value: bytesLiteral(p).Value, Span: p.from(start)}
	}
	value := p.stringLiteral()
	return &tree.TextLit{Span: p.from(start), Value: value}
}

// over takes OVER with a name or a window.
func over(p *parser) *tree.Over {
	start := p.start()
	p.expect(lex.WOver)
	n := &tree.Over{}
	if p.is('(') {
		n.Window = window(p)
	} else {
		name := p.ident()
		n.Name = &name
	}
	n.Span = p.from(start)
	return n
}

// partitionOnly takes OVER with nothing but a partition.
func partitionOnly(p *parser) *tree.Over {
	start := p.start()
	p.expect(lex.WOver)
	w := &tree.Window{}
	at := p.start()
	p.expectKind('(')
	if p.accept(lex.WPartition) {
		p.expect(lex.WBy)
		w.PartitionBy = list(p, order)
	}
	p.expectKind(')')
	w.Span = p.from(at)
	return &tree.Over{Span: p.from(start), Window: w}
}

// window takes (name PARTITION BY ... ORDER BY ... frame).
func window(p *parser) *tree.Window {
	start := p.start()
	p.expectKind('(')
	n := &tree.Window{}
	if p.isName(0) && !p.isWord(lex.WPartition) {
		name := p.ident()
		n.Base = &name
	}
	if p.accept(lex.WPartition) {
		p.expect(lex.WBy)
		n.PartitionBy = list(p, order)
	}
	n.OrderBy = orderBy(p)
	if w := p.peek(0).Word; w == lex.WRows || w == lex.WRange {
		n.Frame = frame(p)
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// frame takes ROWS or RANGE, and where it begins and ends.
func frame(p *parser) *tree.Frame {
	start := p.start()
	n := &tree.Frame{Range: p.next().Word == lex.WRange}
	if p.accept(lex.WBetween) {
		n.Start = bound(p, false)
		p.expect(lex.WAnd)
		n.End = bound(p, false)
	} else {
		n.Start = bound(p, true)
	}
	if p.accept(lex.WExclude) {
		switch p.acceptAny(lex.WCurrent, lex.WGroup, lex.WTies, lex.WNo) {
		case lex.WCurrent:
			p.expect(lex.WRow)
			n.Exclude = tree.ExcludeCurrentRow
		case lex.WGroup:
			n.Exclude = tree.ExcludeGroup
		case lex.WTies:
			n.Exclude = tree.ExcludeTies
		case lex.WNo:
			p.expect(lex.WOthers)
		default:
			p.fail()
		}
	}
	n.Span = p.from(start)
	return n
}

// bound takes one end of a frame. Where it is the only one the frame cannot begin after the current row.
func bound(p *parser, only bool) *tree.Bound {
	n := &tree.Bound{}
	start := p.start()
	following := func() bool {
		if only {
			p.expect(lex.WPreceding)
			return false
		}
		if p.accept(lex.WPreceding) {
			return false
		}
		p.expect(lex.WFollowing)
		return true
	}
	switch {
	case p.accept(lex.WCurrent):
		p.expect(lex.WRow)
		n.Kind = tree.CurrentRow
	case p.accept(lex.WUnbounded):
		n.Kind = tree.UnboundedPreceding
		if following() {
			n.Kind = tree.UnboundedFollowing
		}
	default:
		n.Distance, n.Kind = literal(p), tree.Preceding
		if following() {
			n.Kind = tree.Following
		}
	}
	n.Span = p.from(start)
	return n
}

// literal takes a literal.
func literal(p *parser) tree.Expr {
	t := p.peek(0)
	switch t.Kind {
	case lex.Name:
		switch t.Word {
		case lex.WNull, lex.WTrue, lex.WFalse:
			return primary(p)
		case lex.WDate, lex.WTime, lex.WTimestamp:
			if p.peek(1).Kind == lex.String {
				return primary(p)
			}
		}
	case lex.Integer, lex.Decimal, lex.Float, lex.String, lex.NString, lex.Introducer, lex.HexNumber, lex.HexString, lex.BitNumber, lex.BitString:
		return primary(p)
	}
	p.fail()
	return nil
}

// orderBy takes ORDER BY, if it is there.
func orderBy(p *parser) []*tree.Order {
	if !p.accept(lex.WOrder) {
		return nil
	}
	p.expect(lex.WBy)
	return list(p, order)
}

// order takes an expression with ASC or DESC.
func order(p *parser) *tree.Order {
	start := p.start()
	n := &tree.Order{X: expr(p)}
	if !p.accept(lex.WAsc) {
		n.Desc = p.accept(lex.WDesc)
	}
	n.Span = p.from(start)
	return n
}
