package facts

import "github.com/duramendb/duramen/query/dialect/tree"

// Kind is what a statement does, as far as its first words tell.
type Kind uint8

// The kinds. None is of no statement.
const (
	None Kind = iota
	Select
	Insert
	Replace
	Update
	Delete
	Load
	Call
	Do
	Handler
	Set
	Transaction // BEGIN, COMMIT, ROLLBACK, savepoints, XA
	Lock        // LOCK TABLES and UNLOCK TABLES
	ChangeDB
	Prepare // PREPARE, EXECUTE, EXECUTE IMMEDIATE, DEALLOCATE
	Explain
	Show
	Definition // of tables, views, sequences, databases, servers
	Program    // definitions of routines, triggers and events
	Account    // users, roles and what they may do
	Maintenance
	Replication
	Server      // FLUSH, KILL, SHUTDOWN, plugins ...
	Diagnostics // SIGNAL, RESIGNAL, GET DIAGNOSTICS
	Compound    // BEGIN NOT ATOMIC and statements of programs
	Nothing     // comments
)

func (k Kind) String() string {
	return [...]string{"none", "select", "insert", "replace", "update", "delete", "load", "call", "do", "handler", "set", "transaction", "lock",
		"change database", "prepare", "explain", "show", "definition", "program", "account", "maintenance", "replication", "server", "diagnostics",
		"compound", "nothing"}[k]
}

// kindOf is the kind of a statement. SET STATEMENT is what it sets variables for.
func kindOf(s tree.Statement) Kind {
	switch n := s.(type) {
	case tree.Query:
		return Select
	case *tree.Insert:
		if n.Replace {
			return Replace
		}
		return Insert
	case *tree.Update:
		return Update
	case *tree.Delete:
		return Delete
	case *tree.Load:
		return Load
	case *tree.CallRoutine:
		return Call
	case *tree.Do:
		return Do
	case *tree.HandlerOpen, *tree.HandlerClose, *tree.HandlerRead:
		return Handler
	case *tree.SetStatement:
		return kindOf(n.Statement)
	case *tree.Use:
		return ChangeDB
	case *tree.Set:
		return Set
	case *tree.Prepare, *tree.Execute, *tree.ExecuteImmediate, *tree.Deallocate:
		return Prepare
	case *tree.Explain, *tree.ExplainConnection:
		return Explain
	case *tree.Show, *tree.Describe, *tree.Help:
		return Show
	case *tree.Begin, *tree.Commit, *tree.Rollback, *tree.RollbackTo, *tree.Savepoint, *tree.ReleaseSavepoint, *tree.XA:
		return Transaction
	case *tree.LockTables, *tree.UnlockTables:
		return Lock
	}
	return kindOfOther(s)
}

// kindOfOther is the kind of a statement that does not deal with rows.
func kindOfOther(s tree.Statement) Kind {
	switch n := s.(type) {
	case *tree.Drop:
		switch n.What {
		case "PROCEDURE", "FUNCTION", "PACKAGE", "PACKAGE BODY", "TRIGGER", "EVENT":
			return Program
		}
		return Definition
	case *tree.CreateTable, *tree.CreateDatabase, *tree.AlterDatabase, *tree.AlterTable, *tree.RenameTables, *tree.Truncate, *tree.CreateIndex,
		*tree.DropIndex, *tree.View, *tree.Sequence, *tree.ForeignServer:
		return Definition
	case *tree.CreateRoutine, *tree.AlterRoutine, *tree.CreateLibraryFunction, *tree.CreateTrigger, *tree.Event:
		return Program
	case *tree.Users, *tree.CreateRole, *tree.DropAccounts, *tree.RenameUsers, *tree.Grant, *tree.RevokeAll, *tree.GrantProxy, *tree.GrantRole:
		return Account
	case *tree.Maintain, *tree.KeyCache:
		return Maintenance
	case *tree.ChangeMaster, *tree.Replica, *tree.BinlogEvent, *tree.Reset, *tree.Purge:
		return Replication
	case *tree.Flush, *tree.Kill, *tree.Backup, *tree.Plugin, *tree.Shutdown:
		return Server
	case *tree.Signal, *tree.Diagnostics:
		return Diagnostics
	case *tree.Empty:
		return Nothing
	case *tree.Block, *tree.If, *tree.Case, *tree.Loop, *tree.For, *tree.Jump, *tree.Return, *tree.OpenCursor, *tree.FetchCursor, *tree.CloseCursor:
		return Compound
	}
	return None
}
