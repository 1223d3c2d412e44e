package needs

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
)

var parserTypes = map[sqlparser.PrivilegeType]privilege.Set{
	sqlparser.PrivilegeType_All: privilege.All &^ (privilege.Grant), sqlparser.PrivilegeType_Alter: privilege.Alter, sqlparser.PrivilegeType_AlterRoutine: privilege.AlterRoutine,
	sqlparser.PrivilegeType_Create: privilege.Create, sqlparser.PrivilegeType_CreateRole: privilege.CreateUser,
	sqlparser.PrivilegeType_CreateRoutine: privilege.CreateRoutine, sqlparser.PrivilegeType_CreateTablespace: privilege.CreateTablespace,
	sqlparser.PrivilegeType_CreateTemporaryTables: privilege.CreateTemporary, sqlparser.PrivilegeType_CreateUser: privilege.CreateUser,
	sqlparser.PrivilegeType_CreateView: privilege.CreateView, sqlparser.PrivilegeType_Delete: privilege.Delete, sqlparser.PrivilegeType_Drop: privilege.Drop,
	sqlparser.PrivilegeType_DropRole: privilege.CreateUser, sqlparser.PrivilegeType_Event: privilege.Event, sqlparser.PrivilegeType_Execute: privilege.Execute,
	sqlparser.PrivilegeType_File: privilege.File, sqlparser.PrivilegeType_GrantOption: privilege.Grant, sqlparser.PrivilegeType_Index: privilege.Index,
	sqlparser.PrivilegeType_Insert: privilege.Insert, sqlparser.PrivilegeType_LockTables: privilege.LockTables, sqlparser.PrivilegeType_Process: privilege.Process,
	sqlparser.PrivilegeType_References: privilege.References, sqlparser.PrivilegeType_Reload: privilege.Reload,
	sqlparser.PrivilegeType_ReplicationClient: privilege.BinlogMonitor, sqlparser.PrivilegeType_ReplicationSlave: privilege.ReplicationSlave,
	sqlparser.PrivilegeType_Select: privilege.Select, sqlparser.PrivilegeType_ShowDatabases: privilege.ShowDatabases,
	sqlparser.PrivilegeType_ShowView: privilege.ShowView, sqlparser.PrivilegeType_Shutdown: privilege.Shutdown, sqlparser.PrivilegeType_Super: privilege.Super,
	sqlparser.PrivilegeType_Trigger: privilege.Trigger, sqlparser.PrivilegeType_Update: privilege.Update, sqlparser.PrivilegeType_Usage: 0,
}

// granted is the privilege that a GRANT names. One that is not known counts as all.
func granted(p sqlparser.Privilege) privilege.Set {
	if p.Type == sqlparser.PrivilegeType_Dynamic {
		if s, ok := privilege.Named(strings.ToUpper(strings.ReplaceAll(p.DynamicName, "_", " "))); ok {
			return s
		}
		return privilege.All
	}
	s, ok := parserTypes[p.Type]
	if !ok {
		return privilege.All
	}
	return s
}
