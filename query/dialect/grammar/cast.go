package grammar

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// castType takes the type of a CAST.
func castType(p *parser) *tree.CastType {
	n := &tree.CastType{}
	t := p.peek(0)
	switch t.Word {
	case lex.WBinary:
		p.next()
		n.Kind = tree.CastBinary
		castLength(p, n)
	case lex.WChar, lex.WCharacter:
		p.next()
		n.Kind = tree.CastChar
		castLength(p, n)
		castText(p, n)
	case lex.WVarchar, lex.WVarcharacter:
		p.next()
		n.Kind = tree.CastVarchar
		if !p.is('(') {
			p.fail()
		}
		castLength(p, n)
		castText(p, n)
	case lex.WNchar:
		p.next()
		n.Kind = tree.CastNchar
		castLength(p, n)
	case lex.WInt, lex.WInteger, lex.WSigned, lex.WUnsigned:
		p.next()
		n.Kind = tree.CastSigned
		if t.Word == lex.WUnsigned {
			n.Kind = tree.CastUnsigned
		}
		if t.Word == lex.WSigned || t.Word == lex.WUnsigned {
			p.acceptAny(lex.WInt, lex.WInteger)
		}
	case lex.WDecimal, lex.WDec:
		p.next()
		n.Kind = tree.CastDecimal
		castDecimals(p, n, false)
	case lex.WFloat:
		p.next()
		n.Kind = tree.CastFloat
	case lex.WDouble:
		p.next()
		n.Kind = tree.CastDouble
		castDecimals(p, n, true)
	case lex.WDate:
		p.next()
		n.Kind = tree.CastDate
	case lex.WTime:
		p.next()
		n.Kind = tree.CastTime
		castLength(p, n)
	case lex.WDatetime:
		p.next()
		n.Kind = tree.CastDatetime
		castLength(p, n)
	case lex.WInterval:
		p.next()
		p.expect(lex.WDaySecond)
		if n.Kind = tree.CastInterval; !p.is('(') {
			p.fail()
		}
		castLength(p, n)
	default:
		if t.Word != lex.NoWord {
			p.fail()
		}
		n.Kind, n.Name = tree.CastNamed, p.ident()
	}
	n.Span = p.from(t.Start)
	return n
}

// castLength takes (length), or nothing.
func castLength(p *parser, n *tree.CastType) {
	if p.is('(') {
		length := inParens(p, func() uint64 { return typeNumber(p) })
		n.Length = &length
	}
}

// typeNumber takes the length of a type. Of a number with a point the server takes what is before that.
func typeNumber(p *parser) uint64 {
	if p.is(lex.Decimal) {
		whole, _, _ := strings.Cut(p.lx.Text(p.peek(0)), ".")
		if n, err := strconv.ParseUint(whole, 10, 64); err == nil {
			p.next()
			return n
		}
	}
	return p.unsigned()
}

// castDecimals takes (length, decimals), or nothing, and (length) unless there must be both.
func castDecimals(p *parser, n *tree.CastType, both bool) {
	if !p.acceptKind('(') {
		return
	}
	length := typeNumber(p)
	n.Length = &length
	if both || p.is(',') {
		p.expectKind(',')
		decimals := p.unsigned()
		n.Decimals = &decimals
	}
	p.expectKind(')')
}

// castText takes the character set and the collation of a text.
func castText(p *parser, n *tree.CastType) {
	n.BinaryCollation = p.accept(lex.WBinary)
	switch {
	case p.accept(lex.WByte):
		n.Charset = "binary"
	case p.accept(lex.WAscii):
		n.Charset = "latin1"
	case p.accept(lex.WUnicode):
		n.Charset = "ucs2"
	case p.isWord(lex.WCharset), p.isWords(lex.WCharacter, lex.WSet), p.isWords(lex.WChar, lex.WSet):
		charsetWords(p)
		n.Charset = namedCharset(p)
	}
	if !n.BinaryCollation && n.Charset != "" {
		n.BinaryCollation = p.accept(lex.WBinary)
	}
	if !n.BinaryCollation && p.accept(lex.WCollate) {
		if n.Collation = "binary"; !p.accept(lex.WBinary) {
			n.Collation = nameOrDefault(p, func() string { return namedCollation(p) })
		}
	}
}

// charsetWords takes CHARSET or CHARACTER SET.
func charsetWords(p *parser) {
	if p.accept(lex.WCharset) {
		return
	}
	if p.acceptAny(lex.WCharacter, lex.WChar) == lex.NoWord {
		p.fail()
	}
	p.expect(lex.WSet)
}

// namedCharset takes the name of a character set, in whatever form a name can have.
func namedCharset(p *parser) string {
	if p.accept(lex.WBinary) {
		return "binary"
	}
	return lower(nameOrText(p))
}

// namedCollation takes the name of a collation.
func namedCollation(p *parser) string {
	return lower(nameOrText(p))
}

// nameOrText takes a name, or a string in its place.
func nameOrText(p *parser) string {
	if p.is(lex.String) {
		return p.stringLiteral()
	}
	return p.ident().Text
}
