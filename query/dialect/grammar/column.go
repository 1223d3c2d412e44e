package grammar

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// columnDefinition takes a column with all that may follow it.
func columnDefinition(p *parser) *tree.Column {
	c := columnSpec(p)
	if p.accept(lex.WConstraint) {
		if p.isName(0) {
			p.next() // the server does not keep it either
		}
		if !p.isWord(lex.WReferences) {
			p.fail()
		}
	}
	if p.isWord(lex.WReferences) {
		c.References = references(p)
		if c.Generation != tree.NotGenerated {
			p.fail()
		}
		c.End = p.end
	}
	return c
}

// columnSpec takes a column without REFERENCES.
func columnSpec(p *parser) *tree.Column {
	start := p.start()
	c := &tree.Column{Name: fieldIdent(p)}
	if p.accept(lex.WSerial) {
		for serialAttribute(p, c) {
		}
	} else {
		c.Type = dataType(p)
		columnAttributes(p, c)
	}
	if p.accept(lex.WCheck) {
		c.Check = inParens(p, func() tree.Expr { return expr(p) })
	}
	c.Span = p.from(start)
	return c
}

// fieldIdent takes the name of a column; its table, which may stand before it, can only be the one that is defined.
func fieldIdent(p *parser) tree.Ident {
	if p.acceptKind('.') {
		return p.identAfterPoint()
	}
	name := p.ident()
	for p.acceptKind('.') {
		name = p.identAfterPoint()
	}
	return name
}

// columnAttributes takes what follows the type.
func columnAttributes(p *parser, c *tree.Column) {
	generated := p.accept(lex.WGenerated)
	if generated {
		p.expect(lex.WAlways, lex.WAs)
	}
	switch {
	case generated || p.accept(lex.WAs):
		generation(p, c)
	default:
		for some := false; columnAttribute(p, c, some); some = true {
		}
	}
}

// generation takes what follows AS.
func generation(p *parser, c *tree.Column) {
	if p.accept(lex.WRow) {
		c.Generation = tree.RowStart
		if !p.accept(lex.WStart) {
			p.expect(lex.WEnd)
			c.Generation = tree.RowEnd
		}
		for rowAttribute(p, c) {
		}
		return
	}
	c.Generation = tree.Virtual
	if !p.is('(') {
		p.fail()
	}
	c.Generated = primary(p)
	switch p.acceptAny(lex.WVirtual, lex.WPersistent, lex.WStored) {
	case lex.WPersistent, lex.WStored:
		c.Generation = tree.Stored
	}
	for generatedAttribute(p, c) {
	}
}

// generatedAttribute takes an attribute of a generated column.
func generatedAttribute(p *parser, c *tree.Column) bool {
	switch {
	case p.accept(lex.WUnique):
		p.accept(lex.WKey)
		c.Unique = true
	case p.accept(lex.WComment):
		c.Comment = text(p)
	case p.accept(lex.WInvisible):
		c.Invisible = true
	default:
		return false
	}
	return true
}

// rowAttribute takes an attribute that the columns of system versioning may have, too.
func rowAttribute(p *parser, c *tree.Column) bool {
	switch {
	case p.accept(lex.WNot):
		p.expect(lex.WNull)
		c.Null = tree.NotNull
	case p.accept(lex.WPrimary):
		p.expect(lex.WKey)
		setNotNull(c, &c.Primary)
	case p.accept(lex.WKey):
		setNotNull(c, &c.Primary)
	default:
		return generatedAttribute(p, c)
	}
	return true
}

// setNotNull sets an attribute that takes back a NULL before it.
func setNotNull(c *tree.Column, attribute *bool) {
	*attribute = true
	if c.Null == tree.Null {
		c.Null = tree.NullUnsaid
	}
}

// serialAttribute takes an attribute that SERIAL may have, too.
func serialAttribute(p *parser, c *tree.Column) bool {
	switch {
	case isPlainName(p, 0):
		c.Options = append(c.Options, ownOption(p))
	case p.isWord(lex.WWith) && p.peek(1).Word == lex.WSystem:
		p.next()
		p.next()
		p.expect(lex.WVersioning)
		c.Versioning = tree.WithVersioning
	case p.accept(lex.WWithout):
		p.expect(lex.WSystem, lex.WVersioning)
		c.Versioning = tree.WithoutVersioning
	default:
		return rowAttribute(p, c)
	}
	return true
}

// columnAttribute takes an attribute of a column that is not generated; some says whether it had others before.
func columnAttribute(p *parser, c *tree.Column, some bool) bool {
	switch {
	case p.accept(lex.WNull):
		c.Null = tree.Null
	case p.accept(lex.WDefault):
		c.Default = defaultValue(p)
	case p.accept(lex.WOn):
		p.expect(lex.WUpdate)
		c.OnUpdate = onUpdateNow(p)
	case p.accept(lex.WAutoIncrement):
		setNotNull(c, &c.AutoIncrement)
	case p.accept(lex.WSerial):
		p.expect(lex.WDefault, lex.WValue)
		setNotNull(c, &c.SerialDefault)
	case p.accept(lex.WCollate):
		c.Type.Collate = nameOrDefault(p, func() string { return collationName(p) })
	case p.isWord(lex.WCompressed) && some && c.Type.Compressed == nil:
		c.Type.Compressed = compressed(p)
		c.Type.End = p.end
		if !typeCompressible(c.Type) {
			p.failWith(mysqlerr.New(mysqlerr.WrongFieldSpec, c.Name.Text))
		}
	default:
		return serialAttribute(p, c)
	}
	return true
}

// typeCompressible reports whether a type's rule says so.
func typeCompressible(t *tree.DataType) bool {
	for _, r := range typeRules {
		if r.name == t.Name {
			return r.form&compressible != 0
		}
	}
	return false
}

// compressed takes COMPRESSED [= method].
func compressed(p *parser) *tree.Compressed {
	start := p.start()
	p.next()
	c := &tree.Compressed{}
	if acceptEqual(p) {
		c.Method = p.ident()
	}
	c.Span = p.from(start)
	return c
}

// defaultValue takes what follows DEFAULT: an expression in parentheses, a literal with its sign, a call.
func defaultValue(p *parser) tree.Expr {
	return defaultOperand(p)
}

// onUpdateNow takes NOW, CURRENT_TIMESTAMP, LOCALTIME or LOCALTIMESTAMP, with decimals or without.
func onUpdateNow(p *parser) *tree.OnUpdate {
	start := p.start()
	switch {
	case p.acceptAny(lex.WCurrentTimestamp, lex.WLocaltime, lex.WLocaltimestamp) != lex.NoWord:
	case p.is(lex.Name) && strings.EqualFold(p.lx.Text(p.peek(0)), "NOW") && p.peek(1).Kind == '(':
		p.next()
	default:
		p.fail()
	}
	n := &tree.OnUpdate{}
	if p.acceptKind('(') {
		if !p.is(')') {
			n.Decimals = digits(p)
		}
		p.expectKind(')')
	}
	n.Span = p.from(start)
	return n
}

// references takes REFERENCES.
func references(p *parser) *tree.References {
	start := p.start()
	p.expect(lex.WReferences)
	r := &tree.References{Table: p.tableName()}
	if p.acceptKind('(') {
		r.Columns = names(p)
		p.expectKind(')')
	}
	if p.accept(lex.WMatch) {
		w := p.acceptAny(lex.WFull, lex.WPartial, lex.WSimple)
		if w == lex.NoWord {
			p.fail()
		}
		r.Match = w.String()
	}
	for p.accept(lex.WOn) {
		switch {
		case r.OnUpdate == "" && p.accept(lex.WUpdate):
			r.OnUpdate = referenceAction(p)
		case r.OnDelete == "" && p.accept(lex.WDelete):
			r.OnDelete = referenceAction(p)
		default:
			p.fail()
		}
	}
	r.Span = p.from(start)
	return r
}

// referenceAction takes what happens to referring rows.
func referenceAction(p *parser) string {
	switch {
	case p.accept(lex.WRestrict):
		return "RESTRICT"
	case p.accept(lex.WCascade):
		return "CASCADE"
	case p.accept(lex.WNo):
		p.expect(lex.WAction)
		return "NO ACTION"
	}
	p.expect(lex.WSet)
	if p.accept(lex.WNull) {
		return "SET NULL"
	}
	p.expect(lex.WDefault)
	return "SET DEFAULT"
}

// defaultOperand takes an operand; a sign may only stand before a number.
func defaultOperand(p *parser) tree.Expr {
	if p.isWord(lex.WInterval) {
		x, unit := intervalOrCall(p)
		if unit != 0 {
			p.fail()
		}
		return x
	}
	if !p.is('-') && !p.is('+') {
		return primary(p)
	}
	switch p.peek(1).Kind {
	case lex.Integer, lex.Decimal, lex.Float:
		return signed(p, tree.BindUnary)
	}
	p.next()
	p.fail()
	return nil
}
