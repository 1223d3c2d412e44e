package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// sequenceCall takes NEXTVAL, LASTVAL and SETVAL.
func sequenceCall(p *parser, start int32, w lex.Word) tree.Expr {
	n := &tree.SequenceValue{}
	p.expectKind('(')
	n.Name = p.tableName()
	switch w {
	case lex.WLastval:
		n.Op = tree.LastValue
	case lex.WSetval:
		n.Op = tree.SetValue
		p.expectKind(',')
		n.Value = signedNumber(p)
		if p.acceptKind(',') {
			if p.isWord(lex.WTrue) || p.isWord(lex.WFalse) {
				n.Used = primary(p)
			} else {
				n.Used = integerLiteral(p)
			}
			if p.acceptKind(',') {
				round := p.unsigned()
				n.Round = &round
			}
		}
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// signedNumber takes an integer that may have a sign, and returns it as it is written.
func signedNumber(p *parser) string {
	sign := ""
	if p.acceptKind('-') {
		sign = "-"
	} else {
		p.acceptKind('+')
	}
	return sign + p.lx.Text(p.expectKind(lex.Integer))
}

// integerLiteral takes an integer without a sign.
func integerLiteral(p *parser) tree.Expr {
	t := p.expectKind(lex.Integer)
	return &tree.NumberLit{Span: p.from(t.Start), Text: p.lx.Text(t)}
}

// columnGetCall takes COLUMN_GET(columns, name AS type).
func columnGetCall(p *parser, start int32, _ lex.Word) tree.Expr {
	n := &tree.DynamicColumn{}
	p.expectKind('(')
	n.X = expr(p)
	p.expectKind(',')
	n.Name = expr(p)
	p.expect(lex.WAs)
	n.Type = castType(p)
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// dynamicCall takes COLUMN_CREATE and COLUMN_ADD.
func dynamicCall(p *parser, start int32, w lex.Word) tree.Expr {
	n := &tree.DynamicColumns{}
	p.expectKind('(')
	if w == lex.WColumnAdd {
		n.X = expr(p)
		p.expectKind(',')
	}
	for first := true; first || p.acceptKind(','); first = false {
		a := tree.DynamicValue{Name: expr(p)}
		p.expectKind(',')
		a.Value = expr(p)
		if p.accept(lex.WAs) {
			if w := p.peek(0).Word; w == lex.NoWord || w == lex.WSigned {
				p.fail()
			}
			a.Type = castType(p)
		}
		n.Values = append(n.Values, a)
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}
