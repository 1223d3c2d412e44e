package grammar

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// showStatement takes SHOW.
func showStatement(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Show{}
	switch {
	case showList(p, n):
	case showCreate(p, n):
	case showReplication(p, n):
	case showSession(p, n):
	case isPlainName(p, 0) && schemaTables[strings.ToUpper(p.lx.Unquote(p.peek(0)))]:
		n.What = strings.ToUpper(p.identOf(p.next()).Text)
		if p.accept(lex.WWhere) {
			n.Where = expr(p)
		}
	default:
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// schemaTables are the tables of the information schema that SHOW takes by their names.
var schemaTables = map[string]bool{
	"CLIENT_STATISTICS": true, "INDEX_STATISTICS": true, "TABLE_STATISTICS": true, "USER_STATISTICS": true, "USER_VARIABLES": true,
}

// flushedTables are those that FLUSH takes.
var flushedTables = map[string]bool{
	"CLIENT_STATISTICS": true, "INDEX_STATISTICS": true, "TABLE_STATISTICS": true, "USER_STATISTICS": true, "USER_VARIABLES": true,
	"THREAD_POOL_STATS": true, "THREAD_POOL_WAITS": true,
}

// showWords takes keywords as what is shown.
func showWords(p *parser, n *tree.Show, what string, words ...lex.Word) bool {
	if !p.accept(words...) {
		return false
	}
	n.What = what
	return true
}

// likeOrWhere takes [LIKE 'pattern' | WHERE condition].
func likeOrWhere(p *parser, n *tree.Show) {
	switch {
	case p.accept(lex.WLike):
		n.Like = text(p)
	case p.accept(lex.WWhere):
		n.Where = expr(p)
	}
}

// fromDB takes [FROM | IN database].
func fromDB(p *parser, n *tree.Show) {
	if p.acceptAny(lex.WFrom, lex.WIn) != lex.NoWord {
		n.DB = p.ident()
	}
}

// fromTable takes FROM a table.
func fromTable(p *parser, n *tree.Show) {
	if p.acceptAny(lex.WFrom, lex.WIn) == lex.NoWord {
		p.fail()
	}
	n.Object = p.tableName()
	fromDB(p, n)
}

// showList takes what lists objects.
func showList(p *parser, n *tree.Show) bool {
	n.Full = p.accept(lex.WFull)
	switch {
	case p.accept(lex.WTables):
		n.What = "TABLES"
		fromDB(p, n)
	case p.accept(lex.WTriggers):
		n.What = "TRIGGERS"
		fromDB(p, n)
	case p.acceptAny(lex.WColumns, lex.WFields) != lex.NoWord:
		n.What = "COLUMNS"
		fromTable(p, n)
	case showWords(p, n, "PROCESSLIST", lex.WProcesslist):
		return true
	case n.Full:
		p.fail()
	case p.acceptAny(lex.WDatabases, lex.WSchemas) != lex.NoWord:
		n.What = "DATABASES"
	case p.accept(lex.WEvents):
		n.What = "EVENTS"
		fromDB(p, n)
	case p.isWord(lex.WTable), p.isWord(lex.WOpen):
		open := p.next().Word == lex.WOpen
		if open {
			p.expect(lex.WTables)
			n.What = "OPEN TABLES"
		} else {
			p.expect(lex.WStatus)
			n.What = "TABLE STATUS"
		}
		fromDB(p, n)
	case p.acceptAny(lex.WKeys, lex.WIndex, lex.WIndexes) != lex.NoWord:
		n.What = "INDEX"
		fromTable(p, n)
		if p.accept(lex.WWhere) {
			n.Where = expr(p)
		}
		return true
	case p.accept(lex.WCollation):
		n.What = "COLLATION"
	case acceptCharset(p):
		n.What = "CHARACTER SET"
	case p.isWord(lex.WPlugins):
		showPlugins(p, n)
		return true
	case p.isWord(lex.WProcedure), p.isWord(lex.WFunction), p.isWord(lex.WPackage):
		return showRoutines(p, n)
	default:
		return false
	}
	likeOrWhere(p, n)
	return true
}

// showPlugins takes PLUGINS [SONAME ...].
func showPlugins(p *parser, n *tree.Show) {
	p.next()
	n.What = "PLUGINS"
	if !p.accept(lex.WSoname) {
		return
	}
	n.What = "PLUGINS SONAME"
	if p.is(lex.String) {
		n.Name = textValue(p)
		return
	}
	likeOrWhere(p, n)
}

// showRoutines takes PROCEDURE STATUS, PROCEDURE CODE and the like.
func showRoutines(p *parser, n *tree.Show) bool {
	n.What = p.next().Word.String()
	if n.What == "PACKAGE" && p.accept(lex.WBody) {
		n.What = "PACKAGE BODY"
	}
	if n.What != "PACKAGE" && p.accept(lex.WCode) {
		n.What += " CODE"
		n.Object = routineName(p)
		return true
	}
	p.expect(lex.WStatus)
	n.What += " STATUS"
	likeOrWhere(p, n)
	return true
}

// showCreate takes CREATE and GRANTS.
func showCreate(p *parser, n *tree.Show) bool {
	switch {
	case p.accept(lex.WGrants):
		n.What = "GRANTS"
		if p.accept(lex.WFor) {
			n.User = userOrRole(p)
		}
		return true
	case !p.accept(lex.WCreate):
		return false
	}
	switch w := p.peek(0).Word; w {
	case lex.WDatabase, lex.WSchema:
		p.next()
		n.What, n.IfNotExists = "CREATE DATABASE", ifNotExists(p)
		n.Object = oneName(p, p.ident)
	case lex.WUser:
		p.next()
		n.What = "CREATE USER"
		if !p.is(lex.EOF) && !p.is(';') {
			n.User = user(p)
		}
	case lex.WProcedure, lex.WFunction, lex.WTrigger, lex.WEvent:
		p.next()
		n.What, n.Object = "CREATE "+w.String(), routineName(p)
	case lex.WTable, lex.WView, lex.WSequence:
		p.next()
		n.What, n.Object = "CREATE "+w.String(), p.tableName()
	case lex.WPackage:
		p.next()
		n.What = "CREATE PACKAGE"
		if p.isWord(lex.WBody) && p.isName(1) {
			p.next()
			n.What = "CREATE PACKAGE BODY"
		}
		n.Object = p.tableName()
	default:
		p.fail()
	}
	return true
}

// showReplication takes what is about engines, logs, primaries and replicas.
func showReplication(p *parser, n *tree.Show) bool {
	switch {
	case p.accept(lex.WEngine):
		n.What = "ENGINE"
		if p.isWord(lex.WAll) {
			n.Name = value(p, tree.WordValue)
		} else {
			n.Name = nameOrTextValue(p)
		}
		n.Part = wordValue(p, lex.WStatus, lex.WMutex, lex.WLogs).Text
	case p.accept(lex.WMaster):
		n.What = "BINARY LOGS"
		if !p.accept(lex.WLogs) {
			p.expect(lex.WStatus)
			n.What = "MASTER STATUS"
		}
	case p.accept(lex.WBinary):
		p.expect(lex.WLogs)
		n.What = "BINARY LOGS"
	case p.accept(lex.WBinlog):
		n.What = "MASTER STATUS"
		if p.accept(lex.WEvents) {
			n.What = "BINLOG EVENTS"
			logRange(p, n)
		} else {
			p.expect(lex.WStatus)
		}
	case p.accept(lex.WRelaylog):
		n.What, n.Part = "RELAYLOG", "EVENTS"
		if p.is(lex.String) {
			n.Name = textValue(p)
		}
		p.expect(lex.WEvents)
		logRange(p, n)
		n.Channel = channel(p, nameOf(n))
	case p.accept(lex.WAll):
		expectReplicas(p)
		p.expect(lex.WStatus)
		n.What = "ALL REPLICAS STATUS"
	case isReplica(p, 0):
		p.next()
		if showWords(p, n, "REPLICA HOSTS", lex.WHosts) {
			break
		}
		n.What, n.Part = "REPLICA", "STATUS"
		if p.is(lex.String) {
			n.Name = textValue(p)
		}
		p.expect(lex.WStatus)
		n.Channel = channel(p, nameOf(n))
	default:
		return false
	}
	return true
}

// nameOf is the connection that was named.
func nameOf(n *tree.Show) *string {
	if n.Name == nil {
		return nil
	}
	return &n.Name.Text
}

// logRange takes [IN 'log'] [FROM position] [LIMIT ...].
func logRange(p *parser, n *tree.Show) {
	if p.accept(lex.WIn) {
		n.Log = text(p)
	}
	if p.accept(lex.WFrom) {
		n.Position = number(p)
	}
	n.Limit = showLimit(p)
}

// showLimit takes [LIMIT ...].
func showLimit(p *parser) *tree.ShowLimit {
	start := p.start()
	if !p.accept(lex.WLimit) {
		return nil
	}
	n := &tree.ShowLimit{Count: limitNumber(p)}
	switch {
	case p.acceptKind(','):
		n.Offset, n.Count = n.Count, limitNumber(p)
	case p.accept(lex.WOffset):
		n.Offset = limitNumber(p)
	}
	n.Span = p.from(start)
	return n
}

// limitNumber takes a number of rows; it may be a parameter.
func limitNumber(p *parser) string {
	switch {
	case p.isName(0):
		name := p.ident()
		if p.routine == nil || !p.routine.knows(name.Text, variablesOf) {
			p.failWith(mysqlerr.New(mysqlerr.SPUndeclaredVar, name.Text))
		}
		return name.Text
	case !p.is(lex.Integer) && !p.is('?'):
		p.fail()
	}
	return p.lx.Text(p.next())
}

// showSession takes what is about the session and the server.
func showSession(p *parser, n *tree.Show) bool {
	switch w := p.peek(0).Word; {
	case w == lex.WStorage:
		p.next()
		p.expect(lex.WEngines)
		n.What = "ENGINES"
	case w == lex.WEngines, w == lex.WAuthors, w == lex.WContributors, w == lex.WPrivileges, w == lex.WProfiles:
		n.What = p.next().Word.String()
	case w == lex.WWarnings, w == lex.WErrors:
		n.What = p.next().Word.String()
		n.Limit = showLimit(p)
	case w == lex.WProfile:
		p.next()
		showProfile(p, n)
	case w == lex.WExplain, w == lex.WAnalyze, w == lex.WDescribe, w == lex.WDesc:
		p.next()
		showExplain(p, n, w)
	case p.is(lex.Name) && strings.EqualFold(p.lx.Text(p.peek(0)), "COUNT") && p.peek(1).Kind == '(' && p.peek(1).Glued:
		p.next()
		p.next()
		p.expectKind('*')
		p.expectKind(')')
		n.What = "COUNT(*) " + wordValue(p, lex.WWarnings, lex.WErrors).Text
	default:
		return showVariables(p, n)
	}
	return true
}

// showVariables takes [GLOBAL | SESSION | LOCAL] STATUS | VARIABLES.
func showVariables(p *parser, n *tree.Show) bool {
	switch p.acceptAny(lex.WGlobal, lex.WSession, lex.WLocal) {
	case lex.WGlobal:
		n.Scope = "GLOBAL"
	case lex.NoWord:
		if !p.isWord(lex.WStatus) && !p.isWord(lex.WVariables) {
			return false
		}
	}
	n.What = wordValue(p, lex.WStatus, lex.WVariables).Text
	likeOrWhere(p, n)
	return true
}

// showProfile takes what follows PROFILE.
func showProfile(p *parser, n *tree.Show) {
	n.What = "PROFILE"
	kinds := map[lex.Word]lex.Word{
		lex.WCpu: 0, lex.WMemory: 0, lex.WBlock: lex.WIo, lex.WContext: lex.WSwitches, lex.WPage: lex.WFaults, lex.WIpc: 0, lex.WSwaps: 0,
		lex.WSource: 0, lex.WAll: 0,
	}
	if _, ok := kinds[p.peek(0).Word]; ok {
		n.Kinds = commas(p, func() string {
			second, ok := kinds[p.peek(0).Word]
			if !ok {
				p.fail()
			}
			s := p.next().Word.String()
			if second != lex.NoWord {
				p.expect(second)
				s += " " + second.String()
			}
			return s
		})
	}
	if p.accept(lex.WFor) {
		p.expect(lex.WQuery)
		n.Query = digits(p)
	}
	n.Limit = showLimit(p)
}

// showExplain takes [FORMAT = ...] FOR a connection.
func showExplain(p *parser, n *tree.Show, w lex.Word) {
	n.What = "EXPLAIN"
	if w == lex.WAnalyze {
		n.What = "ANALYZE"
	}
	if p.accept(lex.WFormat) {
		p.expectKind('=')
		n.Format = explainFormat(p)
	}
	p.expect(lex.WFor)
	n.For = expr(p)
}
