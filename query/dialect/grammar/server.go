package grammar

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// serverStatement takes a statement about accounts, or about the server.
func (p *parser) serverStatement() tree.Statement {
	if f, ok := serverStatements[p.peek(0).Word]; ok {
		return f(p)
	}
	switch w := p.peek(0).Word; {
	case w == lex.WStart && (isReplica(p, 1) || p.peek(1).Word == lex.WAll), w == lex.WStop:
		return replica(p)
	case w == lex.WLoad && p.peek(1).Word == lex.WIndex:
		return loadIndex(p)
	}
	return nil
}

var serverStatements map[lex.Word]func(*parser) tree.Statement

func init() {
	serverStatements = map[lex.Word]func(*parser) tree.Statement{
		lex.WGrant: grantStatement, lex.WRevoke: revokeStatement, lex.WShow: showStatement, lex.WFlush: flush, lex.WReset: reset, lex.WPurge: purge,
		lex.WKill: kill, lex.WBackup: backup, lex.WInstall: plugin, lex.WUninstall: plugin, lex.WHelp: help, lex.WShutdown: shutdown,
		lex.WChange: changeMaster, lex.WBinlog: binlogEvent, lex.WAnalyze: maintain, lex.WCheck: maintain, lex.WChecksum: maintain,
		lex.WOptimize: maintain, lex.WRepair: maintain, lex.WCache: cacheIndex,
	}
}

// explainFormat takes JSON or TRADITIONAL.
func explainFormat(p *parser) string {
	name := identOrText(p).Text
	switch s := strings.ToUpper(name); s {
	case "JSON", "TRADITIONAL":
		return s
	}
	p.failWith(mysqlerr.New(mysqlerr.UnknownExplainFormat, "EXPLAIN/ANALYZE", name))
	return ""
}

// flush takes FLUSH.
func flush(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Flush{NoWriteToLog: noWriteToLog(p)}
	if p.acceptAny(lex.WTable, lex.WTables) != lex.NoWord {
		flushTables(p, n)
	} else {
		n.Items = commas(p, func() *tree.FlushItem { return flushItem(p) })
	}
	n.Span = p.from(start)
	return n
}

// flushTables takes what follows FLUSH TABLES.
func flushTables(p *parser, n *tree.Flush) {
	if p.isName(0) || p.is('.') {
		n.Tables = tables(p)
	}
	switch {
	case p.accept(lex.WWith):
		p.expect(lex.WRead, lex.WLock)
		n.Lock = "WITH READ LOCK"
		if p.accept(lex.WAnd) {
			p.expect(lex.WDisable, lex.WCheckpoint)
			n.Lock += " AND DISABLE CHECKPOINT"
		}
	case p.isWord(lex.WFor):
		if n.Tables == nil {
			p.failSaying("No tables used", p.peek(0))
		}
		p.next()
		p.expect(lex.WExport)
		n.Lock = "FOR EXPORT"
	}
}

// flushItem takes one of the other things.
func flushItem(p *parser) *tree.FlushItem {
	start := p.start()
	n := &tree.FlushItem{}
	switch w := p.peek(0).Word; {
	case w == lex.WError, w == lex.WEngine, w == lex.WGeneral, w == lex.WSlow, w == lex.WBinary, w == lex.WRelay:
		p.next()
		p.expect(lex.WLogs)
		n.What = w.String() + " LOGS"
		switch w {
		case lex.WBinary:
			deletedDomains(p, n)
		case lex.WRelay:
			connectionName(p, n)
		}
	case w == lex.WQuery:
		p.next()
		p.expect(lex.WCache)
		n.What = "QUERY CACHE"
	case w == lex.WHosts, w == lex.WPrivileges, w == lex.WLogs, w == lex.WStatus, w == lex.WMaster, w == lex.WDesKeyFile,
		w == lex.WUserResources, w == lex.WSsl, w == lex.WThreads:
		n.What = p.next().Word.String()
	case isReplica(p, 0):
		p.next()
		n.What = "REPLICA"
		connectionName(p, n)
	case isPlainName(p, 0) && flushedTables[strings.ToUpper(p.lx.Unquote(p.peek(0)))]:
		n.What, n.Own = strings.ToUpper(p.identOf(p.next()).Text), true
	default:
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// connectionName takes ['name' | FOR CHANNEL 'name'].
func connectionName(p *parser, n *tree.FlushItem) {
	if n.Name = optionalText(p); n.Name == nil {
		n.Name = channel(p, nil)
		n.Channel = n.Name != nil
	}
}

// deletedDomains takes [DELETE_DOMAIN_ID = (n, ...)].
func deletedDomains(p *parser, n *tree.FlushItem) {
	if !p.accept(lex.WDeleteDomainId) {
		return
	}
	p.expectKind('=')
	n.Domains = numberList(p)
}

// numberList takes numbers in parentheses, or none.
func numberList(p *parser) []*tree.Value {
	all := []*tree.Value{}
	p.expectKind('(')
	if !p.is(')') {
		all = commas(p, func() *tree.Value { return numberValue(p) })
	}
	p.expectKind(')')
	return all
}

// reset takes RESET.
func reset(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Reset{Items: commas(p, func() *tree.ResetItem {
		start := p.start()
		i := &tree.ResetItem{}
		switch {
		case isReplica(p, 0):
			p.next()
			i.What, i.Name, i.All = "REPLICA", optionalText(p), p.accept(lex.WAll)
			i.Channel = channel(p, i.Name)
		case p.accept(lex.WMaster):
			i.What = "MASTER"
			if p.accept(lex.WTo) {
				i.To = number(p)
			}
		default:
			p.expect(lex.WQuery, lex.WCache)
			i.What = "QUERY CACHE"
		}
		i.Span = p.from(start)
		return i
	})}
	n.Span = p.from(start)
	return n
}

// purge takes PURGE.
func purge(p *parser) tree.Statement {
	start := p.start()
	p.next()
	if p.acceptAny(lex.WMaster, lex.WBinary) == lex.NoWord {
		p.fail()
	}
	p.expect(lex.WLogs)
	n := &tree.Purge{}
	if p.accept(lex.WTo) {
		n.To = text(p)
	} else {
		p.expect(lex.WBefore)
		n.Before = expr(p)
	}
	n.Span = p.from(start)
	return n
}

// kill takes KILL.
func kill(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Kill{Soft: p.acceptAny(lex.WHard, lex.WSoft) == lex.WSoft}
	if p.acceptAny(lex.WConnection, lex.WQuery) == lex.WQuery {
		n.Query, n.ID = true, p.accept(lex.WId)
	}
	if p.accept(lex.WUser) {
		n.User = user(p)
	} else {
		n.Of = expr(p)
	}
	n.Span = p.from(start)
	return n
}

// backup takes BACKUP.
func backup(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Backup{What: wordValue(p, lex.WStage, lex.WLock, lex.WUnlock).Text}
	switch n.What {
	case "STAGE":
		n.Stage = p.ident()
		switch strings.ToUpper(n.Stage.Text) {
		case "START", "FLUSH", "BLOCK_DDL", "BLOCK_COMMIT", "END", "WAIT_FOR_FLUSH", "LOCK_COMMIT":
		default:
			p.failWith(mysqlerr.New(mysqlerr.BackupUnknownStage, n.Stage.Text))
		}
	case "LOCK":
		n.Table = p.tableName()
	}
	n.Span = p.from(start)
	return n
}

// plugin takes INSTALL and UNINSTALL.
func plugin(p *parser) tree.Statement {
	start := p.start()
	n := &tree.Plugin{Uninstall: p.next().Word == lex.WUninstall}
	if p.accept(lex.WPlugin) {
		if n.Uninstall {
			n.IfNotExists = ifExists(p)
		} else {
			n.IfNotExists = ifNotExists(p)
		}
		n.Name = p.ident()
		if !n.Uninstall {
			p.expect(lex.WSoname)
			n.Library = text(p)
		}
	} else {
		p.expect(lex.WSoname)
		n.IfNotExists = n.Uninstall && ifExists(p)
		n.Library = text(p)
	}
	n.Span = p.from(start)
	return n
}

// help takes HELP.
func help(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Help{Topic: identOrText(p).Text}
	n.Span = p.from(start)
	return n
}

// shutdown takes SHUTDOWN.
func shutdown(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.Shutdown{}
	if p.accept(lex.WWait) {
		p.expect(lex.WFor, lex.WAll)
		expectReplicas(p)
		n.WaitForReplicas = true
	}
	n.Span = p.from(start)
	return n
}
