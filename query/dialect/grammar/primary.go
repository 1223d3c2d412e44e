package grammar

import (
	"encoding/hex"
	"math/big"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// primary takes an expression without operators.
func primary(p *parser) tree.Expr {
	t := p.peek(0)
	switch t.Kind {
	case lex.Integer, lex.Decimal, lex.Float:
		p.next()
		return &tree.NumberLit{Span: p.from(t.Start), Kind: tree.NumberKind(t.Kind - lex.Integer), Text: p.lx.Text(t)}
	case lex.String, lex.NString, lex.Introducer:
		return textLiteral(p)
	case lex.HexNumber, lex.HexString, lex.BitNumber, lex.BitString:
		return bytesLiteral(p)
	case '?':
		p.next()
		p.params++
		return &tree.Placeholder{Span: p.from(t.Start), Index: p.params - 1}
	case '(':
		p.next()
		q, items := parenContent(p)
		p.expectKind(')')
		return parenthesized(p, t.Start, q, items)
	case '@':
		return userVariable(p, true)
	case lex.AtAt:
		return systemVariable(p)
	case '{':
		return odbc(p)
	case '.':
		return column(p)
	case lex.Name, lex.QuotedName:
		return named(p, t)
	}
	p.fail()
	return nil
}

// parenContent takes what can stand in the parentheses of an expression or a query: a query, or expressions with commas between.
func parenContent(p *parser) (tree.Query, []tree.Expr) {
	if isQueryWord(p) {
		return selectQuery(p), nil
	}
	if !p.is('(') {
		return nil, list(p, expr)
	}
	p.deeper()
	defer p.shallower()
	start := p.start()
	p.next()
	q, items := parenContent(p)
	p.expectKind(')')
	if q != nil && (p.is(')') || continuesQuery(p)) {
		return queryAfter(p, start, nil, q), nil
	}
	x := infix(p, parenthesized(p, start, q, items), start, tree.BindAssign)
	all := []tree.Expr{x}
	for p.acceptKind(',') {
		all = append(all, expr(p))
	}
	return nil, all
}

// parenthesized is the expression that parenContent took in parentheses.
func parenthesized(p *parser, start int32, q tree.Query, items []tree.Expr) tree.Expr {
	switch {
	case q != nil:
		return &tree.Subquery{Span: p.from(start), Query: q}
	case len(items) == 1:
		return items[0]
	}
	return &tree.Row{Span: p.from(start), Items: items}
}

// textLiteral takes a string literal. Strings that follow each other are one.
func textLiteral(p *parser) tree.Expr {
	t := p.next()
	n := &tree.TextLit{National: t.Kind == lex.NString}
	switch {
	case t.Kind != lex.Introducer:
		n.Value = p.lx.Unquote(t)
	case p.is(lex.String):
		n.Charset = lex.Charset(p.lx.Text(t)[1:])
		n.Value = p.lx.Unquote(p.next())
	default:
		b := bytesLiteral(p)
		b.Charset, b.Number = lex.Charset(p.lx.Text(t)[1:]), false
		b.Start = t.Start
		return b
	}
	for p.is(lex.String) {
		n.Value += p.lx.Unquote(p.next())
	}
	n.Span = p.from(t.Start)
	return n
}

// bytesLiteral takes x'41', 0x41, b'01' or 0b01.
func bytesLiteral(p *parser) *tree.BytesLit {
	t := p.peek(0)
	if k := t.Kind; k != lex.HexNumber && k != lex.HexString && k != lex.BitNumber && k != lex.BitString {
		p.fail()
	}
	p.next()
	digits := p.lx.Text(t)[2:]
	n := &tree.BytesLit{Span: p.from(t.Start), Number: t.Kind != lex.HexString}
	switch t.Kind {
	case lex.HexString, lex.BitString:
		digits = digits[:len(digits)-1]
	}
	if t.Kind == lex.HexNumber || t.Kind == lex.HexString {
		if len(digits)%2 != 0 {
			digits = "0" + digits
		}
		b, _ := hex.DecodeString(digits)
		n.Value = string(b)
		return n
	}
	size := (len(digits) + 7) / 8
	bits, _ := new(big.Int).SetString("0"+digits, 2)
	n.Value = string(bits.FillBytes(make([]byte, size)))
	return n
}

// temporal takes DATE '...' and its like.
func temporal(p *parser, kind tree.TemporalKind) tree.Expr {
	start := p.next().Start
	value := p.stringLiteral()
	return &tree.TemporalLit{Span: p.from(start), Kind: kind, Value: value}
}

// userVariable takes @name, and @name := value.
func userVariable(p *parser, assign bool) tree.Expr {
	start := p.start()
	if after := p.peek(1); !assign && !after.Glued {
		after.Start = p.peek(0).End
		p.failAt(after)
	}
	name := userVariableName(p)
	if !assign || !p.acceptKind(lex.Assign) {
		return &tree.UserVariable{Span: p.from(start), Name: name}
	}
	value := expr(p)
	return &tree.AssignVariable{Span: p.from(start), Name: name, Value: value}
}

func userVariableName(p *parser) string {
	p.expectKind('@')
	switch t := p.peek(0); {
	case !t.Glued:
	case t.Kind == lex.HostName, t.Kind == lex.String, p.isName(0):
		name := p.lx.Unquote(p.next())
		if name == "" {
			p.fail()
		}
		return name
	}
	p.fail()
	return ""
}

// systemVariable takes @@[scope.][base.]name.
func systemVariable(p *parser) tree.Expr {
	start := p.expectKind(lex.AtAt).Start
	n := &tree.SystemVariable{}
	switch n.Scope = scopes[p.peek(0).Word]; {
	case n.Scope != tree.NoScope:
		p.next()
		expectPoint(p)
		n.Name = structName(p)
		if scopes[lex.Keyword(n.Name.Text)] != tree.NoScope && p.acceptKind('.') {
			p.fail()
		}
	case p.isWord(lex.WOffset):
		n.Name = p.identOf(p.next())
	default:
		n.Name = p.ident()
	}
	if p.acceptKind('.') {
		n.Base, n.Name = n.Name, p.identAfterPoint()
	}
	n.Span = p.from(start)
	return n
}

// expectPoint takes a point. The second one of two is what is wrong.
func expectPoint(p *parser) {
	if t := p.peek(0); t.Kind == lex.DotDot {
		t.Start++
		p.failAt(t)
	}
	p.expectKind('.')
}

// structName takes what follows a scope and its point: a name, which can be a string if a part of it follows.
func structName(p *parser) tree.Ident {
	if p.is(lex.String) {
		name := p.identOf(p.next())
		if !p.is('.') {
			p.fail()
		}
		return name
	}
	return p.identAfterPoint()
}

var scopes = map[lex.Word]tree.Scope{lex.WGlobal: tree.ScopeGlobal, lex.WSession: tree.ScopeSession, lex.WLocal: tree.ScopeSession}

// odbc takes {d '...'}, {fn now()} and the like.
func odbc(p *parser) tree.Expr {
	start := p.expectKind('{').Start
	name := p.ident()
	x := expr(p)
	p.expectKind('}')
	kinds := map[string]tree.TemporalKind{"d": tree.TemporalDate, "t": tree.TemporalTime, "ts": tree.TemporalTimestamp}
	if kind, ok := kinds[lower(name.Text)]; ok {
		if s, ok := x.(*tree.TextLit); ok && s.Charset == "" && !s.National {
			return &tree.TemporalLit{Span: p.from(start), Kind: kind, ODBC: true, Value: s.Value}
		}
	}
	return x
}

// column takes the name of a column, of up to three parts.
func column(p *parser) *tree.ColumnRef {
	n := &tree.ColumnRef{}
	start := p.start()
	if p.acceptKind('.') {
		n.Table = p.identAfterPoint()
		p.expectKind('.')
		n.Name = p.identAfterPoint()
		n.Span = p.from(start)
		return n
	}
	n.Name = p.ident()
	columnRest(p, n)
	n.Span = p.from(start)
	return n
}

// columnRest takes the parts of a column's name that follow the first one.
func columnRest(p *parser, n *tree.ColumnRef) {
	if p.acceptKind('.') {
		n.Table, n.Name = n.Name, p.identAfterPoint()
	}
	if n.Table.Text != "" && p.acceptKind('.') {
		n.DB, n.Table, n.Name = n.Table, n.Name, p.identAfterPoint()
	}
}

// named takes what begins with a name or a keyword.
func named(p *parser, t lex.Token) tree.Expr {
	after := p.peek(1).Kind
	if t.Word != lex.NoWord {
		switch after {
		case lex.String:
			switch t.Word {
			case lex.WDate:
				return temporal(p, tree.TemporalDate)
			case lex.WTime:
				return temporal(p, tree.TemporalTime)
			case lex.WTimestamp:
				return temporal(p, tree.TemporalTimestamp)
			}
		case '(':
			if x := keywordCall(p, t); x != nil {
				return x
			}
		}
		if x := keywordExpr(p, t); x != nil {
			return x
		}
	}
	if !p.isName(0) {
		if beginsCall(p, t.Word) || t.Word == lex.WSql {
			p.next()
		}
		p.fail()
	}
	if after == '(' && !notCalled[t.Word] {
		return genericCall(p)
	}
	n := &tree.ColumnRef{Name: p.ident()}
	columnRest(p, n)
	n.Span = p.from(t.Start)
	if p.is('(') && n.Table.Text != "" {
		call := &tree.Call{DB: n.Table, Name: n.Name}
		if n.DB.Text != "" {
			call.DB, call.Package = n.DB, n.Table
		}
		call.Args = arguments(p, expr)
		call.Span = p.from(t.Start)
		return call
	}
	return n
}

// keywordExpr takes what begins with a keyword and is no call; nil: nothing does.
func keywordExpr(p *parser, t lex.Token) tree.Expr {
	switch t.Word {
	case lex.WNull:
		p.next()
		return &tree.NullLit{Span: p.from(t.Start)}
	case lex.WTrue, lex.WFalse:
		p.next()
		return &tree.BoolLit{Span: p.from(t.Start), Value: t.Word == lex.WTrue}
	case lex.WCase:
		return caseExpr(p)
	case lex.WMatch:
		return match(p)
	case lex.WCurrentDate, lex.WCurrentTime, lex.WCurrentTimestamp, lex.WLocaltime, lex.WLocaltimestamp, lex.WCurrentUser, lex.WCurrentRole,
		lex.WUtcDate, lex.WUtcTime, lex.WUtcTimestamp:
		p.next()
		return &tree.Call{Span: p.from(t.Start), Name: keywordName(functionOf(t.Word)), Keyword: true}
	case lex.WNext, lex.WPrevious:
		if !p.isWords(t.Word, lex.WValue) {
			return nil
		}
		p.expect(t.Word, lex.WValue, lex.WFor)
		n := &tree.SequenceValue{Name: p.tableName()}
		if t.Word == lex.WPrevious {
			n.Op = tree.LastValue
		}
		n.Span = p.from(t.Start)
		return n
	}
	return nil
}

// caseExpr takes CASE.
func caseExpr(p *parser) tree.Expr {
	start := p.start()
	p.expect(lex.WCase)
	n := &tree.CaseExpr{}
	if !p.isWord(lex.WWhen) {
		n.X = expr(p)
	}
	for first := true; first || p.isWord(lex.WWhen); first = false {
		p.expect(lex.WWhen)
		w := tree.When{If: expr(p)}
		p.expect(lex.WThen)
		w.Then = expr(p)
		n.Whens = append(n.Whens, w)
	}
	if p.accept(lex.WElse) {
		n.Else = expr(p)
	}
	p.expect(lex.WEnd)
	n.Span = p.from(start)
	return n
}

// match takes MATCH ... AGAINST.
func match(p *parser) tree.Expr {
	start := p.start()
	p.expect(lex.WMatch)
	n := &tree.Match{}
	if p.acceptKind('(') {
		n.Columns = list(p, column)
		p.expectKind(')')
	} else {
		n.Columns = list(p, column)
	}
	p.expect(lex.WAgainst)
	p.expectKind('(')
	n.Against = bitExpr(p)
	switch {
	case p.accept(lex.WIn):
		if p.accept(lex.WBoolean) {
			p.expect(lex.WMode)
			n.Mode = tree.BooleanMode
			break
		}
		p.expect(lex.WNatural, lex.WLanguage, lex.WMode)
		if p.accept(lex.WWith) {
			p.expect(lex.WQuery, lex.WExpansion)
			n.Mode = tree.QueryExpansion
		}
	case p.accept(lex.WWith):
		p.expect(lex.WQuery, lex.WExpansion)
		n.Mode = tree.QueryExpansion
	}
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}
