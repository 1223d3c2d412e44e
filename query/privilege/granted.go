package privilege

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

var parserTypes = map[sqlparser.PrivilegeType]Set{
	sqlparser.PrivilegeType_All: All &^ (Grant), sqlparser.PrivilegeType_Alter: Alter, sqlparser.PrivilegeType_AlterRoutine: AlterRoutine,
	sqlparser.PrivilegeType_Create: Create, sqlparser.PrivilegeType_CreateRole: CreateUser,
	sqlparser.PrivilegeType_CreateRoutine: CreateRoutine, sqlparser.PrivilegeType_CreateTablespace: CreateTablespace,
	sqlparser.PrivilegeType_CreateTemporaryTables: CreateTemporary, sqlparser.PrivilegeType_CreateUser: CreateUser,
	sqlparser.PrivilegeType_CreateView: CreateView, sqlparser.PrivilegeType_Delete: Delete, sqlparser.PrivilegeType_Drop: Drop,
	sqlparser.PrivilegeType_DropRole: CreateUser, sqlparser.PrivilegeType_Event: Event, sqlparser.PrivilegeType_Execute: Execute,
	sqlparser.PrivilegeType_File: File, sqlparser.PrivilegeType_GrantOption: Grant, sqlparser.PrivilegeType_Index: Index,
	sqlparser.PrivilegeType_Insert: Insert, sqlparser.PrivilegeType_LockTables: LockTables, sqlparser.PrivilegeType_Process: Process,
	sqlparser.PrivilegeType_References: References, sqlparser.PrivilegeType_Reload: Reload,
	sqlparser.PrivilegeType_ReplicationClient: BinlogMonitor, sqlparser.PrivilegeType_ReplicationSlave: ReplicationSlave,
	sqlparser.PrivilegeType_Select: Select, sqlparser.PrivilegeType_ShowDatabases: ShowDatabases,
	sqlparser.PrivilegeType_ShowView: ShowView, sqlparser.PrivilegeType_Shutdown: Shutdown, sqlparser.PrivilegeType_Super: Super,
	sqlparser.PrivilegeType_Trigger: Trigger, sqlparser.PrivilegeType_Update: Update, sqlparser.PrivilegeType_Usage: 0,
}

// granted is the privilege that a GRANT names. One that is not known counts as all.
func granted(p sqlparser.Privilege) Set {
	if p.Type == sqlparser.PrivilegeType_Dynamic {
		if s, ok := Named(strings.ToUpper(strings.ReplaceAll(p.DynamicName, "_", " "))); ok {
			return s
		}
		return All
	}
	s, ok := parserTypes[p.Type]
	if !ok {
		return All
	}
	return s
}
