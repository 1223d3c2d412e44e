package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/duramendb/duramen/query/privilege"
)

// holder is somebody's privileges: those that were granted at each level, without those of the levels above.
type holder interface {
	Global() privilege.Set
	Database(db string) privilege.Set
	Table(db, table string) privilege.Set
	Column(db, table, column string) privilege.Set
	Routine(db, routine string, function bool) privilege.Set
	// Within reports whether there is a privilege on some object in a database.
	Within(db string) bool
}

// granted is a holder over go-mysql-server's privilege set.
type granted struct{ set mysql_db.PrivilegeSet }

var theirPrivileges = [...]struct {
	theirs sql.PrivilegeType
	ours   privilege.Set
}{
	{sql.PrivilegeType_Select, privilege.Select}, {sql.PrivilegeType_Insert, privilege.Insert},
	{sql.PrivilegeType_Update, privilege.Update}, {sql.PrivilegeType_Delete, privilege.Delete},
	{sql.PrivilegeType_Create, privilege.Create}, {sql.PrivilegeType_Drop, privilege.Drop},
	{sql.PrivilegeType_Reload, privilege.Reload}, {sql.PrivilegeType_Shutdown, privilege.Shutdown},
	{sql.PrivilegeType_Process, privilege.Process}, {sql.PrivilegeType_File, privilege.File},
	{sql.PrivilegeType_GrantOption, privilege.Grant}, {sql.PrivilegeType_References, privilege.References},
	{sql.PrivilegeType_Index, privilege.Index}, {sql.PrivilegeType_Alter, privilege.Alter},
	{sql.PrivilegeType_ShowDB, privilege.ShowDatabases}, {sql.PrivilegeType_Super, privilege.Super},
	{sql.PrivilegeType_CreateTempTable, privilege.CreateTemporary}, {sql.PrivilegeType_LockTables, privilege.LockTables},
	{sql.PrivilegeType_Execute, privilege.Execute}, {sql.PrivilegeType_ReplicationSlave, privilege.ReplicationSlave},
	{sql.PrivilegeType_ReplicationClient, privilege.BinlogMonitor}, {sql.PrivilegeType_CreateView, privilege.CreateView},
	{sql.PrivilegeType_ShowView, privilege.ShowView}, {sql.PrivilegeType_CreateRoutine, privilege.CreateRoutine},
	{sql.PrivilegeType_AlterRoutine, privilege.AlterRoutine}, {sql.PrivilegeType_CreateUser, privilege.CreateUser},
	{sql.PrivilegeType_Event, privilege.Event}, {sql.PrivilegeType_Trigger, privilege.Trigger},
	{sql.PrivilegeType_CreateTablespace, privilege.CreateTablespace},
}

// ours translates what has says.
func ours(has func(...sql.PrivilegeType) bool) privilege.Set {
	var out privilege.Set
	for _, p := range theirPrivileges {
		if has(p.theirs) {
			out |= p.ours
		}
	}
	return out
}

// everythingStatic are the privileges of go-mysql-server's ALL PRIVILEGES; who has them has MariaDB's others, too.
const everythingStatic = privilege.Select | privilege.Insert | privilege.Update | privilege.Delete | privilege.Create | privilege.Drop |
	privilege.Reload | privilege.Shutdown | privilege.Process | privilege.File | privilege.Alter | privilege.Super |
	privilege.Execute | privilege.ReplicationSlave | privilege.BinlogMonitor | privilege.CreateUser | privilege.Trigger | privilege.Event

func (g granted) Global() privilege.Set {
	out := ours(g.set.Has)
	if out&everythingStatic == everythingStatic {
		return out | privilege.All&^privilege.Grant
	}
	(privilege.All &^ out).Each(func(p privilege.Set) {
		if g.set.HasDynamic(strings.ToLower(strings.ReplaceAll(p.String(), " ", "_"))) {
			out |= p
		}
	})
	return out
}

func (g granted) Database(db string) privilege.Set { return ours(g.set.Database(db).Has) }

func (g granted) Table(db, table string) privilege.Set {
	return ours(g.set.Database(db).Table(table).Has)
}

func (g granted) Column(db, table, column string) privilege.Set {
	return ours(g.set.Database(db).Table(table).Column(column).Has)
}

func (g granted) Routine(db, routine string, function bool) privilege.Set {
	return ours(g.set.Database(db).Routine(routine, !function).Has)
}

func (g granted) Within(db string) bool { return g.set.Database(db).HasPrivileges() }
