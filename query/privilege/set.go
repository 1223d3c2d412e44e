package privilege

import "strings"

// Set is a set of MariaDB's privileges. The order of the bits is MariaDB's, which is the order in which
// its messages and SHOW GRANTS list them; mysql.global_priv shows them as this number. They are part of the
// form in which accounts are stored.
type Set uint64

// The privileges of MariaDB 10.11.
const (
	Select Set = 1 << iota
	Insert
	Update
	Delete
	Create
	Drop
	Reload
	Shutdown
	Process
	File
	Grant
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
	last
)

var names = [...]string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "GRANT",
	"REFERENCES", "INDEX", "ALTER", "SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE",
	"REPLICATION SLAVE", "BINLOG MONITOR", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "CREATE USER",
	"EVENT", "TRIGGER", "CREATE TABLESPACE", "DELETE HISTORY", "SET USER", "FEDERATED ADMIN", "CONNECTION ADMIN",
	"READ_ONLY ADMIN", "REPLICATION SLAVE ADMIN", "REPLICATION MASTER ADMIN", "BINLOG ADMIN", "BINLOG REPLAY", "SLAVE MONITOR",
}

// OnTable are the privileges that can be granted on one table.
const OnTable = Select | Insert | Update | Delete | Create | Drop | Grant | References | Index | Alter | CreateView |
	ShowView | Trigger | DeleteHistory

// OnColumn are those that can be granted on one column.
const OnColumn = Select | Insert | Update | References

// OnRoutine are those that can be granted on a procedure or function.
const OnRoutine = Execute | AlterRoutine | Grant

// OnDatabase are those that can be granted on a database.
const OnDatabase = OnTable | CreateTemporary | LockTables | Event | CreateRoutine | Execute | AlterRoutine

// All are all privileges.
const All = last - 1

// Has reports whether the set has all of q.
func (s Set) Has(q Set) bool { return s&q == q }

// Each calls f with every privilege of the set, in order.
func (s Set) Each(f func(Set)) {
	for p := Set(1); p < last; p <<= 1 {
		if s&p != 0 {
			f(p)
		}
	}
}

// String lists the set as MariaDB's messages do: "SELECT, INSERT".
func (s Set) String() string { return strings.Join(s.Names(), ", ") }

// Names are the names of the set's privileges, in order.
func (s Set) Names() []string {
	var out []string
	for i, name := range names {
		if s&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// byName finds a privilege by any name that GRANT takes.
var byName = func() map[string]Set {
	m := map[string]Set{
		"GRANT OPTION": Grant, "REPLICATION CLIENT": BinlogMonitor, "REPLICATION REPLICA": ReplicationSlave,
		"READ ONLY ADMIN": ReadOnlyAdmin, "REPLICATION REPLICA ADMIN": ReplicationSlaveAdmin, "REPLICA MONITOR": SlaveMonitor, "USAGE": 0,
	}
	for i, n := range names {
		if p := Set(1) << i; p != Grant { // messages have a shorter name for it
			m[n] = p
		}
	}
	return m
}()

// Named finds a privilege by its name in capitals, as GRANT takes it.
func Named(name string) (p Set, ok bool) {
	p, ok = byName[name]
	return p, ok
}
