package grammar

import (
	"strconv"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// queryTail takes what may follow every query.
func queryTail(p *parser, top bool) tree.Tail {
	t := tree.Tail{OrderBy: orderBy(p), Limit: limit(p)}
	procedureOrInto(p, &t, top)
	t.Lock = lock(p)
	procedureOrInto(p, &t, top)
	return t
}

func procedureOrInto(p *parser, t *tree.Tail, top bool) {
	switch {
	case !top || t.Into != nil || t.Procedure != nil:
	case p.isWord(lex.WProcedure):
		start := p.next().Start
		n := &tree.ProcedureClause{Name: p.ident()}
		n.Args = arguments(p, expr)
		n.Span = p.from(start)
		t.Procedure = n
	case p.isWord(lex.WInto):
		t.Into = into(p)
	}
}

// limit takes LIMIT or FETCH; nil: there is none.
func limit(p *parser) *tree.Limit {
	start := p.start()
	n := &tree.Limit{}
	switch p.peek(0).Word {
	case lex.WLimit:
		p.next()
		if !p.isWord(lex.WRows) {
			limitNumbers(p, n)
		}
		if p.accept(lex.WRows) {
			p.expect(lex.WExamined)
			n.Examined = limitValue(p)
		}
	case lex.WOffset:
		p.next()
		n.Offset = limitValue(p)
		rowOrRows(p)
		if p.isWord(lex.WFetch) {
			fetchFirst(p, n)
		}
	case lex.WFetch:
		fetchFirst(p, n)
	default:
		return nil
	}
	n.Span = p.from(start)
	return n
}

// limitNumbers takes count; offset, count; or count OFFSET offset.
func limitNumbers(p *parser, n *tree.Limit) {
	n.Count = limitValue(p)
	switch {
	case p.acceptKind(','):
		n.Offset, n.Count = n.Count, limitValue(p)
	case p.accept(lex.WOffset):
		n.Offset = limitValue(p)
	}
}

// fetchFirst takes FETCH FIRST n ROWS ONLY.
func fetchFirst(p *parser, n *tree.Limit) {
	p.expect(lex.WFetch)
	if p.acceptAny(lex.WFirst, lex.WNext) == lex.NoWord {
		p.fail()
	}
	if w := p.peek(0).Word; w == lex.WRow || w == lex.WRows {
		n.Count = &tree.NumberLit{Span: tree.Span{Start: p.start(), End: p.start()}, Text: "1"}
	} else {
		n.Count = limitValue(p)
	}
	rowOrRows(p)
	if !p.accept(lex.WOnly) {
		p.expect(lex.WWith, lex.WTies)
		n.WithTies = true
	}
}

func rowOrRows(p *parser) {
	if p.acceptAny(lex.WRow, lex.WRows) == lex.NoWord {
		p.fail()
	}
}

// limitValue takes a number of 64 bits, a parameter, or a variable of a routine.
func limitValue(p *parser) tree.Expr {
	t := p.peek(0)
	switch {
	case t.Kind == lex.Integer:
		if _, err := strconv.ParseUint(p.lx.Text(t), 10, 64); err != nil {
			p.fail()
		}
		return integerLiteral(p)
	case t.Kind == '?':
		return primary(p)
	case p.isName(0):
		n := &tree.ColumnRef{Name: p.ident()}
		if p.acceptKind('.') {
			n.Table, n.Name = n.Name, p.identAfterPoint()
		}
		n.Span = p.from(t.Start)
		return n
	}
	p.fail()
	return nil
}

// lock takes FOR UPDATE or LOCK IN SHARE MODE; nil: there is none.
func lock(p *parser) *tree.Lock {
	start := p.start()
	n := &tree.Lock{}
	switch {
	case p.accept(lex.WFor):
		p.expect(lex.WUpdate)
	case p.accept(lex.WLock):
		p.expect(lex.WIn, lex.WShare, lex.WMode)
		n.Share = true
	default:
		return nil
	}
	n.Wait = lockWait(p)
	n.Span = p.from(start)
	return n
}

// lockWait takes WAIT n, NOWAIT or SKIP LOCKED; nil: none of them.
func lockWait(p *parser) *tree.LockWait {
	start := p.start()
	n := &tree.LockWait{}
	switch p.acceptAny(lex.WWait, lex.WNowait, lex.WSkip) {
	case lex.WWait:
		n.Seconds = p.unsigned()
	case lex.WNowait:
		n.NoWait = true
	case lex.WSkip:
		p.expect(lex.WLocked)
		n.SkipLocked = true
	default:
		return nil
	}
	n.Span = p.from(start)
	return n
}

// into takes INTO.
func into(p *parser) tree.Into {
	start := p.start()
	p.expect(lex.WInto)
	switch {
	case p.accept(lex.WOutfile):
		n := &tree.IntoOutfile{File: p.stringLiteral()}
		if isCharsetWord(p) {
			charsetWords(p)
			n.Charset = namedCharset(p)
		}
		n.Format = textFormat(p)
		n.Span = p.from(start)
		return n
	case p.accept(lex.WDumpfile):
		n := &tree.IntoDumpfile{File: p.stringLiteral()}
		n.Span = p.from(start)
		return n
	}
	n := &tree.IntoVariables{Targets: list(p, target)}
	n.Span = p.from(start)
	return n
}

// target takes what a value can be put into: @a, or a variable of a routine.
func target(p *parser) tree.Expr {
	if p.is('@') {
		return userVariable(p, false)
	}
	start := p.start()
	n := &tree.ColumnRef{Name: p.ident()}
	if p.acceptKind('.') {
		n.Table, n.Name = n.Name, p.identAfterPoint()
	}
	n.Span = p.from(start)
	return n
}

// isCharsetWord reports whether CHARSET or CHARACTER SET follows.
func isCharsetWord(p *parser) bool {
	w := p.peek(0).Word
	return w == lex.WCharset || w == lex.WCharacter || w == lex.WChar
}

// textFormat takes FIELDS and LINES; nil: neither is there.
func textFormat(p *parser) *tree.TextFormat {
	start := p.start()
	n := &tree.TextFormat{}
	if p.acceptAny(lex.WFields, lex.WColumns) != lex.NoWord {
		for first := true; ; first = false {
			optionally := p.accept(lex.WOptionally)
			switch {
			case !optionally && p.accept(lex.WTerminated):
				n.Terminated = byText(p)
			case p.accept(lex.WEnclosed):
				n.Optionally = n.Optionally || optionally
				n.Enclosed = byText(p)
			case !optionally && p.accept(lex.WEscaped):
				n.Escaped = byText(p)
			case first || optionally:
				p.fail()
			}
			if w := p.peek(0).Word; w != lex.WTerminated && w != lex.WEnclosed && w != lex.WEscaped && w != lex.WOptionally {
				break
			}
		}
	}
	if p.accept(lex.WLines) {
		for first := true; first || p.isWord(lex.WTerminated) || p.isWord(lex.WStarting); first = false {
			if p.accept(lex.WStarting) {
				n.Starting = byText(p)
				continue
			}
			p.expect(lex.WTerminated)
			n.LinesTerminated = byText(p)
		}
	}
	if n.Span = p.from(start); n.End <= start {
		return nil
	}
	return n
}

func byText(p *parser) *tree.TextLit {
	p.expect(lex.WBy)
	return plainText(p)
}
