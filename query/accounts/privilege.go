package accounts

import "strings"

// Priv is a set of privileges. The bits are MariaDB's, in the order in which SHOW GRANTS prints
// them; they are part of the stored form.
type Priv uint64

// The privileges.
const (
	Select Priv = 1 << iota
	Insert
	Update
	Delete
	Create
	Drop
	Reload
	Shutdown
	Process
	File
	GrantOption
	References
	Index
	Alter
	ShowDatabases
	Super
	CreateTemporary
	LockTables
	Execute
	ReplicationSlave
	BinlogMonitor
	CreateView
	ShowView
	CreateRoutine
	AlterRoutine
	CreateUser
	Event
	Trigger
	CreateTablespace
	DeleteHistory
	SetUser
	FederatedAdmin
	ConnectionAdmin
	ReadOnlyAdmin
	ReplicationSlaveAdmin
	ReplicationMasterAdmin
	BinlogAdmin
	BinlogReplay
	SlaveMonitor
	endOfPrivileges
)

// What can be granted at each level.
const (
	GlobalLevel = endOfPrivileges - 1
	DBLevel     = Select | Insert | Update | Delete | Create | Drop | GrantOption | References | Index | Alter |
		CreateTemporary | LockTables | Execute | CreateView | ShowView | CreateRoutine | AlterRoutine | Event |
		Trigger | DeleteHistory
	TableLevel = Select | Insert | Update | Delete | Create | Drop | GrantOption | References | Index | Alter |
		CreateView | ShowView | Trigger | DeleteHistory
	RoutineLevel = Execute | AlterRoutine | GrantOption
)

// names are the privileges' names, by bit.
var names = [...]string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "GRANT OPTION",
	"REFERENCES", "INDEX", "ALTER", "SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE",
	"REPLICATION SLAVE", "BINLOG MONITOR", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "CREATE USER",
	"EVENT", "TRIGGER", "CREATE TABLESPACE", "DELETE HISTORY", "SET USER", "FEDERATED ADMIN", "CONNECTION ADMIN",
	"READ_ONLY ADMIN", "REPLICATION SLAVE ADMIN", "REPLICATION MASTER ADMIN", "BINLOG ADMIN", "BINLOG REPLAY", "SLAVE MONITOR",
}

// byName finds a privilege by any name that GRANT takes.
var byName = func() map[string]Priv {
	m := map[string]Priv{
		"REPLICATION CLIENT": BinlogMonitor, "REPLICATION REPLICA": ReplicationSlave, "READ ONLY ADMIN": ReadOnlyAdmin,
		"REPLICATION REPLICA ADMIN": ReplicationSlaveAdmin, "REPLICA MONITOR": SlaveMonitor, "USAGE": 0,
	}
	for i, n := range names {
		m[n] = 1 << i
	}
	return m
}()

// Named finds a privilege by its name in capitals, as GRANT takes it.
func Named(name string) (p Priv, ok bool) {
	p, ok = byName[name]
	return p, ok
}

// Has reports whether p has all of q.
func (p Priv) Has(q Priv) bool { return p&q == q }

// Each calls f for every privilege of p, in MariaDB's order.
func (p Priv) Each(f func(one Priv, name string)) {
	for i, n := range names {
		if one := Priv(1) << i; p&one != 0 {
			f(one, n)
		}
	}
}

// list is p as GRANT lists it at a level: ALL PRIVILEGES, USAGE, or the names. GRANT OPTION is told
// at another place of the statement.
func (p Priv) list(level Priv) string {
	p &^= GrantOption
	switch p {
	case 0:
		return "USAGE"
	case level &^ GrantOption:
		return "ALL PRIVILEGES"
	}
	var b strings.Builder
	p.Each(func(_ Priv, name string) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	})
	return b.String()
}
