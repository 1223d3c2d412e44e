// Package syntax classifies statements by the trees that go-mysql-server's parser makes of them.
package syntax

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
)

// Statement is a parsed statement with what the session must know of it. It is
// immutable once made, and belongs to one session.
type Statement struct {
	statement.Statement
	AST sqlparser.Statement
	// References are the tables in the FROM clause of a locking SELECT's outermost query block, one by one, and inner the
	// tables of the query blocks below it: only if a table is named more than once.
	References []reference
	Inner      []statement.Use
	// Globals says that the text mentions @@global variables.
	Globals bool
	// Before is a statement that runs ahead of this one in its transaction, and
	// Logged the text of both for the log (CREATE OR REPLACE TABLE).
	Before *Statement
	Logged string
	// Needs are the privileges that it needs; nil before authorize has asked.
	Needs *privilege.Needs
}

// Classify fills in everything that follows from the syntax tree.
func Classify(text string, ast sqlparser.Statement) *Statement {
	st := &Statement{Statement: statement.Statement{Text: text, WaitSeconds: -1}, AST: ast}
	st.Globals = strings.Contains(text, "@@")
	switch n := ast.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		st.Kind, st.Result = statement.Read, true
		st.addSelect(n.(sqlparser.SelectStatement))
		if s, ok := n.(*sqlparser.Select); ok {
			st.Result = s.Into == nil
			st.refer(s)
		}
	case *sqlparser.Insert:
		st.Kind, st.Other = statement.Write, statement.Shared
		st.Result = len(n.Returning) > 0
		st.Locking = true
		st.addSources(n.Rows, statement.Latest)
		st.add(n.Table, statement.Exclusive, statement.WaitForLock)
	case *sqlparser.Update:
		st.Kind, st.Other, st.Locking = statement.Write, statement.Shared, true
		st.Result = len(n.Returning) > 0
		st.addSources(n, statement.Latest)
		for _, t := range updateTargets(n) {
			st.add(t.table, statement.Exclusive, statement.WaitForLock)
		}
	case *sqlparser.Delete:
		st.Kind, st.Other, st.Locking = statement.Write, statement.Shared, true
		st.Result = len(n.Returning) > 0
		st.addSources(n, statement.Latest)
		for _, t := range deleteTargets(n) {
			st.add(t.table, statement.Exclusive, statement.WaitForLock)
		}
	case *sqlparser.Load:
		st.Kind, st.Other, st.Locking = statement.Write, statement.Shared, true
		st.add(n.Table, statement.Exclusive, statement.WaitForLock)
	case *sqlparser.Call:
		st.Kind = statement.Call
	case *sqlparser.DDL:
		st.Kind = statement.Definition
		st.addDDL(n)
	case *sqlparser.AlterTable:
		st.Kind = statement.Definition
		st.add(n.Table, statement.Exclusive, statement.WaitForLock)
		for _, d := range n.Statements {
			st.addDDL(d)
		}
	case *sqlparser.DBDDL, *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole,
		*sqlparser.DropRole, *sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeRole, *sqlparser.RevokeProxy, *sqlparser.CreateSpatialRefSys:
		st.Kind = statement.Definition
	case *sqlparser.Analyze:
		st.Kind, st.Result = statement.Read, true
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.Savepoint,
		*sqlparser.RollbackSavepoint, *sqlparser.ReleaseSavepoint, *sqlparser.LockTables, *sqlparser.UnlockTables:
		st.Kind = statement.Control
	case *sqlparser.Set, *sqlparser.Prepare, *sqlparser.Deallocate:
		st.Kind = statement.Session
		st.addSources(n, statement.Snapshot)
		if len(st.Tables) > 0 {
			st.Kind = statement.Read
		}
	case *sqlparser.Use, *sqlparser.Kill, *sqlparser.Flush:
		st.Kind = statement.Session
	case *sqlparser.Execute:
		st.Kind = statement.Call // its statement is classified when it runs
	case *sqlparser.Explain:
		st.Kind, st.Result = statement.Read, true
		st.addSources(n.Statement, statement.Snapshot)
	default:
		st.Kind, st.Result = statement.Read, true
	}
	return st
}

// add notes a table; of several uses the strongest counts.
func (st *Statement) add(t sqlparser.TableName, strength statement.Strength, wait statement.Wait) {
	if t.Name.IsEmpty() || strings.EqualFold(t.Name.String(), "dual") {
		return
	}
	use := statement.Use{DB: t.DbQualifier.String(), Name: t.Name.String(), Strength: strength, Wait: wait}
	for i := range st.Tables {
		have := &st.Tables[i]
		if strings.EqualFold(have.Name, use.Name) && strings.EqualFold(have.DB, use.DB) {
			if strength > have.Strength {
				have.Strength, have.Wait = strength, wait
			}
			return
		}
	}
	st.Tables = append(st.Tables, use)
}

// addSources notes every table below node.
func (st *Statement) addSources(node sqlparser.SQLNode, strength statement.Strength) {
	if node == nil {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedTableExpr:
			if t, ok := n.Expr.(sqlparser.TableName); ok {
				st.add(t, strength, statement.WaitForLock)
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
func (st *Statement) addSelect(s sqlparser.SelectStatement) { st.addSources(s, statement.Snapshot) }

// addSelectLock applies the lock clause of one query block to its own tables;
// those in its sub-queries have clauses of their own.
func (st *Statement) addSelectLock(s *sqlparser.Select) {
	strength, _ := lockOf(s)
	st.Locking, st.Other = true, strength
	for _, r := range lockedTables(s) {
		st.add(r.table, r.Strength, r.Wait)
	}
}

func (st *Statement) addDDL(d *sqlparser.DDL) {
	st.Temporary = st.Temporary || d.Temporary
	st.add(d.Table, statement.Exclusive, statement.WaitForLock)
	for _, list := range []sqlparser.TableNames{d.FromTables, d.ToTables, d.FromViews} {
		for _, t := range list {
			st.add(t, statement.Exclusive, statement.WaitForLock)
		}
	}
	if d.ViewSpec != nil {
		st.add(d.ViewSpec.ViewName, statement.Exclusive, statement.WaitForLock)
	}
	if d.OptSelect != nil {
		st.addSources(d.OptSelect.Select, statement.Latest)
	}
	if d.OptLike != nil {
		for _, t := range d.OptLike.LikeTables {
			st.add(t, statement.Shared, statement.WaitForLock)
		}
	}
}
