package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// rowStatement takes a statement that reads or changes rows, or the session.
func (p *parser) rowStatement() tree.Statement {
	if isQueryWord(p) || p.is('(') {
		return query(p, true)
	}
	t := p.peek(0)
	after := p.peek(1).Word
	switch t.Word {
	case lex.WStart:
		if after == lex.WSlave || after == lex.WReplica || after == lex.WAll {
			return nil
		}
	case lex.WBegin:
		if after == lex.WNot {
			return nil
		}
	case lex.WLoad:
		if after == lex.WIndex {
			return nil
		}
	case lex.WAnalyze:
		if after == lex.WTable || after == lex.WTables || after == lex.WLocal || after == lex.WNoWriteToBinlog {
			return nil
		}
	case lex.WDrop:
		if after != lex.WPrepare {
			return nil
		}
	}
	if take, ok := rowStatements[t.Word]; ok {
		p.next()
		return take(p, t)
	}
	return nil
}

// rowStatements take statements from behind their first word on.
var rowStatements map[lex.Word]func(p *parser, t lex.Token) tree.Statement

func init() {
	rowStatements = map[lex.Word]func(p *parser, t lex.Token) tree.Statement{
		lex.WInsert: insert, lex.WReplace: insert, lex.WUpdate: update, lex.WDelete: deleteRows, lex.WLoad: load, lex.WCall: callRoutine, lex.WDo: do,
		lex.WHandler: handler, lex.WSet: set, lex.WStart: startTransaction, lex.WBegin: begin, lex.WCommit: commit, lex.WRollback: rollback,
		lex.WSavepoint: savepoint, lex.WRelease: savepoint, lex.WXa: xa, lex.WLock: lockTables, lex.WUnlock: unlockTables, lex.WUse: use,
		lex.WPrepare: prepare, lex.WExecute: execute, lex.WDeallocate: deallocate, lex.WDrop: deallocate,
		lex.WExplain: explain, lex.WDescribe: explain, lex.WDesc: explain, lex.WAnalyze: explain,
	}
}
