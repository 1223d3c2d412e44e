package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// definitionStatement takes a statement about definitions, or a compound statement.
func (p *parser) definitionStatement() tree.Statement {
	start := p.start()
	switch p.peek(0).Word {
	case lex.WCreate:
		p.next()
		return createStatement(p, start)
	case lex.WAlter:
		p.next()
		return alterStatement(p, start)
	case lex.WDrop:
		p.next()
		return dropStatement(p, start)
	case lex.WRename:
		p.next()
		return renameStatement(p, start)
	case lex.WTruncate:
		p.next()
		p.accept(lex.WTable)
		n := &tree.Truncate{Table: p.tableName(), Wait: waitClause(p)}
		n.Span = p.from(start)
		return n
	case lex.WSignal, lex.WResignal:
		return signal(p)
	case lex.WGet:
		return diagnostics(p)
	}
	return outerCompound(p)
}

// createStatement takes a statement after CREATE.
func createStatement(p *parser, start int32) tree.Statement {
	orReplace := p.accept(lex.WOr)
	if orReplace {
		p.expect(lex.WReplace)
	}
	switch p.peek(0).Word {
	case lex.WTable:
		return createTable(p, start, orReplace, false)
	case lex.WSequence:
		return createSequence(p, start, orReplace, false)
	case lex.WTemporary:
		p.next()
		if p.isWord(lex.WSequence) {
			return createSequence(p, start, orReplace, true)
		}
		if !p.isWord(lex.WTable) {
			p.fail()
		}
		return createTable(p, start, orReplace, true)
	case lex.WUnique, lex.WFulltext, lex.WSpatial, lex.WIndex:
		return createIndex(p, start, orReplace)
	case lex.WDatabase, lex.WSchema:
		return createDatabase(p, start, orReplace)
	case lex.WUser:
		return createUser(p, start, orReplace)
	case lex.WRole:
		return createRole(p, start, orReplace)
	case lex.WServer:
		return createServer(p, start, orReplace)
	}
	return createDefined(p, start, orReplace)
}

// createDefined takes what may have a definer: views, routines, triggers, events.
func createDefined(p *parser, start int32, orReplace bool) tree.Statement {
	v := &tree.View{OrReplace: orReplace, Algorithm: viewAlgorithm(p), Definer: definer(p)}
	switch w := p.peek(0).Word; {
	case w == lex.WSql, w == lex.WView, v.Algorithm != "":
		return view(p, start, v)
	case w == lex.WTrigger:
		return createTrigger(p, start, orReplace, v.Definer)
	case w == lex.WEvent:
		return createEvent(p, start, orReplace, v.Definer)
	case w == lex.WProcedure, w == lex.WFunction, w == lex.WAggregate:
		return createRoutine(p, start, orReplace, v.Definer)
	}
	p.fail()
	return nil
}

// alterStatement takes a statement after ALTER.
func alterStatement(p *parser, start int32) tree.Statement {
	if isAlterTable(p) {
		return alterTable(p, start)
	}
	switch p.peek(0).Word {
	case lex.WDatabase, lex.WSchema:
		return alterDatabase(p, start)
	case lex.WProcedure, lex.WFunction:
		return alterRoutine(p, start)
	case lex.WServer:
		return alterServer(p, start)
	case lex.WUser:
		return alterUser(p, start)
	case lex.WSequence:
		return alterSequence(p, start)
	}
	v := &tree.View{Alter: true, Algorithm: viewAlgorithm(p), Definer: definer(p)}
	switch w := p.peek(0).Word; {
	case w == lex.WSql, w == lex.WView, v.Algorithm != "":
		return view(p, start, v)
	case w == lex.WEvent:
		return alterEvent(p, start, v.Definer)
	}
	p.fail()
	return nil
}

// dropStatement takes a statement after DROP.
func dropStatement(p *parser, start int32) tree.Statement {
	n := &tree.Drop{Temporary: p.accept(lex.WTemporary)}
	switch w := p.peek(0).Word; {
	case w == lex.WTable, w == lex.WTables:
		p.next()
		n.What, n.IfExists, n.Names, n.Wait = "TABLE", ifExists(p), tables(p), waitClause(p)
		n.Behavior = behavior(p)
	case w == lex.WSequence:
		p.next()
		n.What, n.IfExists, n.Names = "SEQUENCE", ifExists(p), tables(p)
	case n.Temporary:
		p.fail()
	case w == lex.WIndex:
		return dropIndex(p, start)
	case w == lex.WUser, w == lex.WRole:
		return dropAccounts(p, start)
	default:
		dropObject(p, n)
	}
	n.Span = p.from(start)
	return n
}

// dropObject takes what is dropped in all other cases.
func dropObject(p *parser, n *tree.Drop) {
	w := p.peek(0).Word
	n.What = w.String()
	switch w {
	case lex.WView:
		p.next()
		n.IfExists, n.Names = ifExists(p), tables(p)
		n.Behavior = behavior(p)
	case lex.WDatabase, lex.WSchema:
		p.next()
		n.What, n.IfExists = "DATABASE", ifExists(p)
		n.Names = []*tree.TableName{oneName(p, p.ident)}
	case lex.WServer:
		p.next()
		n.IfExists = ifExists(p)
		n.Names = []*tree.TableName{oneName(p, func() tree.Ident { return identOrText(p) })}
	case lex.WProcedure, lex.WFunction:
		p.next()
		if p.routine != nil {
			p.failWith(mysqlerr.New(mysqlerr.SPNoDropSP, w))
		}
		n.IfExists = ifExists(p)
		n.Names = []*tree.TableName{routineName(p)}
	case lex.WTrigger, lex.WEvent:
		p.next()
		n.IfExists = ifExists(p)
		n.Names = []*tree.TableName{routineName(p)}
	default:
		p.fail()
	}
}

// oneName makes the name of an object that is in no database.
func oneName(p *parser, f func() tree.Ident) *tree.TableName {
	name := f()
	return &tree.TableName{Span: name.Span, Name: name}
}

// renameStatement takes a statement after RENAME.
func renameStatement(p *parser, start int32) tree.Statement {
	if p.isWord(lex.WUser) {
		return renameUsers(p, start)
	}
	tableOrTables(p)
	n := &tree.RenameTables{IfExists: ifExists(p)}
	n.Pairs = commas(p, func() *tree.RenamePair {
		start := p.start()
		pair := &tree.RenamePair{Old: p.tableName(), Wait: waitClause(p)}
		p.expect(lex.WTo)
		pair.New = p.tableName()
		pair.Span = p.from(start)
		return pair
	})
	n.Span = p.from(start)
	return n
}
