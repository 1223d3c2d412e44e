package query

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
)

// stmtKind says how a statement deals with transactions.
type stmtKind byte

const (
	kindRead    stmtKind = iota // reads rows or metadata
	kindSession                 // needs no transaction: SET, USE, PREPARE ...
	kindWrite                   // INSERT, UPDATE, DELETE, REPLACE, LOAD DATA
	kindDDL                     // commits before and after itself
	kindControl                 // BEGIN, COMMIT, ROLLBACK, savepoints, LOCK TABLES: run by the session itself
	kindCall                    // CALL: its statements are classified one by one
)

// lockStrength is how the rows of one table are read.
type lockStrength byte

const (
	readSnapshot lockStrength = iota
	readLatest
	readShared
	readExclusive
)

// lockWait is what to do when a row is locked by somebody else.
type lockWait byte

const (
	waitDefault lockWait = iota
	waitNot
	waitSkip
)

// tableUse is a table that a statement names.
type tableUse struct {
	db, name string // db is "" for the session's current database
	strength lockStrength
	wait     lockWait
}

// statement is a parsed statement with what the session must know of it. It is
// immutable once made, and belongs to one session.
type statement struct {
	text   string // without surrounding space and comments; executable comments opened
	ast    sqlparser.Statement
	kind   stmtKind
	tables []tableUse
	// references are the tables in the FROM clause of a locking SELECT's outermost query block, one by one, and inner the
	// tables of the query blocks below it: only if a table is named more than once.
	references []reference
	inner      []tableUse
	// other is how tables that the statement does not name are read (below
	// views, by triggers and foreign keys).
	other lockStrength
	// locking says that rows are locked while reading, so that the statement
	// may have to run again and its result must be kept back until it is final.
	locking bool
	// temporary says that a DDL statement is about temporary tables only.
	temporary bool
	// waitSeconds is the n of FOR UPDATE WAIT n, -1 without.
	waitSeconds int
	// globals says that the text mentions @@global variables.
	globals bool
	// result says that the statement returns rows (by its syntax).
	result bool
	// before is a statement that runs ahead of this one in its transaction, and
	// logged the text of both for the log (CREATE OR REPLACE TABLE).
	before *statement
	logged string
	// needs are the privileges that it needs; nil before authorize has asked.
	needs *privilege.Needs
}

// classify fills in everything that follows from the syntax tree.
func classify(text string, ast sqlparser.Statement) *statement {
	st := &statement{text: text, ast: ast, waitSeconds: -1}
	st.globals = strings.Contains(text, "@@")
	switch n := ast.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		st.kind, st.result = kindRead, true
		st.addSelect(n.(sqlparser.SelectStatement))
		if s, ok := n.(*sqlparser.Select); ok {
			st.result = s.Into == nil
			st.refer(s)
		}
	case *sqlparser.Insert:
		st.kind, st.other = kindWrite, readShared
		st.result = len(n.Returning) > 0
		st.locking = true
		st.addSources(n.Rows, readLatest)
		st.add(n.Table, readExclusive, waitDefault)
	case *sqlparser.Update:
		st.kind, st.other, st.locking = kindWrite, readShared, true
		st.result = len(n.Returning) > 0
		st.addSources(n, readLatest)
		for _, t := range updateTargets(n) {
			st.add(t.table, readExclusive, waitDefault)
		}
	case *sqlparser.Delete:
		st.kind, st.other, st.locking = kindWrite, readShared, true
		st.result = len(n.Returning) > 0
		st.addSources(n, readLatest)
		for _, t := range deleteTargets(n) {
			st.add(t.table, readExclusive, waitDefault)
		}
	case *sqlparser.Load:
		st.kind, st.other, st.locking = kindWrite, readShared, true
		st.add(n.Table, readExclusive, waitDefault)
	case *sqlparser.Call:
		st.kind = kindCall
	case *sqlparser.DDL:
		st.kind = kindDDL
		st.addDDL(n)
	case *sqlparser.AlterTable:
		st.kind = kindDDL
		st.add(n.Table, readExclusive, waitDefault)
		for _, d := range n.Statements {
			st.addDDL(d)
		}
	case *sqlparser.DBDDL, *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole,
		*sqlparser.DropRole, *sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeRole, *sqlparser.RevokeProxy, *sqlparser.CreateSpatialRefSys:
		st.kind = kindDDL
	case *sqlparser.Analyze:
		st.kind, st.result = kindRead, true
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.Savepoint,
		*sqlparser.RollbackSavepoint, *sqlparser.ReleaseSavepoint, *sqlparser.LockTables, *sqlparser.UnlockTables:
		st.kind = kindControl
	case *sqlparser.Set, *sqlparser.Prepare, *sqlparser.Deallocate:
		st.kind = kindSession
		st.addSources(n, readSnapshot)
		if len(st.tables) > 0 {
			st.kind = kindRead
		}
	case *sqlparser.Use, *sqlparser.Kill, *sqlparser.Flush:
		st.kind = kindSession
	case *sqlparser.Execute:
		st.kind = kindCall // its statement is classified when it runs
	case *sqlparser.Explain:
		st.kind, st.result = kindRead, true
		st.addSources(n.Statement, readSnapshot)
	default:
		st.kind, st.result = kindRead, true
	}
	return st
}

// add notes a table; of several uses the strongest counts.
func (st *statement) add(t sqlparser.TableName, strength lockStrength, wait lockWait) {
	if t.Name.IsEmpty() || strings.EqualFold(t.Name.String(), "dual") {
		return
	}
	use := tableUse{db: t.DbQualifier.String(), name: t.Name.String(), strength: strength, wait: wait}
	for i := range st.tables {
		have := &st.tables[i]
		if strings.EqualFold(have.name, use.name) && strings.EqualFold(have.db, use.db) {
			if strength > have.strength {
				have.strength, have.wait = strength, wait
			}
			return
		}
	}
	st.tables = append(st.tables, use)
}

// addSources notes every table below node.
func (st *statement) addSources(node sqlparser.SQLNode, strength lockStrength) {
	if node == nil {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedTableExpr:
			if t, ok := n.Expr.(sqlparser.TableName); ok {
				st.add(t, strength, waitDefault)
			}
		case *sqlparser.Select:
			if n.Lock != nil && n.Lock.Type != "" {
				st.addSelectLock(n)
			}
		}
		return true, nil
	}, node)
}

// addSelect notes the tables of a query and how its lock clause wants them read.
func (st *statement) addSelect(s sqlparser.SelectStatement) { st.addSources(s, readSnapshot) }

// addSelectLock applies the lock clause of one query block to its own tables;
// those in its sub-queries have clauses of their own.
func (st *statement) addSelectLock(s *sqlparser.Select) {
	strength, _ := lockOf(s)
	st.locking, st.other = true, strength
	for _, r := range lockedTables(s) {
		st.add(r.table, r.strength, r.wait)
	}
}

func (st *statement) addDDL(d *sqlparser.DDL) {
	st.temporary = st.temporary || d.Temporary
	st.add(d.Table, readExclusive, waitDefault)
	for _, list := range []sqlparser.TableNames{d.FromTables, d.ToTables, d.FromViews} {
		for _, t := range list {
			st.add(t, readExclusive, waitDefault)
		}
	}
	if d.ViewSpec != nil {
		st.add(d.ViewSpec.ViewName, readExclusive, waitDefault)
	}
	if d.OptSelect != nil {
		st.addSources(d.OptSelect.Select, readLatest)
	}
	if d.OptLike != nil {
		for _, t := range d.OptLike.LikeTables {
			st.add(t, readShared, waitDefault)
		}
	}
}
