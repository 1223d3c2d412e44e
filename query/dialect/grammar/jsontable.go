package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// afterTable are words that can follow a table.
var afterTable = words(lex.WWhere, lex.WGroup, lex.WHaving, lex.WOrder, lex.WLimit, lex.WJoin, lex.WInner, lex.WLeft, lex.WRight, lex.WCross,
	lex.WStraightJoin, lex.WNatural, lex.WOn, lex.WUsing, lex.WUnion, lex.WExcept, lex.WIntersect, lex.WFor, lex.WLock, lex.WInto, lex.WWindow,
	lex.WProcedure, lex.WSet, lex.WOffset, lex.WFetch)

// jsonTable takes JSON_TABLE.
func jsonTable(p *parser) tree.TableRef {
	start := p.start()
	p.expect(lex.WJsonTable)
	p.expectKind('(')
	n := &tree.JSONTable{X: expr(p)}
	p.expectKind(',')
	n.Path = anyText(p)
	n.Columns = jsonColumns(p)
	p.expectKind(')')
	alias := tableAlias(p)
	if t := p.peek(0); alias == nil {
		if k := t.Kind; k != lex.EOF && k != ';' && k != ',' && k != ')' && !afterTable[t.Word] {
			p.fail()
		}
		p.failWith(mysqlerr.New(mysqlerr.JSONTableAliasRequired))
	}
	n.Alias = *alias
	n.Span = p.from(start)
	return n
}

// jsonColumns takes COLUMNS (...).
func jsonColumns(p *parser) []*tree.JSONColumn {
	p.expect(lex.WColumns)
	return inParens(p, func() []*tree.JSONColumn { return list(p, jsonColumn) })
}

func jsonColumn(p *parser) *tree.JSONColumn {
	p.deeper()
	defer p.shallower()
	start := p.start()
	n := &tree.JSONColumn{}
	switch {
	case p.accept(lex.WNested):
		p.accept(lex.WPath)
		n.Kind = tree.JSONNested
		n.Path = anyText(p)
		n.Columns = jsonColumns(p)
	default:
		n.Name = p.ident()
		if p.accept(lex.WFor) {
			p.expect(lex.WOrdinality)
			break
		}
		if !isJSONType(p) {
			p.fail()
		}
		n.Kind, n.Type = tree.JSONPath, dataType(p)
		if p.accept(lex.WExists) {
			n.Kind = tree.JSONExists
		}
		p.expect(lex.WPath)
		n.Path = anyText(p)
		jsonResponses(p, n)
	}
	n.Span = p.from(start)
	return n
}

// isJSONType reports whether the type of a column of JSON_TABLE follows: those of lists, and those without keywords, are none.
func isJSONType(p *parser) bool {
	switch w := p.peek(0).Word; w {
	case lex.WChar, lex.WCharacter, lex.WNchar, lex.WNational, lex.WLong:
		return true
	default:
		rule, ok := typeRules[w]
		return ok && rule.form&memberList == 0
	}
}

// jsonResponses takes what happens if nothing is at the path, or something else than a value of the type.
func jsonResponses(p *parser, n *tree.JSONColumn) {
	for n.OnError == nil || n.OnEmpty == nil {
		start := p.start()
		r := &tree.JSONResponse{}
		switch p.acceptAny(lex.WNull, lex.WError, lex.WDefault) {
		case lex.WError:
			r.Fail = true
		case lex.WDefault:
			r.Default = textOrNumber(p)
		case lex.NoWord:
			return
		}
		r.Span = p.from(start)
		p.expect(lex.WOn)
		if n.OnEmpty == nil && p.accept(lex.WEmpty) {
			n.OnEmpty = r
			continue
		}
		if n.OnError != nil {
			p.fail()
		}
		p.expect(lex.WError)
		n.OnError = r
	}
}

// anyText takes a string, which may have an introducer.
func anyText(p *parser) *tree.TextLit {
	if k := p.peek(0).Kind; k != lex.String && k != lex.NString && k != lex.Introducer {
		p.fail()
	}
	t := p.next()
	n := &tree.TextLit{National: t.Kind == lex.NString}
	if t.Kind == lex.Introducer {
		n.Charset = lex.Charset(p.lx.Text(t)[1:])
		n.Value = p.stringLiteral()
	} else {
		n.Value = p.lx.Unquote(t)
	}
	n.Span = p.from(t.Start)
	return n
}

// textOrNumber takes a string, or a number with its sign.
func textOrNumber(p *parser) tree.Expr {
	switch p.peek(0).Kind {
	case '-', '+':
		return signed(p, tree.BindUnary)
	case lex.String, lex.NString, lex.Introducer:
		return anyText(p)
	}
	return literal(p)
}
