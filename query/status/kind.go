package status

import (
	"github.com/duramendb/duramen/query/dialect"
)

// Kind is the index of a Com_ counter.
type Kind int

const (
	Select Kind = iota
	Insert
	InsertSelect
	Update
	UpdateMulti
	Delete
	DeleteMulti
	Replace
	ReplaceSelect
	Load
	Set
	Call
	Begin
	Commit
	Rollback
	ChangeDB
	CreateTable
	AlterTable
	DropTable
	RenameTable
	Truncate
	CreateIndex
	DropIndex
	CreateView
	DropView
	CreateDB
	AlterDB
	DropDB
	LockTables
	UnlockTables
	Flush
	Kill
	ShowStatus
	ShowVariables
	PrepareSQL
	ExecuteSQL
	DeallocSQL
	StmtPrepare
	StmtExecute
	StmtClose
	kinds
	None Kind = -1
)

var names = [kinds]string{
	Select: "Com_select", Insert: "Com_insert", InsertSelect: "Com_insert_select", Update: "Com_update",
	UpdateMulti: "Com_update_multi", Delete: "Com_delete", DeleteMulti: "Com_delete_multi", Replace: "Com_replace",
	ReplaceSelect: "Com_replace_select", Load: "Com_load", Set: "Com_set_option", Call: "Com_call_procedure",
	Begin: "Com_begin", Commit: "Com_commit", Rollback: "Com_rollback", ChangeDB: "Com_change_db",
	CreateTable: "Com_create_table", AlterTable: "Com_alter_table", DropTable: "Com_drop_table",
	RenameTable: "Com_rename_table", Truncate: "Com_truncate", CreateIndex: "Com_create_index",
	DropIndex: "Com_drop_index", CreateView: "Com_create_view", DropView: "Com_drop_view", CreateDB: "Com_create_db",
	AlterDB: "Com_alter_db", DropDB: "Com_drop_db", LockTables: "Com_lock_tables", UnlockTables: "Com_unlock_tables",
	Flush: "Com_flush", Kill: "Com_kill", ShowStatus: "Com_show_status", ShowVariables: "Com_show_variables",
	PrepareSQL: "Com_prepare_sql", ExecuteSQL: "Com_execute_sql", DeallocSQL: "Com_dealloc_sql",
	StmtPrepare: "Com_stmt_prepare", StmtExecute: "Com_stmt_execute", StmtClose: "Com_stmt_close",
}

// Question counts a statement, by its kind unless that is None.
func (c *Counters) Question(k Kind) {
	c.questions.Add(1)
	if k != None {
		c.com[k].Add(1)
	}
}

// Own counts a statement of the server's own.
func (c *Counters) Own(st dialect.Statement) { c.Question(kindOf(st)) }

// kindOf is the counter of a statement of the session's own, None if it has none here.
func kindOf(st dialect.Statement) Kind {
	switch st.(type) {
	case dialect.StartTransaction:
		return Begin
	case dialect.Commit:
		return Commit
	case dialect.Rollback:
		return Rollback
	case dialect.SetTransaction, dialect.SetNames, dialect.SetCharacterSet, dialect.SetStatement, dialect.SetPassword:
		return Set
	case dialect.LockTables:
		return LockTables
	case dialect.UnlockTables:
		return UnlockTables
	case dialect.Flush, dialect.FlushTables:
		return Flush
	case dialect.Kill:
		return Kill
	case dialect.ShowStatus:
		return ShowStatus
	case dialect.ShowVariables:
		return ShowVariables
	case dialect.Prepare:
		return PrepareSQL
	case dialect.Execute:
		return ExecuteSQL
	case dialect.Deallocate:
		return DeallocSQL
	}
	return None
}
