package grammar

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

func lower(s string) string { return strings.ToLower(s) }

// keywordName is a name that does not stand in the text as it is.
func keywordName(s string) tree.Ident { return tree.Ident{Text: s} }

// keywordCalls are functions whose names are keywords, and how many arguments each takes as the grammar has it.
var keywordCalls = map[lex.Word]struct{ least, most int }{
	lex.WInsert: {4, 4}, lex.WLeft: {2, 2}, lex.WRight: {2, 2}, lex.WDate: {1, 1}, lex.WDay: {1, 1}, lex.WHour: {1, 1}, lex.WMinute: {1, 1},
	lex.WMonth: {1, 1}, lex.WSecond: {1, 1}, lex.WTime: {1, 1}, lex.WTimestamp: {1, 2}, lex.WUser: {0, 0}, lex.WYear: {1, 1},
	lex.WAscii: {1, 1}, lex.WCharset: {1, 1}, lex.WIf: {3, 3}, lex.WFormat: {0, many}, lex.WMicrosecond: {0, many},
	lex.WOldPassword: {0, many}, lex.WPassword: {1, 1}, lex.WQuarter: {0, many}, lex.WRepeat: {2, 2}, lex.WReplace: {3, 3}, lex.WReverse: {0, many},
	lex.WRowCount: {0, many}, lex.WTruncate: {2, 2}, lex.WWeek: {0, many}, lex.WCoalesce: {0, many}, lex.WCollation: {0, many}, lex.WDatabase: {0, many},
	lex.WSchema: {0, many}, lex.WContains: {0, many - 1}, lex.WColumnCheck: {0, many}, lex.WUtcDate: {0, 0}, lex.WCurrentDate: {0, 0},
	lex.WCurrentUser: {0, 0}, lex.WCurrentRole: {0, 0}, lex.WRownum: {0, 0}, lex.WColumnDelete: {2, many},
	lex.WSqlTsiDay: {1, 1}, lex.WSqlTsiHour: {1, 1}, lex.WSqlTsiMinute: {1, 1}, lex.WSqlTsiMonth: {1, 1}, lex.WSqlTsiSecond: {1, 1},
	lex.WSqlTsiYear: {1, 1}, lex.WSqlTsiQuarter: {0, many}, lex.WSqlTsiWeek: {0, many},
	lex.FDateFormat: {0, many}, lex.FDecode: {0, many}, lex.FCurdate: {0, 0}, lex.FSessionUser: {0, 0}, lex.FSystemUser: {0, 0},
}

// many is no limit to the number of arguments.
const many = 1 << 20

// precise are functions that may have a number of decimals as their argument.
var precise = map[lex.Word]bool{
	lex.FNow: true, lex.FCurtime: true, lex.WCurrentTime: true, lex.WCurrentTimestamp: true, lex.WLocaltime: true, lex.WLocaltimestamp: true,
	lex.WUtcTime: true, lex.WUtcTimestamp: true, lex.WSysdate: true,
}

// functionOf is the name of the function that a keyword means: synonyms have one.
func functionOf(w lex.Word) string {
	switch w {
	case lex.FNow, lex.WLocaltime, lex.WLocaltimestamp:
		w = lex.WCurrentTimestamp
	case lex.FCurtime:
		w = lex.WCurrentTime
	case lex.FCurdate:
		w = lex.WCurrentDate
	case lex.FSessionUser, lex.FSystemUser:
		w = lex.WUser
	case lex.WSchema:
		w = lex.WDatabase
	case lex.FMid, lex.FSubstr:
		w = lex.FSubstring
	}
	return strings.TrimPrefix(w.String(), "SQL_TSI_")
}

// beginsCall reports whether a reserved word can begin an expression: an error is behind it then.
func beginsCall(p *parser, w lex.Word) bool {
	_, counted := keywordCalls[w]
	_, special := specialCalls[w]
	return counted || precise[w] || special && (w != lex.WValues || p.valuesCall) || overRows[w] != notOverRows
}

// keywordCall takes a call of a function that has a keyword as its name; nil: the keyword is none.
func keywordCall(p *parser, t lex.Token) tree.Expr {
	if arity, ok := keywordCalls[t.Word]; ok {
		p.next()
		call := &tree.Call{Name: keywordName(functionOf(t.Word)), Keyword: true}
		if arity.least == 0 && arity.most == many {
			call.Args = arguments(p, argument)
		} else {
			call.Args = countedArguments(p, arity.least, arity.most)
		}
		call.Span = p.from(t.Start)
		return call
	}
	if precise[t.Word] {
		p.next()
		return preciseCall(p, t)
	}
	if take, ok := specialCalls[t.Word]; ok && (t.Word != lex.WValues || p.valuesCall) {
		p.next()
		return take(p, t.Start, t.Word)
	}
	if t.Word == lex.WInterval || t.Word == lex.WMatch {
		return nil
	}
	if x := aggregate(p, t); x != nil {
		return x
	}
	return nil
}

// preciseCall takes () or (decimals).
func preciseCall(p *parser, t lex.Token) tree.Expr {
	call := &tree.Call{Name: keywordName(functionOf(t.Word)), Keyword: true}
	p.expectKind('(')
	if !p.is(')') {
		n := p.expectKind(lex.Integer)
		call.Args = []tree.Expr{&tree.NumberLit{Span: tree.Span{Start: n.Start, End: n.End}, Text: p.lx.Text(n)}}
	}
	p.expectKind(')')
	call.Span = p.from(t.Start)
	return call
}

// arguments takes the arguments of a call in their parentheses.
func arguments(p *parser, one func(*parser) tree.Expr) []tree.Expr {
	p.expectKind('(')
	if p.acceptKind(')') {
		return nil
	}
	args := list(p, one)
	p.expectKind(')')
	return args
}

// countedArguments takes as many arguments as a function has, and fails where one is missing or too many.
func countedArguments(p *parser, least, most int) []tree.Expr {
	p.expectKind('(')
	var args []tree.Expr
	for len(args) < most && (len(args) < least || !p.is(')')) {
		if len(args) > 0 {
			p.expectKind(',')
		}
		args = append(args, expr(p))
	}
	p.expectKind(')')
	return args
}

// genericCall takes a call of a function whose name is no keyword.
func genericCall(p *parser) tree.Expr {
	start := p.start()
	call := &tree.Call{Name: p.ident()}
	call.Args = arguments(p, argument)
	call.Span = p.from(start)
	return call
}

// argument takes an argument that may have a name.
func argument(p *parser) tree.Expr {
	start := p.start()
	x := expr(p)
	if alias := columnAlias(p); alias != nil {
		return &tree.NamedArg{Span: p.from(start), X: x, Name: *alias}
	}
	return x
}

// specialCalls take functions with a syntax of their own, from the parenthesis on.
var specialCalls map[lex.Word]func(p *parser, start int32, w lex.Word) tree.Expr

func init() {
	specialCalls = map[lex.Word]func(p *parser, start int32, w lex.Word) tree.Expr{
		lex.FCast: castCall, lex.WConvert: convertCall, lex.FExtract: extractCall, lex.FTrim: trimCall, lex.FPosition: positionCall,
		lex.FSubstring: substringCall, lex.FSubstr: substringCall, lex.FMid: substringCall, lex.WChar: charCall, lex.WCharacter: charCall, lex.WMod: modCall,
		lex.WWeightString: weightCall, lex.WGetFormat: formatCall, lex.WTimestampadd: timestampAddCall, lex.WTimestampdiff: timestampDiffCall,
		lex.FDateAdd: dateAddCall, lex.FDateSub: dateAddCall, lex.FAdddate: dateAddCall, lex.FSubdate: dateAddCall,
		lex.WValues: valueCall, lex.WValue: valueCall, lex.WDefault: valueCall, lex.WRow: rowCall, lex.WExists: existsCall,
		lex.WNextval: sequenceCall, lex.WLastval: sequenceCall, lex.WSetval: sequenceCall,
		lex.WColumnCreate: dynamicCall, lex.WColumnAdd: dynamicCall, lex.WColumnGet: columnGetCall,
	}
}

func castCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.Cast{}
	p.expectKind('(')
	n.X = expr(p)
	p.expect(lex.WAs)
	n.Type = castType(p)
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

func convertCall(p *parser, start int32, _ lex.Word) tree.Expr {
	p.expectKind('(')
	x := expr(p)
	if p.accept(lex.WUsing) {
		charset := namedCharset(p)
		p.expectKind(')')
		return &tree.ConvertUsing{Span: p.from(start), X: x, Charset: charset}
	}
	p.expectKind(',')
	t := castType(p)
	p.expectKind(')')
	return &tree.Cast{Span: p.from(start), X: x, Type: t}
}

func extractCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.Extract{}
	p.expectKind('(')
	n.Unit = intervalUnit(p)
	p.expect(lex.WFrom)
	n.X = expr(p)
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

func trimCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.Trim{}
	p.expectKind('(')
	side := p.acceptAny(lex.WBoth, lex.WLeading, lex.WTrailing)
	switch side {
	case lex.WLeading:
		n.Side = tree.TrimLeading
	case lex.WTrailing:
		n.Side = tree.TrimTrailing
	}
	if side == lex.NoWord || !p.isWord(lex.WFrom) {
		n.X = expr(p)
	}
	if side != lex.NoWord || p.isWord(lex.WFrom) {
		p.expect(lex.WFrom)
		n.Chars, n.X = n.X, expr(p)
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

func positionCall(p *parser, start int32, _ lex.Word) tree.Expr {
	p.expectKind('(')
	part := bitExpr(p)
	p.expect(lex.WIn)
	whole := expr(p)
	p.expectKind(')')
	return &tree.Call{Span: p.from(start), Name: keywordName("LOCATE"), Args: []tree.Expr{part, whole}}
}

func substringCall(p *parser, start int32, _ lex.Word) tree.Expr {
	p.expectKind('(')
	args := []tree.Expr{expr(p)}
	if p.accept(lex.WFrom) {
		args = append(args, expr(p))
		if p.accept(lex.WFor) {
			args = append(args, expr(p))
		}
	} else {
		p.expectKind(',')
		args = append(args, expr(p))
		if p.acceptKind(',') {
			args = append(args, expr(p))
		}
	}
	p.expectKind(')')
	return &tree.Call{Span: p.from(start), Name: keywordName("SUBSTRING"), Keyword: true, Args: args}
}

func charCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.CharOf{}
	p.expectKind('(')
	n.Args = list(p, expr)
	if p.accept(lex.WUsing) {
		n.Charset = namedCharset(p)
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

func modCall(p *parser, start int32, _ lex.Word) tree.Expr {
	args := countedArguments(p, 2, 2)
	return &tree.Binary{Span: p.from(start), Op: tree.OpModulo, Left: args[0], Right: args[1]}
}

func weightCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.WeightString{}
	p.expectKind('(')
	n.X = expr(p)
	if p.acceptKind(',') {
		n.Numbers = append(n.Numbers, unsignedOrHex(p))
		for range 2 {
			p.expectKind(',')
			n.Numbers = append(n.Numbers, unsignedOrHex(p))
		}
		p.expectKind(')')
		n.Span = p.from(start)
		return n
	}
	if p.accept(lex.WAs) {
		if n.Binary = p.accept(lex.WBinary); !n.Binary {
			p.expect(lex.WChar)
		}
		length := inParens(p, func() uint64 {
			if p.is(lex.Integer) && strings.Trim(p.lx.Text(p.peek(0)), "0") == "" {
				p.fail()
			}
			return unsignedOrHex(p)
		})
		n.Length = &length
	}
	if !n.Binary && p.accept(lex.WLevel) {
		n.Levels = weightLevels(p)
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// unsignedOrHex takes an integer of at most 64 bits, as digits of ten or sixteen.
func unsignedOrHex(p *parser) uint64 {
	if !p.is(lex.HexNumber) {
		return p.unsigned()
	}
	n, err := strconv.ParseUint(p.lx.Text(p.peek(0)), 0, 64)
	if err != nil {
		p.fail()
	}
	p.next()
	return n
}

// weightLevels takes levels with commas between, or one range of them.
func weightLevels(p *parser) []tree.WeightLevel {
	var levels []tree.WeightLevel
	for first := true; first || p.acceptKind(','); first = false {
		l := tree.WeightLevel{First: p.unsigned()}
		l.Last = l.First
		if first && p.acceptKind('-') {
			l.Last = p.unsigned()
			return append(levels, l)
		}
		if !p.accept(lex.WAsc) {
			l.Desc = p.accept(lex.WDesc)
		}
		l.Reverse = p.accept(lex.WReverse)
		levels = append(levels, l)
	}
	return levels
}

func formatCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.GetFormat{}
	p.expectKind('(')
	switch p.acceptAny(lex.WDate, lex.WTime, lex.WDatetime, lex.WTimestamp) {
	case lex.WTime:
		n.Type = tree.TemporalTime
	case lex.WDatetime, lex.WTimestamp:
		n.Type = tree.TemporalTimestamp
	case lex.NoWord:
		p.fail()
	}
	p.expectKind(',')
	n.X = expr(p)
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

func timestampAddCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.AddInterval{}
	p.expectKind('(')
	n.Unit = simpleUnit(p)
	p.expectKind(',')
	n.Value = expr(p)
	p.expectKind(',')
	n.X = expr(p)
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

func timestampDiffCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.TimestampDiff{}
	p.expectKind('(')
	n.Unit = simpleUnit(p)
	p.expectKind(',')
	n.From = expr(p)
	p.expectKind(',')
	n.To = expr(p)
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// dateAddCall takes DATE_ADD and DATE_SUB, or ADDDATE and SUBDATE, which can count days.
func dateAddCall(p *parser, start int32, w lex.Word) tree.Expr {
	n := &tree.AddInterval{Minus: w == lex.FDateSub || w == lex.FSubdate}
	p.expectKind('(')
	n.X = expr(p)
	p.expectKind(',')
	days := w == lex.FAdddate || w == lex.FSubdate
	at := p.start()
	switch {
	case p.isWord(lex.WInterval):
		n.Value, n.Unit = intervalOrCall(p)
		if n.Unit == 0 {
			n.Value = infix(p, n.Value, at, tree.BindAssign)
		}
	case days:
		n.Value = expr(p)
	default:
		p.fail()
	}
	if n.Unit == 0 {
		if !days {
			p.fail()
		}
		n.Unit = tree.UnitDay
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// valueCall takes VALUE(column), VALUES(column) and DEFAULT(column).
func valueCall(p *parser, start int32, w lex.Word) tree.Expr {
	c := inParens(p, func() *tree.ColumnRef { return column(p) })
	if w == lex.WDefault {
		return &tree.DefaultOf{Span: p.from(start), Column: c}
	}
	return &tree.ValueOf{Span: p.from(start), Column: c}
}

func rowCall(p *parser, start int32, _ lex.Word) tree.Expr {
	items := countedArguments(p, 2, many)
	return &tree.Row{Span: p.from(start), Items: items}
}

func existsCall(p *parser, start int32, _ lex.Word) tree.Expr {
	q := inParens(p, func() tree.Query { return selectQuery(p) })
	return &tree.Exists{Span: p.from(start), Query: q}
}
