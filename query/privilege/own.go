package privilege

import "github.com/duramendb/duramen/query/dialect"

// OfStatement gives the needs of a statement that the session runs itself. ok is false for one that has no case here.
func OfStatement(st dialect.Statement) (n Needs, ok bool) {
	if n, ok = ofAccountStatement(st); ok {
		return n, true
	}
	if list, ok := ofSchema(st); ok {
		return Needs{List: list}, true
	}
	list, ok := ofServer(st)
	return Needs{List: list}, ok
}

// ofServer is about the server as a whole. Statements without needs ask where they run, or need none; a statement inside of them is asked
// for itself.
func ofServer(st dialect.Statement) (list []Need, ok bool) {
	var any Set
	switch st := st.(type) {
	case dialect.StartTransaction, dialect.Commit, dialect.Rollback, dialect.RollbackTo, dialect.Savepoint, dialect.ReleaseSavepoint,
		dialect.XA, dialect.UnlockTables, dialect.Prepare, dialect.Execute, dialect.ExecuteImmediate, dialect.Deallocate, dialect.Do,
		dialect.Help, dialect.CreateOrReplace, dialect.SetStatement, dialect.SetNames, dialect.SetCharacterSet,
		dialect.ShowEngines, dialect.ShowPlugins, dialect.ShowProfiles, dialect.ShowWarnings, dialect.ShowWarningCount,
		dialect.ShowVariables, dialect.ShowStatus:
		return nil, true
	case dialect.Kill: // of another's connection: CONNECTION ADMIN
		return nil, true
	case dialect.ShowProcesslist: // everybody's: PROCESS
		return nil, true
	case dialect.SetTransaction:
		if st.Scope != dialect.GlobalScope {
			return nil, true
		}
		any = Super
	case dialect.Flush, dialect.ResetMaster, dialect.ResetSlave, dialect.ResetQueryCache, dialect.Backup:
		any = Reload
	case dialect.Shutdown:
		any = Shutdown
	case dialect.PurgeBinaryLogs:
		any = Super | BinlogAdmin
	case dialect.Binlog:
		any = Super | BinlogReplay
	case dialect.ChangeMaster, dialect.StartSlave, dialect.StopSlave:
		any = Super | ReplicationSlaveAdmin
	case dialect.ShowMasterStatus, dialect.ShowBinaryLogs:
		any = Super | BinlogMonitor
	case dialect.ShowBinlogEvents:
		any = BinlogMonitor
	case dialect.ShowRelaylogEvents:
		any = SlaveMonitor
	case dialect.ShowDuramenClone: // everything that there is, with the passwords of accounts and the log
		return []Need{{On: Global, All: Select}, NeedGlobal(Reload), NeedGlobal(ReplicationSlave)}, true
	case dialect.ShowSlaveHosts:
		any = ReplicationMasterAdmin
	case dialect.ShowSlaveStatus:
		any = Super | SlaveMonitor
	case dialect.ShowEngine:
		any = Process
	default:
		return nil, false
	}
	return []Need{NeedGlobal(any)}, true
}

// ofSchema is about tables and what else is in databases.
func ofSchema(st dialect.Statement) (list []Need, ok bool) {
	switch st := st.(type) {
	case dialect.LockTables:
		for _, t := range st.Tables {
			list = append(list, Locking(TableName(t.Table))...)
		}
	case dialect.FlushTables:
		list = []Need{NeedGlobal(Reload)}
		if st.Lock != "" {
			for _, t := range st.Tables {
				list = append(list, Need{On: Database, DB: t.DB, Name: t.Name, All: LockTables}, NeedTable(TableName(t), Select))
			}
		}
	case dialect.MaintainTables:
		for _, t := range st.Tables {
			list = append(list, maintaining(st.Do, TableName(t)))
		}
	case dialect.ChecksumTables:
		for _, t := range st.Tables {
			list = append(list, NeedTable(TableName(t), Select))
		}
	case dialect.Handler:
		list = []Need{NeedTable(TableName(st.Table), Select)}
	case dialect.DropRoutine:
		list = []Need{NeedDatabase(st.Name.DB, AlterRoutine)}
	case dialect.AlterKeys:
		list = []Need{NeedTable(TableName(st.Table), Alter)}
	case dialect.Install:
		list = []Need{NeedTable(TableName{"mysql", "plugin"}, Insert)}
	case dialect.Uninstall:
		list = []Need{NeedTable(TableName{"mysql", "plugin"}, Delete)}
	case dialect.ShowColumns:
		list = Describing("", TableName(st.Table))
	case dialect.Describe:
		list = Describing("", TableName(st.Table))
	case dialect.ShowIndex:
		list = Describing("", TableName(st.Table))
	case dialect.ShowTables:
		list = ListingOf(st.DB, TableName{})
	case dialect.ShowTableStatus:
		list = ListingOf(st.DB, TableName{})
	case dialect.ShowTriggers:
		list = ListingOf(st.DB, TableName{})
	case dialect.ShowEvents:
		list = []Need{NeedDatabase(st.DB, Event)}
	case dialect.ShowCreateTable:
		list = ShowCreate("", TableName(st.Table))
	case dialect.ShowCreateView:
		list = ShowCreateView("", TableName(st.View))
	case dialect.ShowCreateEvent:
		list = []Need{NeedDatabase(st.Event.DB, Event)}
	case dialect.ShowCreateDatabase:
		list = AnyOnDatabase(st.DB, TableName{})
	case dialect.ShowCreateTrigger, dialect.ShowCreateProcedure: // they show what the user may see
	case dialect.ShowRoutines, dialect.ShowCollation, dialect.ShowOpenTables:
	default:
		return nil, false
	}
	return list, true
}

// maintaining is CHECK TABLE and its like.
func maintaining(do dialect.Maintenance, t TableName) Need {
	if do != dialect.Check {
		n := NeedTable(t, Select|Insert)
		n.ByColumn = true
		return n
	}
	n := NeedTable(t, 0)
	n.Any, n.ByColumn, n.Word = OnTable, true, "CHECK TABLE"
	return n
}
