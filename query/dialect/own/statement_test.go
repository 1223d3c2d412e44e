package own

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
)

// forms are statements with their values and what these print; "" where that is the text itself.
var forms = []struct {
	sql   string
	value dialect.Statement
	print string
}{
	{"shutdown", dialect.Shutdown{}, "SHUTDOWN"},
	{"shutdown wait for all replicas", dialect.Shutdown{WaitForReplicas: true}, "SHUTDOWN WAIT FOR ALL SLAVES"},

	{"SHOW MASTER STATUS", dialect.ShowMasterStatus{}, ""},
	{"show binlog status", dialect.ShowMasterStatus{}, "SHOW MASTER STATUS"},
	{"show Binary log status", dialect.ShowMasterStatus{}, "SHOW MASTER STATUS"},
	{"SHOW BINARY LOGS", dialect.ShowBinaryLogs{}, ""},
	{"SHOW MASTER LOGS", dialect.ShowBinaryLogs{}, "SHOW BINARY LOGS"},
	{"SHOW BINLOG EVENTS", dialect.ShowBinlogEvents{LogEvents: dialect.LogEvents{From: 4}}, ""},
	{"SHOW BINLOG EVENTS IN 'log.1' FROM 100 LIMIT 5", dialect.ShowBinlogEvents{LogEvents: dialect.LogEvents{File: "log.1", From: 100, Limit: dialect.Limit{Given: true, Offset: 0, Count: 5}}},
		"SHOW BINLOG EVENTS IN 'log.1' FROM 100 LIMIT 0, 5"},
	{"SHOW BINLOG EVENTS LIMIT 2, 3", dialect.ShowBinlogEvents{LogEvents: dialect.LogEvents{From: 4, Limit: dialect.Limit{Given: true, Offset: 2, Count: 3}}}, ""},
	{"SHOW BINLOG EVENTS LIMIT 3 OFFSET 2", dialect.ShowBinlogEvents{LogEvents: dialect.LogEvents{From: 4, Limit: dialect.Limit{Given: true, Offset: 2, Count: 3}}}, "SHOW BINLOG EVENTS LIMIT 2, 3"},
	{"SHOW RELAYLOG EVENTS FROM 0", dialect.ShowRelaylogEvents{LogEvents: dialect.LogEvents{}}, ""},
	{"show relaylog 'c' events in 'f'", dialect.ShowRelaylogEvents{Connection: dialect.Connection{Given: true, Name: "c"}, LogEvents: dialect.LogEvents{File: "f", From: 4}}, "SHOW RELAYLOG 'c' EVENTS IN 'f'"},
	{"SHOW RELAYLOG EVENTS FROM 9 FOR CHANNEL 'c'", dialect.ShowRelaylogEvents{Connection: dialect.Connection{Given: true, Name: "c"}, LogEvents: dialect.LogEvents{From: 9}}, "SHOW RELAYLOG 'c' EVENTS FROM 9"},
	{"SHOW DURAMEN CLONE", dialect.ShowDuramenClone{}, ""},
	{"show duramen /* all */ clone", dialect.ShowDuramenClone{}, "SHOW DURAMEN CLONE"},
	{"SHOW SLAVE HOSTS", dialect.ShowSlaveHosts{}, ""},
	{"SHOW REPLICA HOSTS", dialect.ShowSlaveHosts{}, "SHOW SLAVE HOSTS"},
	{"SHOW SLAVE STATUS", dialect.ShowSlaveStatus{}, ""},
	{"SHOW REPLICA 'c''d' STATUS", dialect.ShowSlaveStatus{Connection: dialect.Connection{Given: true, Name: "c'd"}}, "SHOW SLAVE 'c''d' STATUS"},
	{"SHOW ALL REPLICAS STATUS", dialect.ShowSlaveStatus{All: true}, "SHOW ALL SLAVES STATUS"},
	{"SHOW STORAGE ENGINES", dialect.ShowEngines{}, "SHOW ENGINES"},
	{"SHOW ENGINE innodb STATUS", dialect.ShowEngine{Engine: "innodb", What: "STATUS"}, "SHOW ENGINE `innodb` STATUS"},
	{"SHOW ENGINE 'x' mutex", dialect.ShowEngine{Engine: "x", What: "MUTEX"}, "SHOW ENGINE `x` MUTEX"},
	{"SHOW ENGINE ALL LOGS", dialect.ShowEngine{Engine: "", What: "LOGS"}, ""},
	{"SHOW PLUGINS", dialect.ShowPlugins{}, ""},
	{"SHOW PROFILES", dialect.ShowProfiles{}, ""},
	{"SHOW PROCESSLIST", dialect.ShowProcesslist{}, ""},
	{"SHOW FULL PROCESSLIST", dialect.ShowProcesslist{Full: true}, ""},
	{"SHOW WARNINGS", dialect.ShowWarnings{}, ""},
	{"SHOW ERRORS LIMIT 1, 2", dialect.ShowWarnings{ErrorsOnly: true, Limit: dialect.Limit{Given: true, Offset: 1, Count: 2}}, ""},
	{"SHOW COUNT(*) WARNINGS", dialect.ShowWarningCount{}, ""},
	{"SHOW COUNT( * ) ERRORS", dialect.ShowWarningCount{ErrorsOnly: true}, "SHOW COUNT(*) ERRORS"},
	{"SHOW VARIABLES", dialect.ShowVariables{}, ""},
	{"SHOW SESSION VARIABLES LIKE 'a%'", dialect.ShowVariables{Filter: dialect.Filter{Like: "a%"}}, "SHOW VARIABLES LIKE 'a%'"},
	{"SHOW LOCAL STATUS WHERE (Value) > 1 -- why", dialect.ShowStatus{Filter: dialect.Filter{Where: "(Value) > 1"}}, "SHOW STATUS WHERE (Value) > 1"},
	{`SHOW GLOBAL STATUS LIKE 'a\_\\b'`, dialect.ShowStatus{Global: true, Filter: dialect.Filter{Like: `a\_\b`}}, `SHOW GLOBAL STATUS LIKE 'a\\_\\b'`},
	{"SHOW VARIABLES LIKE ''", dialect.ShowVariables{}, "SHOW VARIABLES"},
	{"SHOW COLUMNS FROM t", dialect.ShowColumns{Table: dialect.TableName{DB: "", Name: "t"}}, "SHOW COLUMNS FROM `t`"},
	{"SHOW FULL FIELDS IN d.t LIKE 'x'", dialect.ShowColumns{Table: dialect.TableName{DB: "d", Name: "t"}, Full: true, Filter: dialect.Filter{Like: "x"}}, "SHOW FULL COLUMNS FROM `d`.`t` LIKE 'x'"},
	{"SHOW COLUMNS FROM d.t FROM e", dialect.ShowColumns{Table: dialect.TableName{DB: "e", Name: "t"}}, "SHOW COLUMNS FROM `e`.`t`"},
	{"DESC t", dialect.Describe{Table: dialect.TableName{DB: "", Name: "t"}}, "DESCRIBE `t`"},
	{"DESCRIBE d.`a``b` 'x%'", dialect.Describe{Table: dialect.TableName{DB: "d", Name: "a`b"}, Like: "x%"}, "DESCRIBE `d`.`a``b` 'x%'"},
	{"DESC format k", dialect.Describe{Table: dialect.TableName{Name: "format"}, Like: "k"}, "DESCRIBE `format` 'k'"},
	{"DESC SELECT 1", nil, ""},
	{"SHOW TABLES", dialect.ShowTables{}, ""},
	{"SHOW FULL TABLES IN d LIKE 'x'", dialect.ShowTables{Full: true, DB: "d", Filter: dialect.Filter{Like: "x"}}, "SHOW FULL TABLES FROM `d` LIKE 'x'"},
	{"SHOW OPEN TABLES FROM d", dialect.ShowOpenTables{DB: "d"}, "SHOW OPEN TABLES FROM `d`"},
	{"SHOW TABLE STATUS FROM d WHERE Name = 'x'", dialect.ShowTableStatus{DB: "d", Filter: dialect.Filter{Where: "Name = 'x'"}}, "SHOW TABLE STATUS FROM `d` WHERE Name = 'x'"},
	{"SHOW KEYS IN t IN d WHERE 1", dialect.ShowIndex{Table: dialect.TableName{DB: "d", Name: "t"}, Where: "1"}, "SHOW INDEX FROM `d`.`t` WHERE 1"},
	{"SHOW COLLATION LIKE 'x'", dialect.ShowCollation{Filter: dialect.Filter{Like: "x"}}, ""},
	{"SHOW TRIGGERS", dialect.ShowTriggers{}, ""},
	{"SHOW EVENTS IN d", dialect.ShowEvents{DB: "d"}, "SHOW EVENTS FROM `d`"},
	{"SHOW PROCEDURE STATUS", dialect.ShowRoutines{Kind: dialect.Procedure}, ""},
	{"SHOW FUNCTION STATUS LIKE 'f'", dialect.ShowRoutines{Kind: dialect.Function, Filter: dialect.Filter{Like: "f"}}, ""},
	{"SHOW PACKAGE BODY STATUS", dialect.ShowRoutines{Kind: dialect.PackageBody}, ""},
	{"SHOW PACKAGE STATUS", dialect.ShowRoutines{Kind: dialect.Package}, ""},
	{"SHOW FUNCTION CODE f", nil, ""},
	{"SHOW CREATE TABLE d.t", dialect.ShowCreateTable{Table: dialect.TableName{DB: "d", Name: "t"}}, "SHOW CREATE TABLE `d`.`t`"},
	{"SHOW CREATE VIEW v", dialect.ShowCreateView{View: dialect.TableName{DB: "", Name: "v"}}, "SHOW CREATE VIEW `v`"},
	{"SHOW CREATE TRIGGER g", dialect.ShowCreateTrigger{Trigger: dialect.TableName{DB: "", Name: "g"}}, "SHOW CREATE TRIGGER `g`"},
	{"SHOW CREATE PROCEDURE p", dialect.ShowCreateProcedure{Procedure: dialect.TableName{DB: "", Name: "p"}}, "SHOW CREATE PROCEDURE `p`"},
	{"SHOW CREATE EVENT e", dialect.ShowCreateEvent{Event: dialect.TableName{DB: "", Name: "e"}}, "SHOW CREATE EVENT `e`"},
	{"SHOW CREATE SCHEMA IF NOT EXISTS d", dialect.ShowCreateDatabase{IfNotExists: true, DB: "d"}, "SHOW CREATE DATABASE IF NOT EXISTS `d`"},
	{"SHOW CREATE DATABASE d", dialect.ShowCreateDatabase{IfNotExists: false, DB: "d"}, "SHOW CREATE DATABASE `d`"},
	{"SHOW CREATE FUNCTION f", nil, ""},
	{"SHOW DATABASES", nil, ""},

	{"FLUSH LOGS", dialect.Flush{What: []dialect.Flushed{dialect.FlushedLogs}}, ""},
	{"FLUSH NO_WRITE_TO_BINLOG PRIVILEGES, user_resources", dialect.Flush{Local: true, What: []dialect.Flushed{dialect.FlushedPrivileges, dialect.FlushedUserResources}},
		"FLUSH LOCAL PRIVILEGES, USER_RESOURCES"},
	{"FLUSH BINARY LOGS DELETE_DOMAIN_ID=(1,2), STATUS", dialect.Flush{What: []dialect.Flushed{dialect.FlushedBinaryLogs, "STATUS"}, DeleteDomains: []uint64{1, 2}},
		"FLUSH BINARY LOGS DELETE_DOMAIN_ID = (1, 2), STATUS"},
	{"FLUSH BINARY LOGS DELETE_DOMAIN_ID = ()", dialect.Flush{What: []dialect.Flushed{dialect.FlushedBinaryLogs}, DeleteDomains: []uint64{}}, ""},
	{"FLUSH TABLE", dialect.FlushTables{}, "FLUSH TABLES"},
	{"FLUSH LOCAL TABLES t, d.u WITH READ LOCK AND DISABLE CHECKPOINT",
		dialect.FlushTables{Local: true, Tables: []dialect.TableName{{DB: "", Name: "t"}, {DB: "d", Name: "u"}}, Lock: dialect.DisableCheckpoint}, "FLUSH LOCAL TABLES `t`, `d`.`u` WITH READ LOCK AND DISABLE CHECKPOINT"},
	{"FLUSH TABLES WITH READ LOCK", dialect.FlushTables{Lock: dialect.WithReadLock}, ""},
	{"FLUSH TABLES t FOR EXPORT", dialect.FlushTables{Tables: []dialect.TableName{{DB: "", Name: "t"}}, Lock: dialect.ForExport}, "FLUSH TABLES `t` FOR EXPORT"},
	{"PURGE MASTER LOGS TO 'log.2'", dialect.PurgeBinaryLogs{To: "log.2"}, "PURGE BINARY LOGS TO 'log.2'"},
	{"PURGE BINARY LOGS BEFORE NOW() - INTERVAL 1 DAY", dialect.PurgeBinaryLogs{Before: "NOW() - INTERVAL 1 DAY"}, ""},
	{"RESET MASTER", dialect.ResetMaster{To: 1}, "RESET MASTER TO 1"},
	{"RESET MASTER TO 7", dialect.ResetMaster{To: 7}, ""},
	{"RESET REPLICA ALL", dialect.ResetSlave{All: true}, "RESET SLAVE ALL"},
	{"RESET QUERY CACHE", dialect.ResetQueryCache{}, ""},
	{"KILL 5", dialect.Kill{ID: 5}, ""},
	{"KILL HARD CONNECTION 5", dialect.Kill{ID: 5}, "KILL 5"},
	{"KILL SOFT QUERY 5", dialect.Kill{Soft: true, Query: true, ID: 5}, ""},
	{"KILL QUERY USER a@localhost", dialect.Kill{Query: true, ByUser: true, User: "a", Host: "localhost"}, "KILL QUERY USER `a`@`localhost`"},
	{"KILL USER 'a'", dialect.Kill{ByUser: true, User: "a", Host: "%"}, "KILL USER `a`@`%`"},

	{"BEGIN WORK", dialect.StartTransaction{}, "START TRANSACTION"},
	{"BEGIN NOT ATOMIC SELECT 1; END", nil, ""},
	{"START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT", dialect.StartTransaction{Access: dialect.ReadOnly, Snapshot: true}, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"},
	{"START TRANSACTION READ WRITE", dialect.StartTransaction{Access: dialect.ReadWrite}, ""},
	{"COMMIT WORK", dialect.Commit{}, "COMMIT"},
	{"COMMIT AND NO CHAIN RELEASE", dialect.Commit{Completion: dialect.Completion{Release: true}}, "COMMIT RELEASE"},
	{"ROLLBACK AND CHAIN NO RELEASE", dialect.Rollback{Completion: dialect.Completion{Chain: true}}, "ROLLBACK AND CHAIN"},
	{"ROLLBACK WORK TO s", dialect.RollbackTo{Name: "s"}, "ROLLBACK TO SAVEPOINT `s`"},
	{"ROLLBACK TO SAVEPOINT", dialect.RollbackTo{Name: "SAVEPOINT"}, "ROLLBACK TO SAVEPOINT `SAVEPOINT`"},
	{"SAVEPOINT `a b`", dialect.Savepoint{Name: "a b"}, ""},
	{"RELEASE SAVEPOINT s", dialect.ReleaseSavepoint{Name: "s"}, "RELEASE SAVEPOINT `s`"},
	{"LOCK TABLE t READ LOCAL, d.u AS x LOW_PRIORITY WRITE", dialect.LockTables{Tables: []dialect.LockTable{{Table: dialect.TableName{DB: "", Name: "t"}}, {Table: dialect.TableName{DB: "d", Name: "u"}, Alias: "x", Write: true}}},
		"LOCK TABLES `t` READ, `d`.`u` AS `x` WRITE"},
	{"LOCK TABLES t y WRITE CONCURRENT WAIT 3", dialect.LockTables{Tables: []dialect.LockTable{{Table: dialect.TableName{DB: "", Name: "t"}, Alias: "y", Write: true}}, Wait: dialect.Wait{Given: true, Seconds: 3}}, "LOCK TABLES `t` AS `y` WRITE WAIT 3"},
	{"LOCK TABLES t READ WAIT 0", dialect.LockTables{Tables: []dialect.LockTable{{Table: dialect.TableName{DB: "", Name: "t"}}}, Wait: dialect.Wait{Given: true}}, "LOCK TABLES `t` READ NOWAIT"},
	{"UNLOCK TABLE", dialect.UnlockTables{}, "UNLOCK TABLES"},
	{"CHECK TABLE t, d.u quick FOR UPGRADE", dialect.MaintainTables{Do: dialect.Check, Tables: []dialect.TableName{{DB: "", Name: "t"}, {DB: "d", Name: "u"}}, Options: []string{"QUICK", "FOR UPGRADE"}},
		"CHECK TABLE `t`, `d`.`u` QUICK FOR UPGRADE"},
	{"ANALYZE LOCAL TABLES t PERSISTENT FOR COLUMNS (a, b) INDEXES (), u PERSISTENT FOR ALL, v", dialect.MaintainTables{Do: dialect.Analyze, Local: true,
		Tables:     []dialect.TableName{{DB: "", Name: "t"}, {DB: "", Name: "u"}, {DB: "", Name: "v"}},
		Persistent: []string{"PERSISTENT FOR COLUMNS (`a`, `b`) INDEXES ()", "PERSISTENT FOR ALL", ""}},
		"ANALYZE LOCAL TABLE `t` PERSISTENT FOR COLUMNS (`a`, `b`) INDEXES (), `u` PERSISTENT FOR ALL, `v`"},
	{"OPTIMIZE TABLE t WAIT 1", dialect.MaintainTables{Do: dialect.Optimize, Tables: []dialect.TableName{{DB: "", Name: "t"}}, Wait: dialect.Wait{Given: true, Seconds: 1}}, "OPTIMIZE TABLE `t` WAIT 1"},
	{"REPAIR NO_WRITE_TO_BINLOG TABLE t QUICK EXTENDED USE_FRM", dialect.MaintainTables{Do: dialect.Repair, Local: true, Tables: []dialect.TableName{{DB: "", Name: "t"}},
		Options: []string{"QUICK", "EXTENDED", "USE_FRM"}}, "REPAIR LOCAL TABLE `t` QUICK EXTENDED USE_FRM"},
	{"CHECKSUM TABLE t, u extended", dialect.ChecksumTables{Tables: []dialect.TableName{{DB: "", Name: "t"}, {DB: "", Name: "u"}}, Option: "EXTENDED"}, "CHECKSUM TABLE `t`, `u` EXTENDED"},

	{"PREPARE s FROM 'SELECT 1'", dialect.Prepare{Name: "s", From: dialect.Operand{Kind: dialect.StringOperand, Text: "SELECT 1"}}, "PREPARE `s` FROM 'SELECT 1'"},
	{"PREPARE s FROM @x", dialect.Prepare{Name: "s", From: dialect.Operand{Kind: dialect.VariableOperand, Text: "x"}}, "PREPARE `s` FROM @x"},
	{"EXECUTE s", dialect.Execute{Name: "s"}, "EXECUTE `s`"},
	{"EXECUTE s USING 1, 'a', @b, null", dialect.Execute{Name: "s", Using: []dialect.Operand{{Kind: dialect.NumberOperand, Text: "1"}, {Kind: dialect.StringOperand, Text: "a"}, {Kind: dialect.VariableOperand, Text: "b"}, {}}},
		"EXECUTE `s` USING 1, 'a', @b, NULL"},
	{"EXECUTE IMMEDIATE @x USING 1", dialect.ExecuteImmediate{From: dialect.Operand{Kind: dialect.VariableOperand, Text: "x"}, Using: []dialect.Operand{{Kind: dialect.NumberOperand, Text: "1"}}}, ""},
	{"EXECUTE IMMEDIATE", dialect.Execute{Name: "IMMEDIATE"}, "EXECUTE `IMMEDIATE`"},
	{"DEALLOCATE PREPARE s", dialect.Deallocate{Name: "s"}, "DEALLOCATE PREPARE `s`"},
	{"DROP PREPARE s", dialect.Deallocate{Name: "s"}, "DEALLOCATE PREPARE `s`"},
	{"DROP TABLE t", nil, ""},
	{"DO SLEEP(1), 2", dialect.Do{Expressions: "SLEEP(1), 2"}, ""},
	{"SET NAMES utf8mb4 COLLATE utf8mb4_bin", dialect.SetNames{Charset: dialect.Charset{Name: "utf8mb4"}, Collation: "utf8mb4_bin"}, "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'"},
	{"SET NAMES DEFAULT COLLATE DEFAULT", dialect.SetNames{Charset: dialect.Charset{Default: true}}, "SET NAMES DEFAULT"},
	{"SET NAMES 'default'", dialect.SetNames{Charset: dialect.Charset{Name: "default"}}, ""},
	{"SET NAMES utf8, @x = 1", nil, ""},
	{"SET CHARSET DEFAULT", dialect.SetCharacterSet{Charset: dialect.Charset{Default: true}}, "SET CHARACTER SET DEFAULT"},
	{"SET TRANSACTION READ ONLY, ISOLATION LEVEL READ COMMITTED", dialect.SetTransaction{Scope: dialect.NextTransaction, Isolation: dialect.ReadCommitted, Access: dialect.ReadOnly},
		"SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY"},
	{"SET LOCAL TRANSACTION READ WRITE", dialect.SetTransaction{Scope: dialect.SessionScope, Access: dialect.ReadWrite}, "SET SESSION TRANSACTION READ WRITE"},
	{"SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE", dialect.SetTransaction{Scope: dialect.GlobalScope, Isolation: dialect.Serializable}, ""},
	{"SET STATEMENT a = (1 = 2), B:=3 -- why\nFOR SELECT 1", dialect.SetStatement{Variables: []string{"a", "b"}, Assignments: "a = (1 = 2), B:=3 ", Statement: "SELECT 1"},
		"SET STATEMENT a = (1 = 2), B:=3 FOR SELECT 1"},
	{"SET @x = 1", nil, ""},
	{"ALTER TABLE d.t DISABLE KEYS", dialect.AlterKeys{Table: dialect.TableName{DB: "d", Name: "t"}, Enable: false}, "ALTER TABLE `d`.`t` DISABLE KEYS"},
	{"ALTER TABLE t ENABLE KEYS", dialect.AlterKeys{Table: dialect.TableName{DB: "", Name: "t"}, Enable: true}, "ALTER TABLE `t` ENABLE KEYS"},
	{"ALTER TABLE t ADD k INT", nil, ""},
	{"ALTER TABLE t ENABLE KEYS, ADD k INT", nil, ""},
	{"create or replace table d.t (a int)", dialect.CreateOrReplace{What: "TABLE", Temporary: false, Name: dialect.TableName{DB: "d", Name: "t"}, Create: "CREATE table d.t (a int)", Text: "create or replace table d.t (a int)"}, ""},
	{"CREATE OR REPLACE TEMPORARY TABLE t (a INT)", dialect.CreateOrReplace{What: "TABLE", Temporary: true, Name: dialect.TableName{DB: "", Name: "t"}, Create: "CREATE TEMPORARY TABLE t (a INT)",
		Text: "CREATE OR REPLACE TEMPORARY TABLE t (a INT)"}, ""},
	{"CREATE OR REPLACE DEFINER = a@b PROCEDURE d.p() SELECT 1", dialect.CreateOrReplace{What: "PROCEDURE", Name: dialect.TableName{DB: "d", Name: "p"},
		Create: "CREATE DEFINER = a@b PROCEDURE d.p() SELECT 1", Text: "CREATE OR REPLACE DEFINER = a@b PROCEDURE d.p() SELECT 1"}, ""},
	{"CREATE OR REPLACE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1", dialect.CreateOrReplace{What: "TRIGGER", Name: dialect.TableName{Name: "tr"},
		Create: "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1", Text: "CREATE OR REPLACE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1"}, ""},
	{"CREATE OR REPLACE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", dialect.CreateOrReplace{What: "EVENT", Name: dialect.TableName{Name: "e"},
		Create: "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", Text: "CREATE OR REPLACE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1"}, ""},
	{"CREATE OR REPLACE FUNCTION f() RETURNS INT RETURN 1", nil, ""},
	{"CREATE OR REPLACE VIEW v AS SELECT 1", nil, ""},

	{"XA START 'x'", dialect.XA{Text: "START 'x'"}, ""},
	{"HELP 'x'", dialect.Help{Text: "'x'"}, ""},
	{"BACKUP STAGE START", dialect.Backup{Text: "STAGE START"}, ""},
	{"BINLOG 'x'", dialect.Binlog{Text: "'x'"}, ""},
	{"INSTALL SONAME 'x'", dialect.Install{Text: "SONAME 'x'"}, ""},
	{"UNINSTALL PLUGIN x", dialect.Uninstall{Text: "PLUGIN x"}, ""},
	{"HANDLER d.t OPEN", dialect.Handler{Table: dialect.TableName{DB: "d", Name: "t"}, Text: "OPEN"}, "HANDLER `d`.`t` OPEN"},
	{"CHANGE MASTER TO MASTER_HOST='x'", dialect.ChangeMaster{Options: []dialect.MasterOption{{Name: "MASTER_HOST", Value: "x", Text: true}}}, "CHANGE MASTER TO MASTER_HOST = 'x'"},
	{"change master 'c' to master_port=+1, IGNORE_SERVER_IDS=(3,1), do_domain_ids=(), master_use_gtid=replica_pos, master_heartbeat_period=1.5, master_demote_to_replica=1, MASTER_PASSWORD='s'",
		dialect.ChangeMaster{Connection: dialect.Connection{Given: true, Name: "c"}, Options: []dialect.MasterOption{
			{Name: "MASTER_PORT", Value: "1"}, {Name: "IGNORE_SERVER_IDS", IsList: true, IDs: []uint64{3, 1}}, {Name: "DO_DOMAIN_IDS", IsList: true},
			{Name: "MASTER_USE_GTID", Value: "SLAVE_POS"}, {Name: "MASTER_HEARTBEAT_PERIOD", Value: "1.5"}, {Name: "MASTER_DEMOTE_TO_SLAVE", Value: "1"},
			{Name: "MASTER_PASSWORD", Value: "s", Text: true}}},
		"CHANGE MASTER 'c' TO MASTER_PORT = 1, IGNORE_SERVER_IDS = (3,1), DO_DOMAIN_IDS = (), MASTER_USE_GTID = SLAVE_POS, MASTER_HEARTBEAT_PERIOD = 1.5, MASTER_DEMOTE_TO_SLAVE = 1, MASTER_PASSWORD = 's'"},
	{"CHANGE MASTER TO MASTER_LOG_POS=4 FOR CHANNEL 'c'", dialect.ChangeMaster{Connection: dialect.Connection{Given: true, Name: "c"}, Options: []dialect.MasterOption{{Name: "MASTER_LOG_POS", Value: "4"}}},
		"CHANGE MASTER 'c' TO MASTER_LOG_POS = 4"},
	{"START REPLICA", dialect.StartSlave{}, "START SLAVE"},
	{"START SLAVE 'c' SQL_THREAD, RELAY_THREAD", dialect.StartSlave{SlaveThreads: dialect.SlaveThreads{Connection: dialect.Connection{Given: true, Name: "c"}, IO: true, SQL: true}}, "START SLAVE 'c' IO_THREAD, SQL_THREAD"},
	{"START SLAVE UNTIL MASTER_LOG_FILE='f', MASTER_LOG_POS=5", dialect.StartSlave{Until: []dialect.MasterOption{{Name: "MASTER_LOG_FILE", Value: "f", Text: true}, {Name: "MASTER_LOG_POS", Value: "5"}}},
		"START SLAVE UNTIL MASTER_LOG_FILE = 'f', MASTER_LOG_POS = 5"},
	{"STOP ALL SLAVES", dialect.StopSlave{SlaveThreads: dialect.SlaveThreads{All: true}}, ""},
	{"STOP SLAVE IO_THREAD FOR CHANNEL ''", dialect.StopSlave{SlaveThreads: dialect.SlaveThreads{Connection: dialect.Connection{Given: true}, IO: true}}, "STOP SLAVE '' IO_THREAD"},
	{"RESET SLAVE 'c' ALL", dialect.ResetSlave{Connection: dialect.Connection{Given: true, Name: "c"}, All: true}, ""},
	{"FLUSH SLAVE 'c'", dialect.ResetSlave{Connection: dialect.Connection{Given: true, Name: "c"}}, "RESET SLAVE 'c'"},
	{"NOTHING", nil, ""},
	{"`SHOW` BINARY LOGS", nil, ""},
}

func TestStatements(t *testing.T) {
	for _, f := range forms {
		st, err := parse(f.sql, dialect.Mode{})
		require.NoError(t, err, f.sql)
		require.Equal(t, f.value, st, f.sql)
		if st == nil {
			continue
		}
		want := f.print
		if want == "" {
			want = f.sql
		}
		require.Equal(t, want, st.String())
		again, err := parse(want, dialect.Mode{})
		require.NoError(t, err, want)
		require.Equal(t, f.value, again, want)
	}
}

func TestStatementErrors(t *testing.T) {
	for _, c := range []struct {
		sql, near string // near is what a syntax error points to, or the whole message of another error
	}{
		{"SHOW MASTER STATUS x", "near 'x' at line 1"},
		{"SHOW BINLOG EVENTS IN x", "near 'x' at line 1"},
		{"SHOW BINLOG EVENTS\nFROM x", "near 'x' at line 2"},
		{"SHOW WARNINGS LIMIT 1,", "near '' at line 1"},
		{"SHOW SLAVE", "near '' at line 1"},
		{"SHOW ENGINE innodb", "near '' at line 1"},
		{"SHOW PLUGINS SONAME 'x'", "This version of MariaDB doesn't yet support 'SHOW PLUGINS SONAME'"},
		{"SHOW VARIABLES LIKE x", "near 'x' at line 1"},
		{"SHOW VARIABLES LIKE 'x", "near ''x' at line 1"},
		{"SHOW VARIABLES LIKE 'a' 'b'", "near ''b'' at line 1"},
		{"SHOW VARIABLES WHERE", "near '' at line 1"},
		{"SHOW INDEX FROM t LIKE 'x'", "near 'LIKE 'x'' at line 1"},
		{"SHOW TABLES FROM ``", "Incorrect database name ''"},
		{"DESCRIBE t x y", "near 'y' at line 1"},
		{"FLUSH NONSENSE", "near 'NONSENSE' at line 1"},
		{"FLUSH LOCAL LOCAL STATUS", "near 'LOCAL STATUS' at line 1"},
		{"FLUSH TABLES WITH READ", "near '' at line 1"},
		{"FLUSH TABLES WITH READ LOCK AND x", "near 'x' at line 1"},
		{"FLUSH STATUS, TABLES", "near 'TABLES' at line 1"},
		{"FLUSH TABLES FOR EXPORT", "No tables used near 'FOR EXPORT' at line 1"},
		{"FLUSH BINARY LOGS DELETE_DOMAIN_ID = (4294967296)", "The value of gtid domain being deleted ('4294967296') exceeds its maximum size of 32 bit unsigned integer"},
		{"PURGE BINARY LOGS BEFORE", "near '' at line 1"},
		{"RESET MASTER, QUERY CACHE", "This version of MariaDB doesn't yet support 'RESET of several things'"},
		{"KILL 5 x", "near 'x' at line 1"},
		{"KILL QUERY ID 5", "This version of MariaDB doesn't yet support 'KILL QUERY ID'"},
		{"START TRANSACTION READ ONLY, READ WRITE", "near '' at line 1"},
		{"START TRANSACTION ISOLATION LEVEL READ COMMITTED", "near 'ISOLATION LEVEL READ COMMITTED' at line 1"},
		{"COMMIT AND CHAIN RELEASE", "near 'RELEASE' at line 1"},
		{"SET TRANSACTION READ ONLY, READ ONLY", "near 'READ ONLY' at line 1"},
		{"SAVEPOINT 5", "near '5' at line 1"},
		{"LOCK TABLES t AS READ", "near 'READ' at line 1"},
		{"LOCK TABLES t LOW_PRIORITY READ", "near 'READ' at line 1"},
		{"ANALYZE SELECT 1", "This version of MariaDB doesn't yet support 'ANALYZE statement'"},
		{"CHECK LOCAL TABLE t", "near 'LOCAL TABLE t' at line 1"},
		{"CHECKSUM TABLE t x", "near 'x' at line 1"},
		{"EXECUTE s USING 1,", "near '' at line 1"},
		{"EXECUTE s USING @@port", "This version of MariaDB doesn't yet support 'a system variable as the value of a placeholder'"},
		{"SET STATEMENT FOR SELECT 1", "near 'FOR SELECT 1' at line 1"},
		{"SET CHARACTER SET latin1 COLLATE latin1_bin", "near 'COLLATE latin1_bin' at line 1"},
		{"CREATE OR REPLACE TABLE IF NOT EXISTS t (a INT)", "Incorrect usage of OR REPLACE and IF NOT EXISTS"},
		{"SHOW BINARY LOG STATUS x", "near 'LOG STATUS x' at line 1"},
		{"SHOW COUNT (*) ERRORS", "near 'COUNT (*) ERRORS' at line 1"},
		{"SHOW ENGINE '' STATUS", "Unknown storage engine ''"},
		{"SHOW CREATE TABLE ``", "Incorrect table name ''"},
		{"SET NAMES ''", "Unknown character set: ''"},
		{"KILL 1 + 1", "This version of MariaDB doesn't yet support 'KILL of anything but a number'"},
		{"STOP x", "near 'x' at line 1"},
	} {
		st, err := parse(c.sql, dialect.Mode{})
		require.ErrorContains(t, err, c.near, c.sql)
		require.Nil(t, st, c.sql)
	}
}

// FuzzStatement checks that no text makes the parser panic, and that what a statement prints is that statement.
func FuzzStatement(f *testing.F) {
	for _, form := range forms {
		f.Add(form.sql, false, false)
	}
	f.Add("KILL USER a@", true, true)
	f.Add(`SHOW STATUS LIKE '\`, false, true)
	f.Fuzz(func(t *testing.T, sql string, ansi, noEscapes bool) {
		mode := dialect.Mode{AnsiQuotes: ansi, NoBackslashEscapes: noEscapes}
		st, err := parse(sql, mode)
		if err != nil && st != nil {
			t.Fatalf("%q is %#v, and %v", sql, st, err)
		}
		if st == nil || mode != (dialect.Mode{}) {
			return
		}
		again, err := parse(st.String(), mode)
		if err != nil || !reflect.DeepEqual(st, again) {
			t.Fatalf("%q is %#v; printed as %q it is %#v, %v", sql, st, st.String(), again, err)
		}
	})
}

// parse is Parse of a text that is one statement.
func parse(sql string, mode dialect.Mode) (dialect.Statement, error) {
	st, _, err := Parse(sql, mode)
	return st, err
}

// TestNext checks where the text after a statement begins.
func TestNext(t *testing.T) {
	for _, c := range []struct{ sql, rest string }{
		{"BEGIN; COMMIT", " COMMIT"},
		{"BEGIN", ""},
		{"SHOW STATUS LIKE ';' ;SELECT ';", "SELECT ';"},
		{"DO 1 /* ; */ ; nonsense", " nonsense"},
		{"CREATE OR REPLACE TABLE t (a INT); DROP TABLE t", " DROP TABLE t"},
	} {
		st, next, err := Parse(c.sql, dialect.Mode{})
		require.NoError(t, err, c.sql)
		require.NotNil(t, st, c.sql)
		require.Equal(t, c.rest, c.sql[next:], c.sql)
	}
}

// TestModes checks that a statement is read as sql_mode says.
func TestModes(t *testing.T) {
	const sql = `SHOW TABLES FROM "d" LIKE 'a\'`
	st, err := parse(sql, dialect.Mode{AnsiQuotes: true, NoBackslashEscapes: true})
	require.NoError(t, err)
	require.Equal(t, dialect.ShowTables{DB: "d", Filter: dialect.Filter{Like: `a\`}}, st)
	_, err = parse(sql, dialect.Mode{AnsiQuotes: true})
	require.ErrorContains(t, err, "near ''a\\'' at line 1")
	_, err = parse(sql, dialect.Mode{})
	require.ErrorContains(t, err, `near '"d" LIKE`)
}
