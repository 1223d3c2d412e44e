package query

import (
	"strings"
	"time"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/syntax"
)

// comKind is the index of a Com_ counter.
type comKind int

const (
	comSelect comKind = iota
	comInsert
	comInsertSelect
	comUpdate
	comUpdateMulti
	comDelete
	comDeleteMulti
	comReplace
	comReplaceSelect
	comLoad
	comSet
	comCall
	comBegin
	comCommit
	comRollback
	comChangeDB
	comCreateTable
	comAlterTable
	comDropTable
	comRenameTable
	comTruncate
	comCreateIndex
	comDropIndex
	comCreateView
	comDropView
	comCreateDB
	comAlterDB
	comDropDB
	comLockTables
	comUnlockTables
	comFlush
	comKill
	comShowStatus
	comShowVariables
	comPrepareSQL
	comExecuteSQL
	comDeallocSQL
	comStmtPrepare
	comStmtExecute
	comStmtClose
	comCount
	comNone comKind = -1
)

var comNames = [comCount]string{
	comSelect: "Com_select", comInsert: "Com_insert", comInsertSelect: "Com_insert_select", comUpdate: "Com_update",
	comUpdateMulti: "Com_update_multi", comDelete: "Com_delete", comDeleteMulti: "Com_delete_multi", comReplace: "Com_replace",
	comReplaceSelect: "Com_replace_select", comLoad: "Com_load", comSet: "Com_set_option", comCall: "Com_call_procedure",
	comBegin: "Com_begin", comCommit: "Com_commit", comRollback: "Com_rollback", comChangeDB: "Com_change_db",
	comCreateTable: "Com_create_table", comAlterTable: "Com_alter_table", comDropTable: "Com_drop_table",
	comRenameTable: "Com_rename_table", comTruncate: "Com_truncate", comCreateIndex: "Com_create_index",
	comDropIndex: "Com_drop_index", comCreateView: "Com_create_view", comDropView: "Com_drop_view", comCreateDB: "Com_create_db",
	comAlterDB: "Com_alter_db", comDropDB: "Com_drop_db", comLockTables: "Com_lock_tables", comUnlockTables: "Com_unlock_tables",
	comFlush: "Com_flush", comKill: "Com_kill", comShowStatus: "Com_show_status", comShowVariables: "Com_show_variables",
	comPrepareSQL: "Com_prepare_sql", comExecuteSQL: "Com_execute_sql", comDeallocSQL: "Com_dealloc_sql",
	comStmtPrepare: "Com_stmt_prepare", comStmtExecute: "Com_stmt_execute", comStmtClose: "Com_stmt_close",
}

// question counts a statement that was parsed.
func (c *statusCounters) question(st *syntax.Statement) {
	c.questions.Add(1)
	k := comOf(st.AST)
	if k == comAlterTable { // which CREATE INDEX and DROP INDEX are to the parser
		switch first := dialect.Trim(st.Text, dialect.Mode{}); {
		case len(first) > 6 && strings.EqualFold(first[:6], "CREATE"):
			k = comCreateIndex
		case len(first) > 4 && strings.EqualFold(first[:4], "DROP"):
			k = comDropIndex
		}
	}
	if k != comNone {
		c.com[k].Add(1)
	}
}

// own counts a statement of the session's own.
func (c *statusCounters) own(st dialect.Statement) {
	c.questions.Add(1)
	if k := comOfOwn(st); k != comNone {
		c.com[k].Add(1)
	}
}

// comOfOwn is the counter of a statement of the session's own, comNone if it has none here.
func comOfOwn(st dialect.Statement) comKind {
	switch st.(type) {
	case dialect.StartTransaction:
		return comBegin
	case dialect.Commit:
		return comCommit
	case dialect.Rollback:
		return comRollback
	case dialect.SetTransaction, dialect.SetNames, dialect.SetCharacterSet, dialect.SetStatement, dialect.SetPassword:
		return comSet
	case dialect.LockTables:
		return comLockTables
	case dialect.UnlockTables:
		return comUnlockTables
	case dialect.Flush, dialect.FlushTables:
		return comFlush
	case dialect.Kill:
		return comKill
	case dialect.ShowStatus:
		return comShowStatus
	case dialect.ShowVariables:
		return comShowVariables
	case dialect.Prepare:
		return comPrepareSQL
	case dialect.Execute:
		return comExecuteSQL
	case dialect.Deallocate:
		return comDeallocSQL
	}
	return comNone
}

// comOf is the counter of a statement, comNone if it has none here.
func comOf(ast sqlparser.Statement) comKind {
	switch n := ast.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		return comSelect
	case *sqlparser.Insert:
		return comOfInsert(n)
	case *sqlparser.Update:
		if len(n.TableExprs) > 1 || joins(n.TableExprs) {
			return comUpdateMulti
		}
		return comUpdate
	case *sqlparser.Delete:
		if len(n.Targets) > 0 {
			return comDeleteMulti
		}
		return comDelete
	case *sqlparser.Load:
		return comLoad
	case *sqlparser.Set:
		return comSet
	case *sqlparser.Call:
		return comCall
	case *sqlparser.Use:
		return comChangeDB
	case *sqlparser.DBDDL:
		return map[string]comKind{sqlparser.CreateStr: comCreateDB, sqlparser.AlterStr: comAlterDB, sqlparser.DropStr: comDropDB}[n.Action]
	case *sqlparser.AlterTable:
		return comAlterTable
	case *sqlparser.DDL:
		return comOfDDL(n)
	}
	return comNone
}

func joins(tables sqlparser.TableExprs) bool {
	for _, t := range tables {
		if _, ok := t.(*sqlparser.JoinTableExpr); ok {
			return true
		}
	}
	return false
}

func comOfInsert(n *sqlparser.Insert) comKind {
	k := comInsert
	if n.Action == sqlparser.ReplaceStr {
		k = comReplace
	}
	if _, selects := n.Rows.(sqlparser.SelectStatement); selects {
		k++ // the one of its SELECT form
	}
	return k
}

func comOfDDL(n *sqlparser.DDL) comKind {
	switch {
	case n.ProcedureSpec != nil, n.TriggerSpec != nil, n.EventSpec != nil:
		return comNone
	case n.ViewSpec != nil:
		return comCreateView
	case len(n.FromViews) > 0:
		return comDropView
	}
	switch n.Action {
	case sqlparser.CreateStr:
		return comCreateTable
	case sqlparser.DropStr:
		return comDropTable
	case sqlparser.RenameStr:
		return comRenameTable
	case sqlparser.TruncateStr:
		return comTruncate
	}
	return comNone
}

// slow counts a command that has taken longer than long_query_time.
func slow(s *Session, took time.Duration) {
	if limit, _ := s.vars.Value(varLongQueryTime).(float64); took.Seconds() > limit {
		s.engine.status.add("Slow_queries", 1)
	}
}
