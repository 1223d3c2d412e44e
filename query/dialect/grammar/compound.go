package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// outerCompound takes a compound statement that is in no routine; nil: none follows.
func outerCompound(p *parser) tree.Statement {
	if p.routine != nil {
		return nil // routineStatement has seen it
	}
	switch p.peek(0).Word {
	case lex.WBegin:
		if p.peek(1).Word != lex.WNot {
			return nil
		}
	case lex.WIf, lex.WCase, lex.WLoop, lex.WWhile, lex.WRepeat, lex.WFor:
	default:
		return nil
	}
	s, _ := body(p, anonymous, func() tree.Statement { return compound(p) })
	return s
}

// compound takes a compound statement without a label; nil: none follows.
func compound(p *parser) tree.Statement {
	start := p.start()
	switch p.peek(0).Word {
	case lex.WBegin:
		return block(p, start, tree.Ident{})
	case lex.WIf:
		return ifStatement(p)
	case lex.WCase:
		return caseStatement(p)
	case lex.WLoop, lex.WWhile, lex.WRepeat, lex.WFor:
		return loop(p, start, tree.Ident{})
	}
	return nil
}

// routineStatement takes a statement of a body.
func routineStatement(p *parser) tree.Statement {
	p.deeper()
	defer p.shallower()
	if s := functionBodyStatement(p); s != nil {
		return s
	}
	start := p.start()
	switch w := p.peek(0).Word; {
	case w == lex.WLeave, w == lex.WIterate:
		return jump(p)
	case w == lex.WOpen && p.isName(1):
		p.next()
		n := &tree.OpenCursor{Name: knownCursor(p)}
		if p.is('(') {
			n.Args = inParens(p, func() []tree.Expr { return commas(p, func() tree.Expr { return expr(p) }) })
		}
		n.Span = p.from(start)
		return n
	case w == lex.WFetch:
		return fetch(p)
	case w == lex.WClose:
		p.next()
		n := &tree.CloseCursor{Name: knownCursor(p)}
		n.Span = p.from(start)
		return n
	}
	s := p.statement()
	allowed(p, s)
	return s
}

// functionBodyStatement takes what may be the whole body of a function; nil: nothing of that follows.
func functionBodyStatement(p *parser) tree.Statement {
	start := p.start()
	if p.isName(0) && !noLabels[p.peek(0).Word] {
		return labelledStatement(p)
	}
	if p.accept(lex.WReturn) {
		n := &tree.Return{Expr: expr(p)}
		n.Span = p.from(start)
		if p.routine.kind != functionBody {
			p.failWith(mysqlerr.New(mysqlerr.SPBadReturn))
		}
		p.routine.returns = true
		return n
	}
	return compound(p)
}

// noLabels are words that may be names, but not those of labels: they begin statements, or what is said of a routine.
var noLabels = map[lex.Word]bool{
	lex.WAscii: true, lex.WBackup: true, lex.WBegin: true, lex.WBinlog: true, lex.WByte: true, lex.WCache: true, lex.WCharset: true,
	lex.WCheckpoint: true, lex.WChecksum: true, lex.WClose: true, lex.WColumnAdd: true, lex.WColumnCheck: true, lex.WColumnCreate: true,
	lex.WColumnDelete: true, lex.WColumnGet: true, lex.WComment: true, lex.WCommit: true, lex.WCompressed: true, lex.WContains: true,
	lex.WDeallocate: true, lex.WDo: true, lex.WEnd: true, lex.WExamined: true, lex.WExclude: true, lex.WExecute: true, lex.WFlush: true,
	lex.WFollowing: true, lex.WFollows: true, lex.WFormat: true, lex.WGet: true, lex.WHandler: true, lex.WHelp: true, lex.WHost: true,
	lex.WInstall: true, lex.WLanguage: true, lex.WNo: true, lex.WOpen: true, lex.WOption: true, lex.WOptions: true, lex.WOthers: true,
	lex.WOwner: true, lex.WParser: true, lex.WPeriod: true, lex.WPort: true, lex.WPrecedes: true, lex.WPreceding: true, lex.WPrepare: true,
	lex.WRemove: true, lex.WRepair: true, lex.WReplica: true, lex.WReplicas: true, lex.WReset: true, lex.WRestore: true, lex.WRollback: true,
	lex.WSavepoint: true, lex.WSecurity: true, lex.WServer: true, lex.WShutdown: true, lex.WSigned: true, lex.WSlave: true, lex.WSlaves: true,
	lex.WSocket: true, lex.WSoname: true, lex.WStart: true, lex.WStop: true, lex.WStored: true, lex.WTies: true, lex.WTruncate: true,
	lex.WUnbounded: true, lex.WUnicode: true, lex.WUninstall: true, lex.WUpgrade: true, lex.WWindow: true, lex.WWithin: true,
	lex.WWrapper: true, lex.WXa: true,
}

// labelledStatement takes a block or a loop with a label.
func labelledStatement(p *parser) tree.Statement {
	start := p.start()
	label := p.ident()
	p.expectKind(':')
	switch p.peek(0).Word {
	case lex.WBegin, lex.WLoop, lex.WWhile, lex.WRepeat, lex.WFor:
	default:
		p.fail()
	}
	if p.routine.labelled(label.Text, false) != nil {
		p.failWith(mysqlerr.New(mysqlerr.SPLabelRedefine, label.Text))
	}
	if p.isWord(lex.WBegin) {
		return block(p, start, label)
	}
	return loop(p, start, label)
}

// endLabel takes the label that may stand at the end of what has one.
func endLabel(p *parser, label *tree.Ident) {
	if label.Text == "" || !p.isName(0) {
		return
	}
	if end := p.ident(); !contains([]string{label.Text}, end.Text) {
		p.failWith(mysqlerr.New(mysqlerr.SPEndLabelMismatch, end.Text))
	}
}

// block takes BEGIN ... END.
func block(p *parser, start int32, label tree.Ident) tree.Statement {
	p.next()
	n := &tree.Block{Label: label}
	if label.Text == "" && p.accept(lex.WNot) {
		p.expect(lex.WAtomic)
		n.NotAtomic = true
	}
	scoped(p, scope{label: label.Text}, func() bool {
		n.Declarations = declarations(p)
		for !p.isWord(lex.WEnd) {
			n.Body = append(n.Body, routineStatement(p))
			p.expectKind(';')
		}
		p.next()
		return true
	})
	endLabel(p, &label)
	n.Span = p.from(start)
	return n
}

// statements takes one or more statements, each with a semicolon, until one of the words.
func statements(p *parser, ends ...lex.Word) (all []tree.Statement) {
	for {
		all = append(all, routineStatement(p))
		p.expectKind(';')
		for _, w := range ends {
			if p.isWord(w) && p.peek(1).Kind != ':' {
				return all
			}
		}
	}
}

// ifStatement takes IF.
func ifStatement(p *parser) tree.Statement {
	start := p.start()
	n := &tree.If{}
	for {
		at := p.start()
		word := p.next().Word // IF, ELSEIF or ELSE
		b := &tree.Branch{}
		if word != lex.WElse {
			b.When = expr(p)
			p.expect(lex.WThen)
			b.Body = statements(p, lex.WElseif, lex.WElse, lex.WEnd)
		} else {
			b.Body = statements(p, lex.WEnd)
		}
		b.Span = p.from(at)
		n.Branches = append(n.Branches, b)
		if p.accept(lex.WEnd) {
			p.expect(lex.WIf)
			n.Span = p.from(start)
			return n
		}
	}
}

// caseStatement takes CASE.
func caseStatement(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Case{}
	if !p.isWord(lex.WWhen) {
		n.Operand = expr(p)
	}
	for first := true; ; first = false {
		at := p.start()
		b := &tree.Branch{}
		switch {
		case p.accept(lex.WWhen):
			b.When = expr(p)
			p.expect(lex.WThen)
			b.Body = statements(p, lex.WWhen, lex.WElse, lex.WEnd)
		case !first && p.accept(lex.WElse):
			b.Body = statements(p, lex.WEnd)
		default:
			p.fail()
		}
		b.Span = p.from(at)
		n.Branches = append(n.Branches, b)
		if p.accept(lex.WEnd) {
			p.expect(lex.WCase)
			n.Span = p.from(start)
			return n
		}
	}
}

// loop takes LOOP, WHILE, REPEAT and FOR.
func loop(p *parser, start int32, label tree.Ident) tree.Statement {
	return scoped(p, scope{label: label.Text, loop: true}, func() tree.Statement {
		if p.isWord(lex.WFor) {
			return forLoop(p, start, label)
		}
		word := p.next().Word
		n := &tree.Loop{Label: label, Kind: word.String()}
		switch word {
		case lex.WWhile:
			n.Cond = expr(p)
			p.expect(lex.WDo)
			n.Body = statements(p, lex.WEnd)
		case lex.WRepeat:
			n.Body = statements(p, lex.WUntil)
			p.next()
			n.Cond = expr(p)
		default:
			n.Body = statements(p, lex.WEnd)
		}
		p.expect(lex.WEnd, word)
		endLabel(p, &label)
		n.Span = p.from(start)
		return n
	})
}

// forLoop takes FOR.
func forLoop(p *parser, start int32, label tree.Ident) tree.Statement {
	p.next()
	n := &tree.For{Label: label, Variable: p.ident()}
	p.expect(lex.WIn)
	n.Reverse = p.accept(lex.WReverse)
	if p.is('(') && isQueryInParens(p) {
		p.next()
		n.Query = cursorQuery(p)
		p.expectKind(')')
	} else {
		n.From = expr(p)
		if p.acceptKind(lex.DotDot) {
			n.To = expr(p)
		}
	}
	p.routine.scope.variables = append(p.routine.scope.variables, n.Variable.Text)
	p.expect(lex.WDo)
	n.Body = statements(p, lex.WEnd)
	p.expect(lex.WEnd, lex.WFor)
	endLabel(p, &label)
	n.Span = p.from(start)
	return n
}

// jump takes LEAVE and ITERATE.
func jump(p *parser) tree.Statement {
	start := p.start()
	word := p.next().Word
	n := &tree.Jump{Iterate: word == lex.WIterate, Label: p.ident()}
	if p.routine.labelled(n.Label.Text, n.Iterate) == nil {
		p.failWith(mysqlerr.New(mysqlerr.SPLabelMismatch, word, n.Label.Text))
	}
	n.Span = p.from(start)
	return n
}

// fetch takes FETCH.
func fetch(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.FetchCursor{}
	if p.accept(lex.WGroup) {
		p.expect(lex.WNext, lex.WRow)
		n.Span = p.from(start)
		return n
	}
	if p.isWords(lex.WNext, lex.WFrom) {
		p.next()
	}
	p.accept(lex.WFrom)
	n.Name = p.ident()
	p.expect(lex.WInto)
	if !p.routine.knows(n.Name.Text, cursorsOf) {
		p.failWith(mysqlerr.New(mysqlerr.SPCursorMismatch, n.Name.Text))
	}
	n.Into = commas(p, func() *tree.FetchTarget {
		name := p.ident()
		if !p.routine.knows(name.Text, variablesOf) {
			p.failWith(mysqlerr.New(mysqlerr.SPUndeclaredVar, name.Text))
		}
		return &tree.FetchTarget{Span: name.Span, Path: []tree.Ident{name}}
	})
	n.Span = p.from(start)
	return n
}

// cursorQuery takes the query of a cursor.
func cursorQuery(p *parser) tree.Query { return query(p, true) }
