package own

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Parse reads the first statement of a text; next is where the text after it and its semicolon begins, in bytes. It yields nil without an
// error for a statement that is not among those that the server runs itself, of which it says no next. Errors are those of MariaDB's client
// protocol: 1064 with the place, or what refuses the statement.
func Parse(sql string, mode dialect.Mode) (st dialect.Statement, next int, err error) {
	return Of(source.New(sql, mode, nil))
}

// Of is Parse for a text that others look at as well.
func Of(from *source.Text) (st dialect.Statement, next int, err error) {
	sql, mode := from.SQL, from.Mode
	how := begins(sql, mode)
	if how == others {
		return nil, 0, nil
	}
	t, next, err := from.Statement()
	if err != nil {
		if st, next := addedShow(sql, mode); st != nil {
			return st, next, nil
		}
		if head, next, ok := beforeHistogram(from); ok {
			st, _, err = Parse(head, mode)
			return st, next, err
		}
		if how == perhaps { // somebody else says what is wrong with it
			err = nil
		}
		return nil, 0, err
	}
	if err := checkNames(t); err != nil {
		return nil, 0, err
	}
	st, err = text(sql).statement(t)
	if st == nil || err != nil {
		return nil, 0, err
	}
	return st, next, nil
}

// added are the words of statements that MariaDB 10.11 has not. SHOW BINARY LOG STATUS is what MySQL calls SHOW MASTER STATUS since 8.4: its dump
// programs ask for it. SHOW DURAMEN CLONE is our own.
var added = []struct {
	words []string
	value dialect.Statement
}{
	{[]string{"SHOW", "BINARY", "LOG", "STATUS"}, dialect.ShowMasterStatus{}},
	{[]string{"SHOW", "DURAMEN", "CLONE"}, dialect.ShowDuramenClone{}},
}

// addedShow recognises these; nil is none of them.
func addedShow(sql string, mode dialect.Mode) (st dialect.Statement, next int) {
	first, rest := dialect.Split(sql, mode)
	tokens := dialect.Tokens(first, mode, 5)
	for _, a := range added {
		if slices.EqualFunc(tokens, a.words, func(t dialect.Token, word string) bool { return t.Is(word) }) {
			return a.value, len(sql) - len(rest)
		}
	}
	return nil, 0
}

// beforeHistogram is what stands before UPDATE HISTOGRAM or DROP HISTOGRAM in an ANALYZE TABLE: MySQL's tools and tests write these, and there is
// nothing to do for them.
func beforeHistogram(from *source.Text) (head string, next int, ok bool) {
	sql, mode := from.SQL, from.Mode
	if word := dialect.Tokens(sql, mode, 1); len(word) == 0 || !word[0].Is("ANALYZE") || from.HoldTokens() != nil {
		return "", 0, false
	}
	first, rest := dialect.Split(sql, mode)
	words := dialect.Tokens(first, mode, 0)
	for i := 1; i+1 < len(words); i++ {
		if words[i+1].Is("HISTOGRAM") && (words[i].Is("UPDATE") || words[i].Is("DROP")) {
			return first[:words[i].Start], len(sql) - len(rest), true
		}
	}
	return "", 0, false
}

// text is that of a statement: parts of some values stay text.
type text string

// at is what stands at a place.
func (t text) at(s tree.Span) string { return string(t[s.Start:s.End]) }

// from is what stands from a part of a statement to its end.
func (t text) from(start tree.Node, statement tree.Span) string {
	return string(t[start.Place().Start:statement.End])
}

// after is what stands after the first word of a statement.
func (t text) after(word string, statement tree.Span) string {
	return strings.TrimLeft(t.at(statement)[len(word):], " \t\n\v\f\r")
}

// statement is the value of a tree; nil is what is not among ours. Each family returns nil for the trees of others.
func (t text) statement(s tree.Statement) (dialect.Statement, error) {
	for _, family := range [...]func(text, tree.Statement) (dialect.Statement, error){
		text.transaction, text.server, text.prepared, text.accounts, text.maintenance, text.replaced, text.dropped, text.replication, text.refused,
	} {
		if st, err := family(t, s); st != nil || err != nil {
			return st, err
		}
	}
	switch s := s.(type) {
	case *tree.Show:
		return t.show(s)
	case *tree.Set:
		return set(s)
	case *tree.SetStatement:
		return t.setStatement(s)
	}
	return nil, nil
}

// certainty says whether a statement is ours.
type certainty byte

const (
	others  certainty = iota
	perhaps           // what the grammar does not take is not ours
	ours              // unless its tree says otherwise
)

// begins tells by the first words of a text whether its statement is ours.
func begins(sql string, mode dialect.Mode) certainty {
	lx := lex.New(sql, mode.Lex(), nil)
	next := lx.Next
	switch first := next().Word; first {
	case lex.WShow:
		return isShow(next())
	case lex.WSet:
		return isSet(next)
	case lex.WDesc, lex.WDescribe:
		return ours
	case lex.WCreate:
		t := next()
		if t.Word == lex.WOr {
			next()
			if t = next(); isAccount(t) == others {
				return perhaps
			}
		}
		return isAccount(t)
	case lex.WDrop:
		t := next()
		switch t.Word {
		case lex.WPrepare:
			return ours
		case lex.WFunction, lex.WProcedure:
			return perhaps
		}
		return isAccount(t)
	case lex.WRename:
		return isAccount(next())
	case lex.WAlter:
		t := next()
		if t.Word == lex.WTable {
			return perhaps
		}
		return isAccount(t)
	default:
		if firstWords[first] {
			return ours
		}
	}
	return others
}

// firstWords are those of statements that are all ours, or become an error here.
var firstWords = map[lex.Word]bool{
	lex.WShutdown: true, lex.WGrant: true, lex.WRevoke: true, lex.WFlush: true, lex.WPurge: true, lex.WReset: true, lex.WKill: true,
	lex.WBegin: true, lex.WStart: true, lex.WCommit: true, lex.WRollback: true, lex.WSavepoint: true, lex.WRelease: true, lex.WLock: true,
	lex.WUnlock: true, lex.WCheck: true, lex.WAnalyze: true, lex.WOptimize: true, lex.WRepair: true, lex.WChecksum: true, lex.WPrepare: true,
	lex.WExecute: true, lex.WDeallocate: true, lex.WDo: true, lex.WXa: true, lex.WHelp: true, lex.WBackup: true, lex.WBinlog: true,
	lex.WInstall: true, lex.WUninstall: true, lex.WHandler: true, lex.WChange: true, lex.WStop: true,
}

// shown are the words that follow SHOW in the statements that are ours.
var shown = map[lex.Word]bool{
	lex.WMaster: true, lex.WBinlog: true, lex.WBinary: true, lex.WRelaylog: true, lex.WSlave: true, lex.WReplica: true, lex.WAll: true,
	lex.WEngines: true, lex.WStorage: true, lex.WEngine: true, lex.WPlugins: true, lex.WProfiles: true, lex.WProcesslist: true,
	lex.WWarnings: true, lex.WErrors: true, lex.WVariables: true, lex.WStatus: true, lex.WGlobal: true, lex.WSession: true, lex.WLocal: true,
	lex.WFull: true, lex.WColumns: true, lex.WFields: true, lex.WTables: true, lex.WTable: true, lex.WOpen: true, lex.WIndex: true,
	lex.WIndexes: true, lex.WKeys: true, lex.WCollation: true, lex.WTriggers: true, lex.WEvents: true, lex.WProcedure: true,
	lex.WFunction: true, lex.WPackage: true, lex.WCreate: true, lex.WGrants: true,
}

func isShow(t lex.Token) certainty {
	if shown[t.Word] || t.Kind == lex.Name && t.End-t.Start == int32(len("COUNT")) {
		return ours
	}
	if t.Kind == lex.Name && t.End-t.Start == int32(len("DURAMEN")) {
		return perhaps
	}
	return others
}

// isAccount tells whether what is created, changed or dropped are accounts.
func isAccount(t lex.Token) certainty {
	if t.Word == lex.WUser || t.Word == lex.WRole {
		return ours
	}
	return others
}

// notYet refuses what MariaDB has.
func notYet(what string) error { return mysqlerr.NotYet(what) }
