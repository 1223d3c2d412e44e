package grammar

import (
	"math"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// createTable takes CREATE [TEMPORARY] TABLE, from TABLE on.
func createTable(p *parser, start int32, orReplace, temporary bool) tree.Statement {
	p.next()
	n := &tree.CreateTable{OrReplace: orReplace, Temporary: temporary, IfNotExists: ifNotExists(p), Name: p.tableName()}
	switch {
	case p.accept(lex.WLike):
		n.Like = p.tableName()
	case p.is('(') && p.peek(1).Word == lex.WLike:
		p.next()
		p.next()
		n.Like = p.tableName()
		p.expectKind(')')
	default:
		if p.is('(') && !isQueryInParens(p) {
			n.Elements = inParens(p, func() []tree.Element { return commas(p, func() tree.Element { return element(p, false) }) })
		}
		n.Options = tableOptions(p)
		if p.isWord(lex.WPartition) {
			n.Partitioning = partitioning(p)
		}
		createSelect(p, n)
	}
	n.Span = p.from(start)
	return n
}

// isQueryInParens reports whether what stands in the parenthesis that follows is a query, and not a column.
func isQueryInParens(p *parser) bool {
	for i := 1; i < lookahead; i++ {
		switch t := p.peek(i); {
		case t.Kind == '(':
		case t.Word == lex.WSelect, t.Word == lex.WWith, t.Word == lex.WValues:
			return true
		default:
			return i > 1
		}
	}
	return true
}

// createSelect takes [IGNORE | REPLACE] [AS] query.
func createSelect(p *parser, n *tree.CreateTable) {
	if w := p.acceptAny(lex.WIgnore, lex.WReplace); w != lex.NoWord {
		n.Duplicates = w.String()
	} else if !p.isWord(lex.WAs) && !p.isWord(lex.WSelect) && !p.isWord(lex.WWith) && !p.isWord(lex.WValues) && !p.is('(') {
		return
	}
	p.accept(lex.WAs)
	if p.is('(') && p.peek(1).Word == lex.WWith { // nowhere else can WITH stand in parentheses
		n.Query = inParens(p, func() tree.Query { return selectQuery(p) })
		return
	}
	n.Query = selectQuery(p)
}

// tableOptions takes the options of a table, which may have commas between them.
func tableOptions(p *parser) (all []*tree.Option) {
	for o := tableOption(p); o != nil; o = tableOption(p) {
		all = append(all, o)
		if p.is(',') {
			p.next()
			if !isTableOption(p) {
				p.fail()
			}
		}
	}
	return all
}

// optionRule is how an option is read: so many words, and a value.
type optionRule struct {
	more  []lex.Word // words after the first
	equal bool       // an = may follow
	value func(*parser) *tree.Value
	name  string // in place of the words
}

var tableOptionRules = map[lex.Word][]optionRule{
	lex.WEngine:          {{equal: true, value: nameOrTextValue}},
	lex.WMaxRows:         {{equal: true, value: numberValue}},
	lex.WMinRows:         {{equal: true, value: numberValue}},
	lex.WAvgRowLength:    {{equal: true, value: numberValue}},
	lex.WPassword:        {{equal: true, value: textValue}},
	lex.WComment:         {{equal: true, value: textValue}},
	lex.WAutoIncrement:   {{equal: true, value: numberValue}},
	lex.WPackKeys:        {{equal: true, value: defaultOr(numberIn(0, 1))}},
	lex.WStatsAutoRecalc: {{equal: true, value: defaultOr(numberIn(0, 1))}}, lex.WStatsPersistent: {{equal: true, value: defaultOr(numberIn(0, 1))}},
	lex.WStatsSamplePages: {{equal: true, value: defaultOr(numberIn(1, math.MaxUint16))}},
	lex.WChecksum:         {{equal: true, value: numberValue}},
	lex.WTableChecksum:    {{equal: true, value: numberValue, name: "CHECKSUM"}},
	lex.WPageChecksum:     {{equal: true, value: choice}},
	lex.WDelayKeyWrite:    {{equal: true, value: numberValue}},
	lex.WRowFormat: {{equal: true, value: oneOf(lex.WDefault, lex.WFixed, lex.WDynamic, lex.WCompressed, lex.WRedundant, lex.WCompact,
		lex.WPage)}},
	lex.WInsertMethod:  {{equal: true, value: oneOf(lex.WNo, lex.WFirst, lex.WLast)}},
	lex.WData:          {{more: []lex.Word{lex.WDirectory}, equal: true, value: textValue}},
	lex.WIndex:         {{more: []lex.Word{lex.WDirectory}, equal: true, value: textValue}},
	lex.WTablespace:    {{value: nameValue}},
	lex.WStorage:       {{more: []lex.Word{lex.WDisk}}, {more: []lex.Word{lex.WMemory}}},
	lex.WConnection:    {{equal: true, value: textValue}},
	lex.WKeyBlockSize:  {{equal: true, value: numberValue}},
	lex.WTransactional: {{equal: true, value: choice}},
	lex.WSequence:      {{equal: true, value: choice}},
	lex.WWith:          {{more: []lex.Word{lex.WSystem, lex.WVersioning}}},
}

// oneOf takes one of the keywords.
func oneOf(words ...lex.Word) func(*parser) *tree.Value {
	return func(p *parser) *tree.Value { return wordValue(p, words...) }
}

// defaultOr takes DEFAULT, or what f takes.
func defaultOr(f func(*parser) *tree.Value) func(*parser) *tree.Value {
	return func(p *parser) *tree.Value {
		if p.isWord(lex.WDefault) {
			return value(p, tree.WordValue)
		}
		return f(p)
	}
}

// choice takes a number or DEFAULT.
func choice(p *parser) *tree.Value { return defaultOr(numberValue)(p) }

// numberIn takes a number of a range.
func numberIn(least, most uint64) func(*parser) *tree.Value {
	return func(p *parser) *tree.Value {
		t := p.peek(0)
		v := numberValue(p)
		if n, ok := parseNumber(v.Text); !ok || n < least || n > most {
			p.failAt(t)
		}
		return v
	}
}

// tableOption takes one option; nil: none follows.
func tableOption(p *parser) *tree.Option {
	switch w := p.peek(0).Word; {
	case isPlainName(p, 0):
		return ownOption(p)
	case w == lex.WUnion:
		return unionOption(p)
	case w == lex.WDefault, w == lex.WCollate, w == lex.WCharset, w == lex.WChar, w == lex.WCharacter:
		return charsetOption(p)
	case w == lex.WWith && p.peek(1).Word != lex.WSystem:
		return nil // a query
	default:
		return ruledOption(p, tableOptionRules)
	}
}

// isTableOption reports whether an option of a table follows.
func isTableOption(p *parser) bool {
	w := p.peek(0).Word
	_, ok := tableOptionRules[w]
	return ok || isPlainName(p, 0) || w == lex.WUnion || w == lex.WDefault || w == lex.WCollate || isCharset(p, 0)
}

// ruledOption takes an option that has a rule; nil: none follows.
func ruledOption(p *parser, rules map[lex.Word][]optionRule) *tree.Option {
	all, ok := rules[p.peek(0).Word]
	if !ok {
		return nil
	}
	r := all[0]
	for _, other := range all[1:] {
		if len(other.more) > 0 && p.peek(1).Word == other.more[0] {
			r = other
		}
	}
	start := p.start()
	o := &tree.Option{Name: p.next().Word.String()}
	for _, w := range r.more {
		p.expect(w)
		o.Name += " " + w.String()
	}
	if r.equal {
		optionalEqual(p)
	}
	if r.value != nil {
		o.Value = r.value(p)
	}
	if r.name != "" {
		o.Name = r.name
	}
	o.Span = p.from(start)
	return o
}

// unionOption takes UNION = (tables).
func unionOption(p *parser) *tree.Option {
	start := p.start()
	p.next()
	optionalEqual(p)
	o := &tree.Option{Name: "UNION", Tables: []*tree.TableName{}}
	p.expectKind('(')
	if !p.is(')') {
		o.Tables = tables(p)
	}
	p.expectKind(')')
	o.Span = p.from(start)
	return o
}

// charsetOption takes [DEFAULT] CHARACTER SET or COLLATE.
func charsetOption(p *parser) *tree.Option {
	start := p.start()
	p.accept(lex.WDefault)
	o := &tree.Option{}
	switch {
	case p.accept(lex.WCollate):
		o.Name = "COLLATE"
	case acceptCharset(p):
		o.Name = "CHARACTER SET"
	default:
		p.fail()
	}
	optionalEqual(p)
	switch {
	case p.isWord(lex.WDefault):
		o.Value = value(p, tree.WordValue)
	case p.isWord(lex.WBinary):
		o.Value = value(p, tree.NameValue)
		o.Value.Text = "binary"
	default:
		o.Value = nameOrTextValue(p)
	}
	o.Span = p.from(start)
	return o
}
