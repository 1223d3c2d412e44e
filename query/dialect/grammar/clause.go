package grammar

import (
	"math"
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// ifNotExists takes [IF NOT EXISTS].
func ifNotExists(p *parser) bool {
	if !p.accept(lex.WIf) {
		return false
	}
	p.expect(lex.WNot, lex.WExists)
	return true
}

// ifExists takes [IF EXISTS].
func ifExists(p *parser) bool {
	if !p.accept(lex.WIf) {
		return false
	}
	p.expect(lex.WExists)
	return true
}

// equal takes an = that may be missing. := is one, too.
func optionalEqual(p *parser) {
	if p.is('=') || p.is(lex.Assign) {
		p.next()
	}
}

// acceptEqual takes = or :=.
func acceptEqual(p *parser) bool { return p.acceptKind('=') || p.acceptKind(lex.Assign) }

// isPlainName reports whether the i-th token is a name and no keyword at all.
func isPlainName(p *parser, i int) bool {
	t := p.peek(i)
	return t.Kind == lex.QuotedName || t.Kind == lex.Name && t.Word == lex.NoWord
}

// identOrText takes a name, with or without quotes of either kind.
func identOrText(p *parser) tree.Ident {
	if t := p.peek(0); t.Kind == lex.String || t.Kind == lex.HostName {
		return p.identOf(p.next())
	}
	return p.ident()
}

// text takes a plain string, for a field that tells an empty string from none.
func text(p *parser) *string {
	s := p.stringLiteral()
	return &s
}

// optionalText takes a plain string, if one follows.
func optionalText(p *parser) *string {
	if !p.is(lex.String) {
		return nil
	}
	return text(p)
}

// number takes a number of any kind, as it is written.
func number(p *parser) string { return numberValue(p).Text }

// wholeNumber takes an integer, as it is written.
func wholeNumber(p *parser) string {
	return wholeValue(p).Text
}

// digits takes an integer of 31 bits in decimal digits, as it is written.
func digits(p *parser) string {
	t := p.peek(0)
	if t.Kind != lex.Integer || !isSmall(p.lx.Text(t)) {
		p.fail()
	}
	return p.lx.Text(p.next())
}

// isSmall reports whether a number has at most 31 bits.
func isSmall(s string) bool {
	n, ok := parseNumber(s)
	return ok && n <= math.MaxInt32
}

// value makes a value of the next token.
func value(p *parser, kind tree.ValueKind) *tree.Value {
	t := p.next()
	v := &tree.Value{Span: tree.Span{Start: t.Start, End: t.End}, Kind: kind}
	switch kind {
	case tree.WordValue:
		v.Text = t.Word.String()
	case tree.NumberValue:
		v.Text = p.lx.Text(t)
	case tree.HexValue, tree.BitValue:
		s := p.lx.Text(t)
		v.Text = s[2 : len(s)-1]
	default:
		v.Text = p.lx.Unquote(t)
	}
	return v
}

// numberValue takes a number of any kind.
func numberValue(p *parser) *tree.Value {
	p.acceptKind('+')
	switch p.peek(0).Kind {
	case lex.Integer, lex.HexNumber, lex.Decimal, lex.Float:
		return value(p, tree.NumberValue)
	}
	p.fail()
	return nil
}

// wholeValue takes an integer.
func wholeValue(p *parser) *tree.Value {
	switch p.peek(0).Kind {
	case lex.Integer, lex.HexNumber:
	case lex.Decimal, lex.Float:
		p.failSaying("Only integers allowed as number here", p.peek(0))
	default:
		p.fail()
	}
	return value(p, tree.NumberValue)
}

// textValue takes a plain string.
func textValue(p *parser) *tree.Value {
	if !p.is(lex.String) {
		p.fail()
	}
	return value(p, tree.TextValue)
}

// nameValue takes a name.
func nameValue(p *parser) *tree.Value {
	if !p.isName(0) {
		p.fail()
	}
	return value(p, tree.NameValue)
}

// nameOrTextValue takes a name, with or without quotes of either kind.
func nameOrTextValue(p *parser) *tree.Value {
	if p.is(lex.String) || p.is(lex.HostName) {
		return value(p, tree.NameValue)
	}
	return nameValue(p)
}

// wordValue takes one of the keywords.
func wordValue(p *parser, words ...lex.Word) *tree.Value {
	for _, w := range words {
		if p.isWord(w) {
			return value(p, tree.WordValue)
		}
	}
	p.fail()
	return nil
}

// option takes the words of an option, and what f takes for its value.
func option(p *parser, words int, f func() *tree.Value) *tree.Option {
	start := p.start()
	o := &tree.Option{Name: takeWords(p, words)}
	if f != nil {
		o.Value = f()
	}
	o.Span = p.from(start)
	return o
}

// takeWords takes keywords and returns them in capitals.
func takeWords(p *parser, n int) string {
	name := p.next().Word.String()
	for range n - 1 {
		name += " " + p.next().Word.String()
	}
	return name
}

// afterEqual takes an = that may be missing, and what f takes.
func afterEqual(p *parser, f func(*parser) *tree.Value) func() *tree.Value {
	return func() *tree.Value {
		optionalEqual(p)
		return f(p)
	}
}

// ownOption takes an option of a storage engine: a name that is no keyword, =, and a value.
func ownOption(p *parser) *tree.Option {
	start := p.start()
	o := &tree.Option{Name: p.identOf(p.next()).Text, Own: true}
	if !acceptEqual(p) {
		p.fail()
	}
	switch {
	case p.is(lex.String):
		o.Value = textValue(p)
	case p.isWord(lex.WDefault):
		o.Value = value(p, tree.WordValue)
	case p.isName(0):
		o.Value = nameValue(p)
	default:
		o.Value = wholeValue(p)
	}
	o.Span = p.from(start)
	return o
}

// waitClause takes [WAIT n | NOWAIT].
func waitClause(p *parser) *tree.Wait {
	start := p.start()
	switch {
	case p.accept(lex.WWait):
		w := &tree.Wait{Seconds: number(p)}
		w.Span = p.from(start)
		return w
	case p.accept(lex.WNowait):
		return &tree.Wait{Span: p.from(start)}
	}
	return nil
}

// behavior takes [RESTRICT | CASCADE].
func behavior(p *parser) string {
	if w := p.acceptAny(lex.WRestrict, lex.WCascade); w != lex.NoWord {
		return w.String()
	}
	return ""
}

// noWriteToLog takes [NO_WRITE_TO_BINLOG | LOCAL].
func noWriteToLog(p *parser) bool {
	return p.acceptAny(lex.WNoWriteToBinlog, lex.WLocal) != lex.NoWord
}

// orDefault takes what f takes, or DEFAULT.
func nameOrDefault(p *parser, f func() string) string {
	if p.accept(lex.WDefault) {
		return "DEFAULT"
	}
	return f()
}

// charsetName takes the name of a character set.
func charsetName(p *parser) string {
	if p.accept(lex.WBinary) {
		return "binary"
	}
	return identOrText(p).Text
}

// collationName takes the name of a collation.
func collationName(p *parser) string { return charsetName(p) }

// isCharset reports whether CHARACTER SET or CHARSET follows at the i-th token.
func isCharset(p *parser, i int) bool {
	switch p.peek(i).Word {
	case lex.WCharset:
		return true
	case lex.WChar, lex.WCharacter:
		return p.peek(i+1).Word == lex.WSet
	}
	return false
}

// acceptCharset takes CHARACTER SET or CHARSET. CHAR must be followed by SET.
func acceptCharset(p *parser) bool {
	if p.accept(lex.WCharset) {
		return true
	}
	if p.acceptAny(lex.WChar, lex.WCharacter) == lex.NoWord {
		return false
	}
	p.expect(lex.WSet)
	return true
}

// names takes names with commas between them.
func names(p *parser) []tree.Ident { return commas(p, p.ident) }

// tables takes tables with commas between them.
func tables(p *parser) []*tree.TableName { return commas(p, p.tableName) }

// tableOrTables takes TABLE or TABLES.
func tableOrTables(p *parser) {
	if p.acceptAny(lex.WTable, lex.WTables) == lex.NoWord {
		p.fail()
	}
}

// isReplica reports whether SLAVE or REPLICA follows at the i-th token.
func isReplica(p *parser, i int) bool {
	w := p.peek(i).Word
	return w == lex.WSlave || w == lex.WReplica
}

// expectReplicas takes SLAVES or REPLICAS.
func expectReplicas(p *parser) {
	if p.acceptAny(lex.WSlaves, lex.WReplicas) == lex.NoWord {
		p.fail()
	}
}

// channel takes [FOR CHANNEL 'name']; then there can be no other name of a connection.
func channel(p *parser, name *string) *string {
	if !p.accept(lex.WFor) {
		return nil
	}
	p.expect(lex.WChannel)
	s := text(p)
	if name != nil {
		p.failWith(mysqlerr.New(mysqlerr.WrongArguments, "CONNECTION_NAME AND FOR CHANNEL CAN NOT BE SPECIFIED AT THE SAME TIME)"))
	}
	return s
}

// accountName takes user[@host]. CURRENT_USER and CURRENT_ROLE are accounts, too; the latter only where roles may stand.
func accountName(p *parser, roles bool) *tree.Account {
	start := p.start()
	a := &tree.Account{}
	switch {
	case p.accept(lex.WCurrentUser):
		a.Kind = tree.CurrentUser
		optionalBraces(p)
	case roles && p.accept(lex.WCurrentRole):
		a.Kind = tree.CurrentRole
		optionalBraces(p)
	default:
		a.Name = identOrText(p).Text
		if t := p.peek(0); t.Kind == lex.AtAt { // to the server two tokens
			t.Start++
			p.failAt(t)
		}
		if p.acceptKind('@') {
			a.HasHost = true
			a.Host = hostName(p)
		}
	}
	a.Span = p.from(start)
	return a
}

// hostName takes what stands right behind @, which may be nothing.
func hostName(p *parser) string {
	switch t := p.peek(0); {
	case !t.Glued:
	case t.Kind == lex.HostName, t.Kind == lex.String, t.Kind == lex.QuotedName, t.Kind == lex.Name:
		return strings.ToLower(p.lx.Unquote(p.next()))
	}
	return ""
}

// optionalBraces takes [()].
func optionalBraces(p *parser) {
	if p.acceptKind('(') {
		p.expectKind(')')
	}
}

// user takes an account that is no role by its form, userOrRole one of any form.
func user(p *parser) *tree.Account       { return accountName(p, false) }
func userOrRole(p *parser) *tree.Account { return accountName(p, true) }

// roleName takes the name of a role.
func roleName(p *parser) *tree.Account {
	start := p.start()
	a := &tree.Account{}
	if p.accept(lex.WCurrentRole) {
		a.Kind = tree.CurrentRole
		optionalBraces(p)
	} else {
		a.Name = strings.TrimRight(identOrText(p).Text, " ")
	}
	a.Span = p.from(start)
	return a
}

// intervalUnit takes the unit of an interval.
func scheduleUnit(p *parser) string {
	for _, w := range intervalWords {
		if p.accept(w) {
			return strings.TrimPrefix(w.String(), "SQL_TSI_")
		}
	}
	p.fail()
	return ""
}

var intervalWords = []lex.Word{
	lex.WDayHour, lex.WDayMicrosecond, lex.WDayMinute, lex.WDaySecond, lex.WHourMicrosecond, lex.WHourMinute, lex.WHourSecond,
	lex.WMinuteMicrosecond, lex.WMinuteSecond, lex.WSecondMicrosecond, lex.WYearMonth, lex.WDay, lex.WWeek, lex.WHour, lex.WMinute,
	lex.WMonth, lex.WQuarter, lex.WSecond, lex.WMicrosecond, lex.WYear, lex.WSqlTsiDay, lex.WSqlTsiHour, lex.WSqlTsiMinute,
	lex.WSqlTsiMonth, lex.WSqlTsiQuarter, lex.WSqlTsiSecond, lex.WSqlTsiWeek, lex.WSqlTsiYear,
}
