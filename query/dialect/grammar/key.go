package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// isKeyStart reports whether a key, a constraint or a period follows, not a column.
func isKeyStart(p *parser) bool {
	switch p.peek(0).Word {
	case lex.WKey, lex.WIndex, lex.WFulltext, lex.WSpatial, lex.WUnique, lex.WPrimary, lex.WForeign, lex.WConstraint, lex.WCheck:
		return true
	case lex.WPeriod:
		return p.peek(1).Word == lex.WFor
	}
	return false
}

// element takes a column, a key, a constraint or a period, in CREATE TABLE or in ALTER TABLE.
func element(p *parser, alter bool) tree.Element {
	if isKeyStart(p) {
		return keyElement(p, alter)
	}
	return columnDefinition(p)
}

// keyElement takes a key, a constraint or a period.
func keyElement(p *parser, alter bool) tree.Element {
	start := p.start()
	if p.accept(lex.WPeriod) {
		p.expect(lex.WFor)
		return period(p, start)
	}
	var constraint tree.Ident
	if p.accept(lex.WConstraint) && (p.isName(0) || p.is('.')) {
		constraint = fieldIdent(p)
	}
	if p.accept(lex.WCheck) {
		c := &tree.Check{Constraint: constraint, Expr: inParens(p, func() tree.Expr { return expr(p) })}
		c.Span = p.from(start)
		return c
	}
	return keyDefinition(p, start, constraint, alter)
}

// period takes a period after FOR.
func period(p *parser, start int32) *tree.Period {
	n := &tree.Period{Name: periodName(p)}
	p.expectKind('(')
	n.Start = p.ident()
	p.expectKind(',')
	n.End = p.ident()
	p.expectKind(')')
	n.Span = p.from(start)
	return n
}

// periodName takes the name of a period; SYSTEM_TIME is one in capitals.
func periodName(p *parser) tree.Ident {
	if p.isWord(lex.WSystemTime) {
		n := p.identOf(p.next())
		n.Text = "SYSTEM_TIME"
		return n
	}
	return p.ident()
}

// keyDefinition takes a key after CONSTRAINT. Only ALTER TABLE has IF NOT EXISTS.
func keyDefinition(p *parser, start int32, constraint tree.Ident, alter bool) *tree.Key {
	k := &tree.Key{Kind: keyKind(p, constraint.Span != tree.Span{} || p.end > start), Constraint: constraint}
	k.IfNotExists = ifNotExists(p)
	if p.isName(0) || p.is('.') {
		k.Name = fieldIdent(p)
	}
	if k.Kind == tree.PlainKey || k.Kind == tree.UniqueKey || k.Kind == tree.PrimaryKey {
		if p.isWord(lex.WUsing) || p.isWord(lex.WType) && k.Name.Text != "" {
			k.Options = append(k.Options, keyUsing(p))
		}
	}
	if k.IfNotExists && !alter {
		p.fail()
	}
	keyParts(p, &k.Parts, &k.Overlaps, k.Kind == tree.UniqueKey || k.Kind == tree.PrimaryKey)
	if k.Kind == tree.ForeignKey {
		k.References = references(p)
	} else {
		k.Options = keyOptions(p, k.Kind, k.Options)
	}
	k.Span = p.from(start)
	return k
}

// keyKind takes the words of a key. After CONSTRAINT only some kinds can stand.
func keyKind(p *parser, constraint bool) tree.KeyKind {
	switch {
	case p.accept(lex.WPrimary):
		p.expect(lex.WKey)
		return tree.PrimaryKey
	case p.accept(lex.WUnique):
		p.acceptAny(lex.WKey, lex.WIndex)
		return tree.UniqueKey
	case p.accept(lex.WForeign):
		p.expect(lex.WKey)
		return tree.ForeignKey
	case constraint:
		p.fail()
	case p.acceptAny(lex.WKey, lex.WIndex) != lex.NoWord:
		return tree.PlainKey
	case p.accept(lex.WFulltext):
		p.acceptAny(lex.WKey, lex.WIndex)
		return tree.FulltextKey
	case p.accept(lex.WSpatial):
		p.acceptAny(lex.WKey, lex.WIndex)
		return tree.SpatialKey
	}
	p.fail()
	return 0
}

// keyUsing takes USING or TYPE with an algorithm.
func keyUsing(p *parser) *tree.Option {
	o := option(p, 1, func() *tree.Value { return wordValue(p, lex.WBtree, lex.WRtree, lex.WHash) })
	o.Name = "USING"
	return o
}

// keyParts takes the columns of a key in parentheses. Only unique keys have a period without overlaps.
func keyParts(p *parser, parts *[]*tree.KeyPart, overlaps *tree.Ident, unique bool) {
	p.expectKind('(')
	for {
		start := p.start()
		part := &tree.KeyPart{Column: p.ident()}
		switch {
		case unique && len(*parts) > 0 && p.isWord(lex.WWithout):
			p.next()
			p.expect(lex.WOverlaps)
			*overlaps = part.Column
			p.expectKind(')')
			return
		case p.acceptKind('('):
			if part.Length = digits(p); allZeros(part.Length) {
				p.failWith(mysqlerr.New(mysqlerr.KeyPartZero, part.Column.Text))
			}
			p.expectKind(')')
		}
		if !p.accept(lex.WAsc) {
			part.Desc = p.accept(lex.WDesc)
		}
		part.Span = p.from(start)
		*parts = append(*parts, part)
		if !p.acceptKind(',') {
			break
		}
	}
	p.expectKind(')')
}

func allZeros(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}

// keyOptions takes the options behind the columns of a key.
func keyOptions(p *parser, kind tree.KeyKind, options []*tree.Option) []*tree.Option {
	for {
		switch w := p.peek(0).Word; {
		case w == lex.WKeyBlockSize:
			options = append(options, option(p, 1, afterEqual(p, numberValue)))
		case w == lex.WComment:
			options = append(options, option(p, 1, func() *tree.Value { return textValue(p) }))
		case w == lex.WVisible: // as all are
			p.next()
		case w == lex.WIgnored:
			options = append(options, option(p, 1, nil))
		case w == lex.WNot:
			if p.peek(1).Word != lex.WIgnored {
				p.next()
				p.fail()
			}
			options = append(options, option(p, 2, nil))
		case (w == lex.WUsing || w == lex.WType) && kind <= tree.PrimaryKey:
			options = append(options, keyUsing(p))
		case w == lex.WWith && kind == tree.FulltextKey:
			options = append(options, keyParser(p))
		case isPlainName(p, 0):
			options = append(options, ownOption(p))
		default:
			return options
		}
	}
}

// keyParser takes WITH PARSER.
func keyParser(p *parser) *tree.Option {
	start := p.start()
	p.next()
	p.expect(lex.WParser)
	if !isPlainName(p, 0) {
		p.fail()
	}
	o := &tree.Option{Name: "WITH PARSER", Value: value(p, tree.NameValue)}
	o.Span = p.from(start)
	return o
}

// createIndex takes CREATE [UNIQUE | FULLTEXT | SPATIAL] INDEX, after CREATE.
func createIndex(p *parser, start int32, orReplace bool) tree.Statement {
	n := &tree.CreateIndex{OrReplace: orReplace}
	switch p.acceptAny(lex.WUnique, lex.WFulltext, lex.WSpatial) {
	case lex.WUnique:
		n.Kind = tree.UniqueKey
	case lex.WFulltext:
		n.Kind = tree.FulltextKey
	case lex.WSpatial:
		n.Kind = tree.SpatialKey
	}
	p.expect(lex.WIndex)
	n.IfNotExists = ifNotExists(p)
	n.Name = p.ident()
	if n.Kind <= tree.UniqueKey && (p.isWord(lex.WUsing) || p.isWord(lex.WType)) {
		n.Options = append(n.Options, keyUsing(p))
	}
	p.expect(lex.WOn)
	n.Table = p.tableName()
	keyParts(p, &n.Parts, &n.Overlaps, n.Kind == tree.UniqueKey)
	n.Wait = waitClause(p)
	n.Options = keyOptions(p, n.Kind, n.Options)
	n.Settings = indexSettings(p)
	n.Span = p.from(start)
	return n
}

// dropIndex takes DROP INDEX, after DROP.
func dropIndex(p *parser, start int32) tree.Statement {
	p.next()
	n := &tree.DropIndex{IfExists: ifExists(p), Name: fieldIdent(p)}
	p.expect(lex.WOn)
	n.Table = p.tableName()
	n.Wait = waitClause(p)
	n.Span = p.from(start)
	return n
}

// indexSettings takes ALGORITHM and LOCK, each at most once.
func indexSettings(p *parser) (all []*tree.Option) {
	for range 2 {
		w := p.peek(0).Word
		if w != lex.WAlgorithm && w != lex.WLock || len(all) == 1 && all[0].Name == w.String() {
			break
		}
		all = append(all, alterSetting(p))
	}
	return all
}

// alterSetting takes ALGORITHM or LOCK with its value.
func alterSetting(p *parser) *tree.Option {
	return option(p, 1, afterEqual(p, func(p *parser) *tree.Value {
		if p.isWord(lex.WDefault) {
			return value(p, tree.WordValue)
		}
		return nameValue(p)
	}))
}
