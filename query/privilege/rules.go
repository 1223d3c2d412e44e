package privilege

// rules are the statements that the session runs itself, by their first words; the longest that fits
// counts. own is for those that need nothing, or that ask where they run: a statement inside of them is asked for
// itself.
var rules = map[string]rule{
	"BEGIN": own, "START TRANSACTION": own, "COMMIT": own, "ROLLBACK": own, "SAVEPOINT": own, "RELEASE": own, "XA": own,
	"UNLOCK": own, "PREPARE": own, "EXECUTE": own, "DEALLOCATE": own, "DROP PREPARE": own, "DO": own, "HELP": own,
	"CREATE OR REPLACE": own,
	"KILL":              own, // of another's connection: CONNECTION ADMIN, which it asks for itself

	"SET": own, "SET STATEMENT": own, "SET NAMES": own, "SET CHARACTER": own, "SET CHARSET": own,
	"SET TRANSACTION": own, "SET SESSION TRANSACTION": own, "SET LOCAL TRANSACTION": own,
	"SET GLOBAL TRANSACTION": on(Super),

	"FLUSH": on(Reload), "RESET": on(Reload), "BACKUP": on(Reload), "SHUTDOWN": on(Shutdown),
	"FLUSH TABLES": flushTables, "FLUSH TABLE": flushTables,
	"PURGE":  on(Super | BinlogAdmin),
	"BINLOG": on(Super | BinlogReplay),
	"CHANGE": on(Super | ReplicationSlaveAdmin), "START SLAVE": on(Super | ReplicationSlaveAdmin), "START REPLICA": on(Super | ReplicationSlaveAdmin),
	"START ALL": on(Super | ReplicationSlaveAdmin), "STOP": on(Super | ReplicationSlaveAdmin),
	"INSTALL":   func(*words) []Need { return []Need{onTable(TableName{"mysql", "plugin"}, Insert)} },
	"UNINSTALL": func(*words) []Need { return []Need{onTable(TableName{"mysql", "plugin"}, Delete)} },

	"LOCK TABLES": lockTables, "LOCK TABLE": lockTables,
	"CHECK": maintain(0), "CHECKSUM": maintain(Select), "ANALYZE": maintain(Select | Insert), "OPTIMIZE": maintain(Select | Insert),
	"REPAIR": maintain(Select | Insert), "HANDLER": maintain(Select),
	"ALTER TABLE": func(w *words) []Need {
		w.ifExists()
		t, _ := w.table()
		return []Need{onTable(t, Alter)}
	},
	"DESCRIBE": describe, "DESC": describe,

	"SHOW MASTER STATUS": on(Super | BinlogMonitor), "SHOW BINLOG STATUS": on(Super | BinlogMonitor),
	"SHOW BINARY LOG STATUS": on(Super | BinlogMonitor),
	"SHOW BINARY LOGS":       on(Super | BinlogMonitor), "SHOW MASTER LOGS": on(Super | BinlogMonitor),
	"SHOW BINLOG EVENTS": on(BinlogMonitor), "SHOW RELAYLOG": on(SlaveMonitor),
	"SHOW SLAVE HOSTS": on(ReplicationMasterAdmin), "SHOW REPLICA HOSTS": on(ReplicationMasterAdmin),
	"SHOW SLAVE": on(Super | SlaveMonitor), "SHOW REPLICA": on(Super | SlaveMonitor),
	"SHOW ALL SLAVES": on(Super | SlaveMonitor), "SHOW ALL REPLICAS": on(Super | SlaveMonitor),
	"SHOW ENGINE":  on(Process),
	"SHOW ENGINES": own, "SHOW STORAGE ENGINES": own, "SHOW PLUGINS": own, "SHOW PACKAGE": own, "SHOW OPEN TABLES": own,
	"SHOW PROFILES": own, "SHOW PROFILE": own, "SHOW WARNINGS": own, "SHOW ERRORS": own, "SHOW COUNT": own, "SHOW PRIVILEGES": own,
	"SHOW AUTHORS": own, "SHOW CONTRIBUTORS": own, "SHOW CHARACTER": own, "SHOW CHARSET": own, "SHOW COLLATION": own,
	"SHOW VARIABLES": own, "SHOW STATUS": own, "SHOW GLOBAL": own, "SHOW SESSION": own, "SHOW LOCAL": own,
	"SHOW PROCESSLIST": own, "SHOW FULL PROCESSLIST": own, // which shows everybody's to PROCESS only
	"SHOW DATABASES": own, "SHOW SCHEMAS": own, "SHOW PROCEDURE": own, "SHOW FUNCTION": own,
	"SHOW COLUMNS": showColumns, "SHOW FIELDS": showColumns, "SHOW FULL COLUMNS": showColumns, "SHOW FULL FIELDS": showColumns,
	"SHOW EXTENDED COLUMNS": showColumns, "SHOW EXTENDED FIELDS": showColumns,
	"SHOW INDEX": showColumns, "SHOW INDEXES": showColumns, "SHOW KEYS": showColumns,
	"SHOW TABLES": listing, "SHOW FULL TABLES": listing, "SHOW TABLE STATUS": listing, "SHOW TRIGGERS": listing,
	"SHOW EVENTS": func(w *words) []Need { return []Need{onDatabase(w.from(), Event)} },
	"SHOW CREATE TABLE": func(w *words) []Need {
		t, _ := w.table()
		return showCreate("", t)
	},
	"SHOW CREATE TRIGGER": own, "SHOW CREATE PROCEDURE": own, // which show what the user may see
	"SHOW CREATE EVENT": func(w *words) []Need {
		t, _ := w.table()
		return []Need{onDatabase(t.DB, Event)}
	},
	"SHOW CREATE VIEW": func(w *words) []Need {
		t, _ := w.table()
		return showCreateView("", t)
	},
	"SHOW CREATE DATABASE": showCreateDatabase, "SHOW CREATE SCHEMA": showCreateDatabase,
}

func own(*words) []Need { return nil }

// on is a statement that needs one of some global privileges.
func on(any Set) rule { return func(*words) []Need { return []Need{global(any)} } }

func (w *words) ifExists() {
	if w.accept("IF") {
		w.accept("NOT")
		w.accept("EXISTS")
	}
}

// from reads [FROM | IN] db.
func (w *words) from() string {
	if w.accept("FROM") || w.accept("IN") {
		return w.next().Text
	}
	return ""
}

func listing(w *words) []Need { return listingOf(w.from(), TableName{}) }

func showCreateDatabase(w *words) []Need {
	w.ifExists()
	return anyOnDatabase(w.next().Text, TableName{})
}

func describe(w *words) []Need {
	t, _ := w.table()
	return describing("", t)
}

func showColumns(w *words) []Need {
	if !w.accept("FROM") {
		w.accept("IN")
	}
	t, _ := w.table()
	if db := w.from(); db != "" {
		t.DB = db
	}
	return describing("", t)
}

// maintain is CHECK TABLE and its like.
func maintain(all Set) rule {
	return func(w *words) []Need {
		for w.accept("NO_WRITE_TO_BINLOG") || w.accept("LOCAL") {
		}
		if !w.accept("TABLES") {
			w.accept("TABLE")
		}
		var out []Need
		for _, t := range w.tables() {
			n := onTable(t, all)
			if all == 0 {
				n.Any, n.Word = OnTable, "CHECK TABLE"
			}
			out = append(out, n)
		}
		return out
	}
}

func lockTables(w *words) []Need {
	var n Needs
	c := collector{needs: &n}
	for _, t := range w.tables() {
		c.lock(t)
	}
	return n.List
}

// flushTables needs RELOAD, and with names and a lock what LOCK TABLES needs.
func flushTables(w *words) []Need {
	out := []Need{global(Reload)}
	if x := w.peek(); x.Text == "" || w.accept("WITH") || w.accept("FOR") {
		return out
	}
	names := w.tables()
	last := w.list[len(w.list)-1]
	if !last.Quoted && (equal(last, "LOCK") || equal(last, "EXPORT")) {
		for _, t := range names {
			out = append(out, Need{On: Database, DB: t.DB, Name: t.Name, All: LockTables}, onTable(t, Select))
		}
	}
	return out
}

func equal(w Word, keyword string) bool {
	return !w.Quoted && len(w.Text) == len(keyword) && w.is(keyword)
}
