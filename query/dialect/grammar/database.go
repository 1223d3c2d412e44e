package grammar

import (
	"math"
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// createDatabase takes CREATE DATABASE, from DATABASE on.
func createDatabase(p *parser, start int32, orReplace bool) tree.Statement {
	p.next()
	n := &tree.CreateDatabase{OrReplace: orReplace, IfNotExists: ifNotExists(p), Name: p.ident()}
	databaseOptions(p, &n.DatabaseOptions)
	n.Span = p.from(start)
	return n
}

// databaseOptions takes the options of a database; the later one of a kind wins.
func databaseOptions(p *parser, o *tree.DatabaseOptions) (some bool) {
	for ; ; some = true {
		switch w := p.peek(0).Word; {
		case w == lex.WComment:
			p.next()
			optionalEqual(p)
			o.Comment = text(p)
		case w == lex.WDefault, w == lex.WCollate, isCharset(p, 0), w == lex.WChar, w == lex.WCharacter:
			if c := charsetOption(p); c.Name == "COLLATE" {
				o.Collate = c.Value.Text
			} else {
				o.Charset = c.Value.Text
			}
		default:
			return some
		}
	}
}

// alterDatabase takes ALTER DATABASE, from DATABASE on.
func alterDatabase(p *parser, start int32) tree.Statement {
	p.next()
	n := &tree.AlterDatabase{}
	if p.isName(0) && !isDatabaseOption(p) {
		n.Name = p.ident()
		n.Upgrade = p.accept(lex.WUpgrade)
	}
	if n.Upgrade {
		p.expect(lex.WData, lex.WDirectory, lex.WName)
		if p.routine != nil {
			p.failWith(mysqlerr.New(mysqlerr.SPNoDropSP, "DATABASE"))
		}
	} else if !databaseOptions(p, &n.DatabaseOptions) {
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// isDatabaseOption reports whether a word that may be a name is an option here.
func isDatabaseOption(p *parser) bool {
	switch p.peek(0).Word {
	case lex.WComment:
		k := p.peek(1).Kind
		return k == '=' || k == lex.String
	}
	return false
}

// viewAlgorithm takes [ALGORITHM = ...].
func viewAlgorithm(p *parser) string {
	if !p.accept(lex.WAlgorithm) {
		return ""
	}
	p.expectKind('=')
	return wordValue(p, lex.WUndefined, lex.WMerge, lex.WTemptable).Text
}

// definer takes [DEFINER = account].
func definer(p *parser) *tree.Account {
	if !p.accept(lex.WDefiner) {
		return nil
	}
	p.expectKind('=')
	return userOrRole(p)
}

// security takes [SQL SECURITY ...].
func security(p *parser) string {
	if !p.accept(lex.WSql) {
		return ""
	}
	p.expect(lex.WSecurity)
	return wordValue(p, lex.WDefiner, lex.WInvoker).Text
}

// view takes CREATE VIEW or ALTER VIEW, from SQL SECURITY on.
func view(p *parser, start int32, n *tree.View) tree.Statement {
	n.Security = security(p)
	p.expect(lex.WView)
	if !n.Alter {
		n.IfNotExists = ifNotExists(p)
	}
	n.Name = p.tableName()
	if p.is('(') {
		n.Columns = inParens(p, func() []tree.Ident { return names(p) })
	}
	p.expect(lex.WAs)
	n.Query = selectQuery(p)
	if p.accept(lex.WWith) {
		n.Check = "CASCADED"
		if p.acceptAny(lex.WCascaded, lex.WLocal) == lex.WLocal {
			n.Check = "LOCAL"
		}
		p.expect(lex.WCheck, lex.WOption)
	}
	n.Span = p.from(start)
	return n
}

// createSequence takes CREATE SEQUENCE, from SEQUENCE on.
func createSequence(p *parser, start int32, orReplace, temporary bool) tree.Statement {
	p.next()
	n := &tree.Sequence{OrReplace: orReplace, Temporary: temporary, IfNotExists: ifNotExists(p), Name: p.tableName()}
	n.Settings = sequenceSettings(p, false)
	n.Options = tableOptions(p)
	n.Span = p.from(start)
	return n
}

// alterSequence takes ALTER SEQUENCE, from SEQUENCE on.
func alterSequence(p *parser, start int32) tree.Statement {
	p.next()
	n := &tree.Sequence{Alter: true, IfNotExists: ifExists(p), Name: p.tableName()}
	if n.Settings = sequenceSettings(p, true); n.Settings == nil {
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// sequenceSettings takes the settings of a sequence, each of which can be there once.
func sequenceSettings(p *parser, alter bool) (all []*tree.Option) {
	seen := map[string]bool{}
	for {
		o, what := sequenceSetting(p, alter)
		switch {
		case o == nil:
			return all
		case seen[what] && (o.Value == nil || what != "MINVALUE" && what != "MAXVALUE"):
			p.failWith(mysqlerr.New(mysqlerr.DupArgument, what))
		}
		seen[what] = true
		all = append(all, o)
	}
}

// sequenceSetting takes one setting, and says which it is of those that cannot be there twice; nil: none follows.
func sequenceSetting(p *parser, alter bool) (o *tree.Option, what string) {
	start := p.start()
	o = &tree.Option{}
	w := p.peek(0).Word
	what = w.String()
	switch w {
	case lex.WMinvalue, lex.WMaxvalue, lex.WCache:
		p.next()
		optionalEqual(p)
		o.Name, o.Value = what, longValue(p)
	case lex.WNo:
		p.next()
		what = wordValue(p, lex.WMinvalue, lex.WMaxvalue).Text
		o.Name = "NO " + what
	case lex.WNominvalue, lex.WNomaxvalue:
		p.next()
		what = strings.TrimPrefix(what, "NO")
		o.Name = "NO " + what
	case lex.WStart, lex.WIncrement:
		p.next()
		by := lex.WWith
		if w == lex.WIncrement {
			by = lex.WBy
		}
		if !p.accept(by) {
			acceptEqual(p)
		}
		o.Name, o.Value = what+" "+by.String(), longValue(p)
	case lex.WNocache, lex.WCycle, lex.WNocycle:
		p.next()
		o.Name, what = what, strings.TrimPrefix(what, "NO")
	case lex.WRestart:
		restart(p, o, alter)
	default:
		return nil, ""
	}
	o.Span = p.from(start)
	return o, what
}

// restart takes RESTART [[WITH] n], which only ALTER SEQUENCE has.
func restart(p *parser, o *tree.Option, alter bool) {
	if !alter {
		p.failWith(mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, "RESTART", p.peek(0).Line))
	}
	p.next()
	o.Name = "RESTART"
	if p.accept(lex.WWith) || acceptEqual(p) || p.is(lex.Integer) || p.is('-') {
		o.Name, o.Value = "RESTART WITH", longValue(p)
	}
}

// longValue takes a number with a sign or none.
func longValue(p *parser) *tree.Value {
	start := p.start()
	minus := p.acceptKind('-')
	if !minus {
		p.acceptKind('+')
	}
	if n, ok := parseNumber(p.lx.Text(p.peek(0))); !p.is(lex.Integer) || !ok || n > math.MaxInt64 {
		p.fail()
	}
	v := value(p, tree.NumberValue)
	if minus {
		v.Text, v.Start = "-"+v.Text, start
	}
	return v
}

// createServer takes CREATE SERVER, from SERVER on.
func createServer(p *parser, start int32, orReplace bool) tree.Statement {
	p.next()
	n := &tree.ForeignServer{OrReplace: orReplace, IfNotExists: ifNotExists(p), Name: identOrText(p)}
	p.expect(lex.WForeign, lex.WData, lex.WWrapper)
	n.Wrapper = identOrText(p)
	n.Options = serverOptions(p)
	n.Span = p.from(start)
	return n
}

// alterServer takes ALTER SERVER, from SERVER on.
func alterServer(p *parser, start int32) tree.Statement {
	p.next()
	n := &tree.ForeignServer{Alter: true, Name: identOrText(p), Options: serverOptions(p)}
	n.Span = p.from(start)
	return n
}

// serverOptions takes OPTIONS (...). Every option but PORT can stand there once.
func serverOptions(p *parser) []*tree.Option {
	p.expect(lex.WOptions)
	seen := map[string]bool{}
	return inParens(p, func() []*tree.Option {
		return commas(p, func() *tree.Option {
			if p.isWord(lex.WPort) {
				return option(p, 1, func() *tree.Value { return numberValue(p) })
			}
			switch p.peek(0).Word {
			case lex.WUser, lex.WHost, lex.WDatabase, lex.WSchema, lex.WOwner, lex.WPassword, lex.WSocket:
			default:
				p.fail()
			}
			text := p.peek(1)
			o := option(p, 1, func() *tree.Value { return textValue(p) })
			if o.Name == "SCHEMA" {
				o.Name = "DATABASE"
			}
			if seen[o.Name] {
				p.failAt(text)
			}
			seen[o.Name] = true
			return o
		})
	})
}
