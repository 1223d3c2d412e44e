package grammar

import (
	"math"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// startTransaction takes START TRANSACTION.
func startTransaction(p *parser, t lex.Token) tree.Statement {
	p.expect(lex.WTransaction)
	n := &tree.Begin{}
	if w := p.peek(0).Word; w == lex.WWith || w == lex.WRead {
		for first := true; first || p.acceptKind(','); first = false {
			if p.accept(lex.WWith) {
				p.expect(lex.WConsistent, lex.WSnapshot)
				n.Snapshot = true
				continue
			}
			access := accessMode(p)
			if n.Access != "" && n.Access != access {
				p.fail()
			}
			n.Access = access
		}
	}
	n.Span = p.from(t.Start)
	return n
}

// begin takes BEGIN.
func begin(p *parser, t lex.Token) tree.Statement {
	p.accept(lex.WWork)
	return &tree.Begin{Span: p.from(t.Start)}
}

// chainRelease takes AND CHAIN and RELEASE.
func chainRelease(p *parser) tree.Completion {
	c := tree.Completion{}
	if p.accept(lex.WAnd) {
		if c.Chain = "AND CHAIN"; p.accept(lex.WNo) {
			c.Chain = "AND NO CHAIN"
		}
		p.expect(lex.WChain)
	}
	switch {
	case p.accept(lex.WNo):
		p.expect(lex.WRelease)
		c.Release = "NO RELEASE"
	case c.Chain != "AND CHAIN" && p.accept(lex.WRelease):
		c.Release = "RELEASE"
	}
	return c
}

// commit takes COMMIT.
func commit(p *parser, t lex.Token) tree.Statement {
	p.accept(lex.WWork)
	n := &tree.Commit{Completion: chainRelease(p)}
	n.Span = p.from(t.Start)
	return n
}

// rollback takes ROLLBACK.
func rollback(p *parser, t lex.Token) tree.Statement {
	p.accept(lex.WWork)
	if p.accept(lex.WTo) {
		if p.isWord(lex.WSavepoint) && p.isName(1) {
			p.next()
		}
		name := p.ident()
		return &tree.RollbackTo{Span: p.from(t.Start), Name: name}
	}
	n := &tree.Rollback{Completion: chainRelease(p)}
	n.Span = p.from(t.Start)
	return n
}

// savepoint takes SAVEPOINT and RELEASE SAVEPOINT.
func savepoint(p *parser, t lex.Token) tree.Statement {
	if t.Word == lex.WRelease {
		p.expect(lex.WSavepoint)
		name := p.ident()
		return &tree.ReleaseSavepoint{Span: p.from(t.Start), Name: name}
	}
	name := p.ident()
	return &tree.Savepoint{Span: p.from(t.Start), Name: name}
}

// xa takes XA.
func xa(p *parser, t lex.Token) tree.Statement {
	w := p.acceptAny(lex.WStart, lex.WBegin, lex.WEnd, lex.WPrepare, lex.WCommit, lex.WRollback, lex.WRecover)
	n := &tree.XA{Verb: w.String()}
	switch w {
	case lex.NoWord:
		p.fail()
	case lex.WRecover:
		if p.accept(lex.WFormat) {
			p.expectKind('=')
			n.Suffix = xaFormat(p)
		}
	default:
		n.ID = xid(p)
	}
	switch w {
	case lex.WStart, lex.WBegin:
		n.Verb = "START"
		n.Suffix = optionalWord(p, lex.WJoin, lex.WResume)
	case lex.WEnd:
		if n.Suffix = optionalWord(p, lex.WSuspend); n.Suffix != "" && p.accept(lex.WFor) {
			p.expect(lex.WMigrate)
			n.Suffix = "SUSPEND FOR MIGRATE"
		}
	case lex.WCommit:
		if p.accept(lex.WOne) {
			p.expect(lex.WPhase)
			n.Suffix = "ONE PHASE"
		}
	}
	n.Span = p.from(t.Start)
	return n
}

// xaFormat takes how XA RECOVER shows names.
func xaFormat(p *parser) string {
	name := identOrText(p).Text
	switch lower(name) {
	case "raw":
		return "FORMAT = 'RAW'"
	case "sql":
		return "FORMAT = 'SQL'"
	}
	p.failWith(mysqlerr.New(mysqlerr.UnknownExplainFormat, "XA RECOVER", name))
	return ""
}

// optionalWord takes one of the words, or nothing.
func optionalWord(p *parser, words ...lex.Word) string {
	if w := p.acceptAny(words...); w != lex.NoWord {
		return w.String()
	}
	return ""
}

// xidPartMax is the length of each part of a name of XA, in bytes.
const xidPartMax = 64

func isLong(n *tree.XID) bool { return len(n.Global) > xidPartMax || len(n.Branch) > xidPartMax }

// xid takes the name of a transaction of XA.
func xid(p *parser) *tree.XID {
	start := p.start()
	n := &tree.XID{Global: plainText(p).Value}
	if p.acceptKind(',') {
		n.Branch = plainText(p).Value
		if p.acceptKind(',') {
			t := p.peek(0)
			n.Format = p.lx.Text(t)
			if unsignedOrHex(p) > math.MaxInt32 || isLong(n) {
				p.failAt(t)
			}
		}
	}
	n.Span = p.from(start)
	if isLong(n) {
		p.fail()
	}
	return n
}

// lockTables takes LOCK TABLES.
func lockTables(p *parser, t lex.Token) tree.Statement {
	tableWord(p)
	n := &tree.LockTables{Tables: list(p, lockedTable)}
	switch {
	case p.isWord(lex.WWait), p.isWord(lex.WNowait):
		n.Wait = lockWait(p)
	}
	n.Span = p.from(t.Start)
	return n
}

// tableWord takes TABLE or TABLES.
func tableWord(p *parser) {
	if p.acceptAny(lex.WTable, lex.WTables) == lex.NoWord {
		p.fail()
	}
}

func lockedTable(p *parser) *tree.LockedTable {
	start := p.start()
	n := &tree.LockedTable{Name: p.tableName(), Alias: tableAlias(p)}
	switch p.acceptAny(lex.WRead, lex.WWrite, lex.WLowPriority) {
	case lex.WRead:
		if n.Lock = "READ"; p.accept(lex.WLocal) {
			n.Lock = "READ LOCAL"
		}
	case lex.WWrite:
		if n.Lock = "WRITE"; p.accept(lex.WConcurrent) {
			n.Lock = "WRITE CONCURRENT"
		}
	case lex.WLowPriority:
		p.expect(lex.WWrite)
		n.Lock = "LOW_PRIORITY WRITE"
	default:
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

func unlockTables(p *parser, t lex.Token) tree.Statement {
	tableWord(p)
	return &tree.UnlockTables{Span: p.from(t.Start)}
}

func use(p *parser, t lex.Token) tree.Statement {
	name := p.ident()
	return &tree.Use{Span: p.from(t.Start), DB: name}
}

// prepare takes PREPARE.
func prepare(p *parser, t lex.Token) tree.Statement {
	n := &tree.Prepare{Name: p.ident()}
	p.expect(lex.WFrom)
	n.Text = expr(p)
	n.Span = p.from(t.Start)
	return n
}

// execute takes EXECUTE and EXECUTE IMMEDIATE.
func execute(p *parser, t lex.Token) tree.Statement {
	named := p.peek(1).Kind == lex.EOF || p.peek(1).Kind == ';' || p.peek(1).Word == lex.WUsing // a statement of the name IMMEDIATE
	if p.isWord(lex.WImmediate) && !named {
		p.next()
		n := &tree.ExecuteImmediate{Text: expr(p)}
		n.Using = usingValues(p)
		n.Span = p.from(t.Start)
		return n
	}
	n := &tree.Execute{Name: p.ident()}
	n.Using = usingValues(p)
	n.Span = p.from(t.Start)
	return n
}

// usingValues takes USING, if it is there.
func usingValues(p *parser) []tree.Expr {
	if !p.accept(lex.WUsing) {
		return nil
	}
	return list(p, exprOrDefault)
}

// deallocate takes DEALLOCATE PREPARE and DROP PREPARE.
func deallocate(p *parser, t lex.Token) tree.Statement {
	p.expect(lex.WPrepare)
	name := p.ident()
	return &tree.Deallocate{Span: p.from(t.Start), Name: name}
}

// isExplainable reports whether a statement follows from the i-th token on that can be explained.
func isExplainable(p *parser, i int) bool {
	switch t := p.peek(i); t.Word {
	case lex.WSelect, lex.WInsert, lex.WReplace, lex.WUpdate, lex.WDelete, lex.WWith, lex.WValues:
		return true
	default:
		return t.Kind == '('
	}
}

// explain takes EXPLAIN, DESCRIBE, and ANALYZE of a statement.
func explain(p *parser, t lex.Token) tree.Statement {
	n := &tree.Explain{Analyze: t.Word == lex.WAnalyze}
	switch w := p.peek(0).Word; {
	case !n.Analyze && (w == lex.WExtended || w == lex.WPartitions) && isExplainable(p, 1):
		n.Option = p.next().Word.String()
	case !n.Analyze && p.isWords(lex.WExtended, lex.WAll):
		p.expect(lex.WExtended, lex.WAll)
		if n.Option = "EXTENDED ALL"; !isExplainable(p, 0) {
			p.fail()
		}
	case w == lex.WFormat && (n.Analyze || p.peek(1).Kind == '='):
		p.next()
		p.expectKind('=')
		n.Format = explainFormat(p)
	}
	switch {
	case !n.Analyze && p.isWord(lex.WFor):
		p.expect(lex.WFor, lex.WConnection)
		id := expr(p)
		return &tree.ExplainConnection{Span: p.from(t.Start), Format: n.Format, ID: id}
	case isExplainable(p, 0):
		n.Statement = p.statement()
		n.Span = p.from(t.Start)
		return n
	case n.Analyze || n.Format != "":
		p.fail()
	}
	return describe(p, t.Start)
}

// describe takes the table that DESCRIBE describes.
func describe(p *parser, start int32) tree.Statement {
	n := &tree.Describe{Table: p.tableName()}
	switch {
	case p.is(lex.String):
		n.Like = plainText(p)
	case p.isName(0):
		name := p.ident()
		n.Column = &name
	}
	n.Span = p.from(start)
	return n
}
