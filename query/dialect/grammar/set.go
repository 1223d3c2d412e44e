package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// set takes SET.
func set(p *parser, t lex.Token) tree.Statement {
	if p.isWord(lex.WStatement) && p.peek(1).Kind != '=' && p.peek(1).Kind != lex.Assign {
		p.next()
		n := &tree.SetStatement{Items: list(p, statementVariable)}
		p.expect(lex.WFor)
		n.Statement = p.statement()
		n.Span = p.from(t.Start)
		return n
	}
	n := &tree.Set{Items: []tree.SetItem{setItem(p, true)}}
	if _, alone := n.Items[0].(*tree.SetTransaction); !alone {
		for p.acceptKind(',') {
			n.Items = append(n.Items, setItem(p, false))
		}
	}
	n.Span = p.from(t.Start)
	return n
}

func statementVariable(p *parser) tree.SetItem {
	n := &tree.SetVariable{}
	start := p.start()
	variableName(p, n)
	n.Value = setValue(p)
	n.Span = p.from(start)
	return n
}

// assigns reports whether an assignment follows the i-th token, or a further part of a variable's name.
func assigns(p *parser, i int) bool {
	k := p.peek(i).Kind
	return k == '=' || k == lex.Assign || k == '.'
}

// setItem takes one item of SET.
func setItem(p *parser, first bool) tree.SetItem {
	start := p.start()
	switch t := p.peek(0); {
	case t.Kind == '@':
		name := userVariableName(p)
		equal(p)
		value := expr(p)
		return &tree.SetUserVariable{Span: p.from(start), Name: name, Value: value}
	case t.Kind == lex.AtAt:
		p.next()
		n := &tree.SetVariable{System: true}
		if n.Scope = scopes[p.peek(0).Word]; n.Scope != tree.NoScope {
			p.next()
			expectPoint(p)
		}
		variableName(p, n)
		n.Value = setValue(p)
		n.Span = p.from(start)
		return n
	case scopes[t.Word] != tree.NoScope && !assigns(p, 1):
		p.next()
		if first && p.accept(lex.WTransaction) {
			return setTransaction(p, start, scopes[t.Word])
		}
		n := &tree.SetVariable{Scope: scopes[t.Word]}
		variableName(p, n)
		n.Value = setValue(p)
		n.Span = p.from(start)
		return n
	case t.Word == lex.WPassword && first && p.peek(1).Kind != '.':
		p.next()
		return setPassword(p, start)
	case t.Word == lex.WDefault && p.peek(1).Kind != '.':
		return setDefaultRole(p, start)
	case t.Word == lex.WNames && assigns(p, 1) && p.peek(1).Kind != '.' && p.routine == nil:
		p.next()
		p.next()
		expr(p)
		p.fail()
	case assigns(p, 1) && t.Word != lex.WCharacter && t.Word != lex.WChar:
	case t.Word == lex.WTransaction && first:
		p.next()
		return setTransaction(p, start, tree.NoScope)
	case t.Word == lex.WNames:
		p.next()
		return setNames(p, start)
	case t.Word == lex.WCharset, t.Word == lex.WCharacter, t.Word == lex.WChar:
		charsetWords(p)
		n := &tree.SetCharset{Charset: charsetOrDefault(p)}
		n.Span = p.from(start)
		return n
	case t.Word == lex.WRole:
		p.next()
		n := &tree.SetRole{Role: roleOrNone(p)}
		n.Span = p.from(start)
		return n
	}
	return statementVariable(p)
}

// setDefaultRole takes DEFAULT ROLE.
func setDefaultRole(p *parser, start int32) tree.SetItem {
	p.expect(lex.WDefault, lex.WRole)
	n := &tree.SetDefaultRole{}
	if !p.accept(lex.WNone) {
		n.Role = roleName(p)
	}
	if p.accept(lex.WFor) {
		n.User = user(p)
	}
	n.Span = p.from(start)
	return n
}

// variableName takes [base.]name and the sign of an assignment.
func variableName(p *parser, n *tree.SetVariable) {
	switch {
	case p.isWord(lex.WDefault) && p.peek(1).Kind == '.', p.isWord(lex.WOffset):
		n.Name = p.identOf(p.next())
	case n.System && n.Scope != tree.NoScope:
		n.Name = structName(p)
	default:
		n.Name = p.ident()
	}
	if p.acceptKind('.') {
		n.Base, n.Name = n.Name, p.identAfterPoint()
	}
	equal(p)
}

// setValue takes a value; nil is DEFAULT. The words ON, ALL and BINARY are texts.
func setValue(p *parser) tree.Expr {
	t := p.peek(0)
	switch t.Word {
	case lex.WDefault:
		if p.peek(1).Kind == '(' {
			break
		}
		p.next()
		return nil
	case lex.WOn, lex.WAll:
		p.next()
		return &tree.TextLit{Span: p.from(t.Start), Value: t.Word.String()}
	case lex.WBinary:
		if after := p.peek(1); after.Kind == ',' || after.Kind == ';' || after.Kind == lex.EOF || after.Word == lex.WFor {
			p.next()
			return &tree.TextLit{Span: p.from(t.Start), Value: "binary"}
		}
	}
	return expr(p)
}

// charsetOrDefault takes the name of a character set as it is written, for an error may show it; "" is DEFAULT.
func charsetOrDefault(p *parser) string {
	switch {
	case p.accept(lex.WDefault):
		return ""
	case p.accept(lex.WBinary):
		return "binary"
	}
	name := nameOrText(p)
	if name == "" {
		p.failWith(mysqlerr.New(mysqlerr.UnknownCharacterSet, name))
	}
	return name
}

// setNames takes what follows NAMES.
func setNames(p *parser, start int32) tree.SetItem {
	n := &tree.SetNames{}
	if n.Charset = charsetOrDefault(p); p.accept(lex.WCollate) {
		if !p.accept(lex.WDefault) {
			if n.Collation = nameOrText(p); n.Collation == "" {
				p.failWith(mysqlerr.New(mysqlerr.UnknownCollation, ""))
			}
		}
	}
	n.Span = p.from(start)
	return n
}

// setTransaction takes what follows TRANSACTION.
func setTransaction(p *parser, start int32, scope tree.Scope) tree.SetItem {
	n := &tree.SetTransaction{Scope: scope}
	transactionPart(p, n)
	if p.acceptKind(',') {
		transactionPart(p, n)
	}
	n.Span = p.from(start)
	return n
}

// transactionPart takes an isolation level, or READ ONLY and READ WRITE, each once.
func transactionPart(p *parser, n *tree.SetTransaction) {
	if n.Isolation == "" && p.accept(lex.WIsolation) {
		p.expect(lex.WLevel)
		switch p.acceptAny(lex.WRead, lex.WRepeatable, lex.WSerializable) {
		case lex.WRead:
			w := p.acceptAny(lex.WCommitted, lex.WUncommitted)
			if w == lex.NoWord {
				p.fail()
			}
			n.Isolation = "READ " + w.String()
		case lex.WRepeatable:
			p.expect(lex.WRead)
			n.Isolation = "REPEATABLE READ"
		case lex.WSerializable:
			n.Isolation = "SERIALIZABLE"
		default:
			p.fail()
		}
		return
	}
	if n.Access != "" {
		p.fail()
	}
	n.Access = accessMode(p)
}

// accessMode takes READ ONLY or READ WRITE.
func accessMode(p *parser) string {
	p.expect(lex.WRead)
	w := p.acceptAny(lex.WOnly, lex.WWrite)
	if w == lex.NoWord {
		p.fail()
	}
	return "READ " + w.String()
}

// setPassword takes what follows PASSWORD.
func setPassword(p *parser, start int32) tree.SetItem {
	n := &tree.SetPassword{}
	if p.accept(lex.WFor) {
		n.User = user(p)
	}
	equal(p)
	if w := p.acceptAny(lex.WPassword, lex.WOldPassword); w != lex.NoWord {
		n.Function = w.String()
		n.Text = inParens(p, p.stringLiteral)
	} else {
		n.Text = p.stringLiteral()
	}
	n.Span = p.from(start)
	return n
}

// roleOrNone takes the name of a role; nil is NONE.
func roleOrNone(p *parser) *tree.Ident {
	if p.accept(lex.WNone) {
		return nil
	}
	t := p.peek(0)
	if t.Kind != lex.String && !p.isName(0) {
		p.fail()
	}
	name := p.identOf(p.next())
	return &name
}
