package dialect

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// forms are statements with their values and what these print; "" where that is the text itself.
var forms = []struct {
	sql   string
	value Statement
	print string
}{
	{"shutdown", Shutdown{}, "SHUTDOWN"},

	{"SHOW MASTER STATUS", ShowMasterStatus{}, ""},
	{"show binlog status", ShowMasterStatus{}, "SHOW MASTER STATUS"},
	{"SHOW BINARY LOG STATUS", ShowMasterStatus{}, "SHOW MASTER STATUS"},
	{"SHOW BINARY LOGS", ShowBinaryLogs{}, ""},
	{"SHOW MASTER LOGS", ShowBinaryLogs{}, "SHOW BINARY LOGS"},
	{"SHOW BINLOG EVENTS", ShowBinlogEvents{LogEvents{From: 4}}, ""},
	{"SHOW BINLOG EVENTS IN 'log.1' FROM 100 LIMIT 5", ShowBinlogEvents{LogEvents{"log.1", 100, Limit{true, 0, 5}}},
		"SHOW BINLOG EVENTS IN 'log.1' FROM 100 LIMIT 0, 5"},
	{"SHOW BINLOG EVENTS LIMIT 2, 3", ShowBinlogEvents{LogEvents{From: 4, Limit: Limit{true, 2, 3}}}, ""},
	{"SHOW BINLOG EVENTS LIMIT 3 OFFSET 2", ShowBinlogEvents{LogEvents{From: 4, Limit: Limit{true, 2, 3}}}, "SHOW BINLOG EVENTS LIMIT 2, 3"},
	{"SHOW RELAYLOG EVENTS FROM 0", ShowRelaylogEvents{LogEvents{}}, ""},
	{"SHOW SLAVE HOSTS", ShowSlaveHosts{}, ""},
	{"SHOW REPLICA HOSTS", ShowSlaveHosts{}, "SHOW SLAVE HOSTS"},
	{"SHOW SLAVE STATUS", ShowSlaveStatus{}, ""},
	{"SHOW REPLICA 'c''d' STATUS", ShowSlaveStatus{Connection: "c'd"}, "SHOW SLAVE 'c''d' STATUS"},
	{"SHOW ALL REPLICAS STATUS", ShowSlaveStatus{All: true}, "SHOW ALL SLAVES STATUS"},
	{"SHOW STORAGE ENGINES", ShowEngines{}, "SHOW ENGINES"},
	{"SHOW ENGINE innodb STATUS", ShowEngine{"innodb", "STATUS"}, "SHOW ENGINE `innodb` STATUS"},
	{"SHOW ENGINE 'x' mutex", ShowEngine{"x", "MUTEX"}, "SHOW ENGINE `x` MUTEX"},
	{"SHOW ENGINE ALL LOGS", ShowEngine{"", "LOGS"}, ""},
	{"SHOW PLUGINS", ShowPlugins{}, ""},
	{"SHOW PROFILES", ShowProfiles{}, ""},
	{"SHOW PROCESSLIST", ShowProcesslist{}, ""},
	{"SHOW FULL PROCESSLIST", ShowProcesslist{Full: true}, ""},
	{"SHOW WARNINGS", ShowWarnings{}, ""},
	{"SHOW ERRORS LIMIT 1, 2", ShowWarnings{true, Limit{true, 1, 2}}, ""},
	{"SHOW COUNT(*) WARNINGS", ShowWarningCount{}, ""},
	{"SHOW COUNT ( * ) ERRORS", ShowWarningCount{true}, "SHOW COUNT(*) ERRORS"},
	{"SHOW VARIABLES", ShowVariables{}, ""},
	{"SHOW SESSION VARIABLES LIKE 'a%'", ShowVariables{Filter: Filter{Like: "a%"}}, "SHOW VARIABLES LIKE 'a%'"},
	{"SHOW LOCAL STATUS WHERE Value > 1 -- why", ShowStatus{Filter: Filter{Where: "Value > 1 -- why"}}, "SHOW STATUS WHERE Value > 1 -- why"},
	{`SHOW GLOBAL STATUS LIKE 'a\_\\b'`, ShowStatus{true, Filter{Like: `a\_\b`}}, `SHOW GLOBAL STATUS LIKE 'a\\_\\b'`},
	{"SHOW VARIABLES LIKE ''", ShowVariables{}, "SHOW VARIABLES"},
	{"SHOW COLUMNS FROM t", ShowColumns{Table: TableName{"", "t"}}, "SHOW COLUMNS FROM `t`"},
	{"SHOW FULL FIELDS IN d.t LIKE 'x'", ShowColumns{TableName{"d", "t"}, true, Filter{Like: "x"}}, "SHOW FULL COLUMNS FROM `d`.`t` LIKE 'x'"},
	{"SHOW COLUMNS FROM d.t FROM e", ShowColumns{Table: TableName{"e", "t"}}, "SHOW COLUMNS FROM `e`.`t`"},
	{"DESC t", Describe{Table: TableName{"", "t"}}, "DESCRIBE `t`"},
	{"DESCRIBE d.`a``b` 'x%'", Describe{TableName{"d", "a`b"}, "x%"}, "DESCRIBE `d`.`a``b` 'x%'"},
	{"DESC format k", nil, ""},
	{"DESC SELECT 1", nil, ""},
	{"SHOW TABLES", ShowTables{}, ""},
	{"SHOW FULL TABLES IN d LIKE 'x'", ShowTables{true, "d", Filter{Like: "x"}}, "SHOW FULL TABLES FROM `d` LIKE 'x'"},
	{"SHOW OPEN TABLES FROM d", ShowOpenTables{DB: "d"}, "SHOW OPEN TABLES FROM `d`"},
	{"SHOW TABLE STATUS FROM d WHERE Name = 'x'", ShowTableStatus{"d", Filter{Where: "Name = 'x'"}}, "SHOW TABLE STATUS FROM `d` WHERE Name = 'x'"},
	{"SHOW KEYS IN t IN d WHERE 1", ShowIndex{TableName{"d", "t"}, "1"}, "SHOW INDEX FROM `d`.`t` WHERE 1"},
	{"SHOW COLLATION LIKE 'x'", ShowCollation{Filter{Like: "x"}}, ""},
	{"SHOW TRIGGERS", ShowTriggers{}, ""},
	{"SHOW EVENTS IN d", ShowEvents{DB: "d"}, "SHOW EVENTS FROM `d`"},
	{"SHOW PROCEDURE STATUS", ShowRoutines{Kind: Procedure}, ""},
	{"SHOW FUNCTION STATUS LIKE 'f'", ShowRoutines{Function, Filter{Like: "f"}}, ""},
	{"SHOW PACKAGE BODY STATUS", ShowRoutines{Kind: PackageBody}, ""},
	{"SHOW PACKAGE STATUS", ShowRoutines{Kind: Package}, ""},
	{"SHOW FUNCTION CODE f", nil, ""},
	{"SHOW CREATE TABLE d.t", ShowCreateTable{TableName{"d", "t"}}, "SHOW CREATE TABLE `d`.`t`"},
	{"SHOW CREATE VIEW v", ShowCreateView{TableName{"", "v"}}, "SHOW CREATE VIEW `v`"},
	{"SHOW CREATE TRIGGER g", ShowCreateTrigger{TableName{"", "g"}}, "SHOW CREATE TRIGGER `g`"},
	{"SHOW CREATE PROCEDURE p", ShowCreateProcedure{TableName{"", "p"}}, "SHOW CREATE PROCEDURE `p`"},
	{"SHOW CREATE EVENT e", ShowCreateEvent{TableName{"", "e"}}, "SHOW CREATE EVENT `e`"},
	{"SHOW CREATE SCHEMA IF NOT EXISTS d", ShowCreateDatabase{true, "d"}, "SHOW CREATE DATABASE IF NOT EXISTS `d`"},
	{"SHOW CREATE DATABASE d", ShowCreateDatabase{false, "d"}, "SHOW CREATE DATABASE `d`"},
	{"SHOW CREATE FUNCTION f", nil, ""},
	{"SHOW DATABASES", nil, ""},

	{"FLUSH LOGS", Flush{What: []Flushed{FlushedLogs}}, ""},
	{"FLUSH NO_WRITE_TO_BINLOG PRIVILEGES, user_resources", Flush{Local: true, What: []Flushed{FlushedPrivileges, FlushedUserResources}},
		"FLUSH LOCAL PRIVILEGES, USER_RESOURCES"},
	{"FLUSH BINARY LOGS DELETE_DOMAIN_ID=(1,2), STATUS", Flush{What: []Flushed{FlushedBinaryLogs, "STATUS"}, DeleteDomains: []uint64{1, 2}},
		"FLUSH BINARY LOGS DELETE_DOMAIN_ID = (1, 2), STATUS"},
	{"FLUSH BINARY LOGS DELETE_DOMAIN_ID = ()", Flush{What: []Flushed{FlushedBinaryLogs}, DeleteDomains: []uint64{}}, ""},
	{"FLUSH TABLE", FlushTables{}, "FLUSH TABLES"},
	{"FLUSH LOCAL TABLES t, d.u WITH READ LOCK AND DISABLE CHECKPOINT",
		FlushTables{true, []TableName{{"", "t"}, {"d", "u"}}, DisableCheckpoint}, "FLUSH LOCAL TABLES `t`, `d`.`u` WITH READ LOCK AND DISABLE CHECKPOINT"},
	{"FLUSH TABLES WITH READ LOCK", FlushTables{Lock: WithReadLock}, ""},
	{"FLUSH TABLES t FOR EXPORT", FlushTables{Tables: []TableName{{"", "t"}}, Lock: ForExport}, "FLUSH TABLES `t` FOR EXPORT"},
	{"PURGE MASTER LOGS TO 'log.2'", PurgeBinaryLogs{To: "log.2"}, "PURGE BINARY LOGS TO 'log.2'"},
	{"PURGE BINARY LOGS BEFORE NOW() - INTERVAL 1 DAY", PurgeBinaryLogs{Before: "NOW() - INTERVAL 1 DAY"}, ""},
	{"RESET MASTER", ResetMaster{1}, "RESET MASTER TO 1"},
	{"RESET MASTER TO 7", ResetMaster{7}, ""},
	{"RESET REPLICA ALL", ResetSlave{true}, "RESET SLAVE ALL"},
	{"RESET QUERY CACHE", ResetQueryCache{}, ""},
	{"KILL 5", Kill{ID: 5}, ""},
	{"KILL HARD CONNECTION 5", Kill{ID: 5}, "KILL 5"},
	{"KILL SOFT QUERY 5", Kill{Soft: true, Query: true, ID: 5}, ""},
	{"KILL QUERY USER a@localhost", Kill{Query: true, ByUser: true, User: "a", Host: "localhost"}, "KILL QUERY USER `a`@`localhost`"},
	{"KILL USER 'a'", Kill{ByUser: true, User: "a", Host: "%"}, "KILL USER `a`@`%`"},

	{"BEGIN WORK", StartTransaction{}, "START TRANSACTION"},
	{"BEGIN NOT ATOMIC SELECT 1", nil, ""},
	{"START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT", StartTransaction{ReadOnly, true}, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"},
	{"START TRANSACTION READ WRITE", StartTransaction{Access: ReadWrite}, ""},
	{"COMMIT WORK", Commit{}, "COMMIT"},
	{"COMMIT AND NO CHAIN RELEASE", Commit{Completion{Release: true}}, "COMMIT RELEASE"},
	{"ROLLBACK AND CHAIN NO RELEASE", Rollback{Completion{Chain: true}}, "ROLLBACK AND CHAIN"},
	{"ROLLBACK WORK TO s", RollbackTo{"s"}, "ROLLBACK TO SAVEPOINT `s`"},
	{"ROLLBACK TO SAVEPOINT", RollbackTo{"SAVEPOINT"}, "ROLLBACK TO SAVEPOINT `SAVEPOINT`"},
	{"SAVEPOINT `a b`", Savepoint{"a b"}, ""},
	{"RELEASE SAVEPOINT s", ReleaseSavepoint{"s"}, "RELEASE SAVEPOINT `s`"},
	{"LOCK TABLE t READ LOCAL, d.u AS x LOW_PRIORITY WRITE", LockTables{Tables: []LockTable{{Table: TableName{"", "t"}}, {TableName{"d", "u"}, "x", true}}},
		"LOCK TABLES `t` READ, `d`.`u` AS `x` WRITE"},
	{"LOCK TABLES t y WRITE CONCURRENT WAIT 3", LockTables{[]LockTable{{TableName{"", "t"}, "y", true}}, Wait{true, 3}}, "LOCK TABLES `t` AS `y` WRITE WAIT 3"},
	{"LOCK TABLES t READ WAIT 0", LockTables{[]LockTable{{Table: TableName{"", "t"}}}, Wait{Given: true}}, "LOCK TABLES `t` READ NOWAIT"},
	{"UNLOCK TABLE", UnlockTables{}, "UNLOCK TABLES"},
	{"CHECK TABLE t, d.u quick FOR UPGRADE", MaintainTables{Do: Check, Tables: []TableName{{"", "t"}, {"d", "u"}}, Options: []string{"QUICK", "FOR UPGRADE"}},
		"CHECK TABLE `t`, `d`.`u` QUICK FOR UPGRADE"},
	{"ANALYZE LOCAL TABLES t PERSISTENT FOR COLUMNS (a, b) INDEXES (), u PERSISTENT FOR ALL, v", MaintainTables{Do: Analyze, Local: true,
		Tables: []TableName{{"", "t"}, {"", "u"}, {"", "v"}}}, "ANALYZE LOCAL TABLE `t`, `u`, `v`"},
	{"analyze table t update histogram on a using data '{}'", MaintainTables{Do: Analyze, Tables: []TableName{{"", "t"}}}, "ANALYZE TABLE `t`"},
	{"OPTIMIZE TABLE t WAIT 1", MaintainTables{Do: Optimize, Tables: []TableName{{"", "t"}}, Wait: Wait{true, 1}}, "OPTIMIZE TABLE `t` WAIT 1"},
	{"REPAIR NO_WRITE_TO_BINLOG TABLE t QUICK EXTENDED USE_FRM", MaintainTables{Do: Repair, Local: true, Tables: []TableName{{"", "t"}},
		Options: []string{"QUICK", "EXTENDED", "USE_FRM"}}, "REPAIR LOCAL TABLE `t` QUICK EXTENDED USE_FRM"},
	{"CHECKSUM TABLE t, u extended", ChecksumTables{[]TableName{{"", "t"}, {"", "u"}}, "EXTENDED"}, "CHECKSUM TABLE `t`, `u` EXTENDED"},

	{"PREPARE s FROM 'SELECT 1'", Prepare{"s", Operand{StringOperand, "SELECT 1"}}, "PREPARE `s` FROM 'SELECT 1'"},
	{"PREPARE s FROM @x", Prepare{"s", Operand{VariableOperand, "x"}}, "PREPARE `s` FROM @x"},
	{"EXECUTE s", Execute{Name: "s"}, "EXECUTE `s`"},
	{"EXECUTE s USING 1, 'a', @b, null", Execute{"s", []Operand{{NumberOperand, "1"}, {StringOperand, "a"}, {VariableOperand, "b"}, {}}},
		"EXECUTE `s` USING 1, 'a', @b, NULL"},
	{"EXECUTE IMMEDIATE @x USING 1", ExecuteImmediate{Operand{VariableOperand, "x"}, []Operand{{NumberOperand, "1"}}}, ""},
	{"EXECUTE IMMEDIATE", Execute{Name: "IMMEDIATE"}, "EXECUTE `IMMEDIATE`"},
	{"DEALLOCATE PREPARE s", Deallocate{"s"}, "DEALLOCATE PREPARE `s`"},
	{"DROP PREPARE s", Deallocate{"s"}, "DEALLOCATE PREPARE `s`"},
	{"DROP TABLE t", nil, ""},
	{"DO SLEEP(1), 2", Do{"SLEEP(1), 2"}, ""},
	{"SET NAMES utf8mb4 COLLATE utf8mb4_bin", SetNames{Charset{Name: "utf8mb4"}, "utf8mb4_bin"}, "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'"},
	{"SET NAMES DEFAULT COLLATE DEFAULT", SetNames{Charset: Charset{Default: true}}, "SET NAMES DEFAULT"},
	{"SET NAMES 'default'", SetNames{Charset: Charset{Name: "default"}}, ""},
	{"SET NAMES utf8, @x = 1", nil, ""},
	{"SET CHARSET DEFAULT", SetCharacterSet{Charset{Default: true}}, "SET CHARACTER SET DEFAULT"},
	{"SET TRANSACTION READ ONLY, ISOLATION LEVEL READ COMMITTED", SetTransaction{NextTransaction, ReadCommitted, ReadOnly},
		"SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY"},
	{"SET LOCAL TRANSACTION READ WRITE", SetTransaction{Scope: SessionScope, Access: ReadWrite}, "SET SESSION TRANSACTION READ WRITE"},
	{"SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE", SetTransaction{Scope: GlobalScope, Isolation: Serializable}, ""},
	{"SET STATEMENT a = (1 = 2), B:=3 -- why\nFOR SELECT 1", SetStatement{[]string{"a", "b"}, "a = (1 = 2), B:=3 -- why\n", "SELECT 1"}, ""},
	{"SET @x = 1", nil, ""},
	{"ALTER TABLE d.t DISABLE KEYS", AlterKeys{TableName{"d", "t"}, false}, "ALTER TABLE `d`.`t` DISABLE KEYS"},
	{"ALTER TABLE t ENABLE KEYS", AlterKeys{TableName{"", "t"}, true}, "ALTER TABLE `t` ENABLE KEYS"},
	{"ALTER TABLE t ADD k INT", nil, ""},
	{"ALTER TABLE t ENABLE KEYS, ADD k INT", nil, ""},
	{"create or replace table d.t (a int)", CreateOrReplace{"TABLE", false, TableName{"d", "t"}, "CREATE table d.t (a int)", "create or replace table d.t (a int)"}, ""},
	{"CREATE OR REPLACE TEMPORARY TABLE t (a INT)", CreateOrReplace{"TABLE", true, TableName{"", "t"}, "CREATE TEMPORARY TABLE t (a INT)",
		"CREATE OR REPLACE TEMPORARY TABLE t (a INT)"}, ""},
	{"CREATE OR REPLACE VIEW v AS SELECT 1", nil, ""},

	{"XA START 'x'", XA{"START 'x'"}, ""},
	{"HELP 'x'", Help{"'x'"}, ""},
	{"BACKUP STAGE START", Backup{"STAGE START"}, ""},
	{"BINLOG 'x'", Binlog{"'x'"}, ""},
	{"INSTALL SONAME 'x'", Install{"SONAME 'x'"}, ""},
	{"UNINSTALL PLUGIN x", Uninstall{"PLUGIN x"}, ""},
	{"HANDLER d.t OPEN", Handler{TableName{"d", "t"}, "OPEN"}, "HANDLER `d`.`t` OPEN"},
	{"CHANGE MASTER TO MASTER_HOST='x'", ChangeMaster{"TO MASTER_HOST='x'"}, ""},
	{"START REPLICA", StartSlave{"REPLICA"}, ""},
	{"STOP ALL SLAVES", StopSlave{"ALL SLAVES"}, ""},
	{"NOTHING", nil, ""},
	{"`SHOW` BINARY LOGS", nil, ""},
}

func TestStatements(t *testing.T) {
	for _, f := range forms {
		st, err := ParseStatement(f.sql, Mode{})
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
		again, err := ParseStatement(want, Mode{})
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
		{"SHOW TABLES FROM ``", "near '``' at line 1"},
		{"DESCRIBE t x y", "near 'y' at line 1"},
		{"FLUSH NONSENSE", "near 'NONSENSE' at line 1"},
		{"FLUSH LOCAL LOCAL STATUS", "near 'LOCAL STATUS' at line 1"},
		{"FLUSH TABLES WITH READ", "near '' at line 1"},
		{"FLUSH TABLES WITH READ LOCK AND x", "near 'x' at line 1"},
		{"FLUSH STATUS, TABLES", "near 'TABLES' at line 1"},
		{"FLUSH TABLES FOR EXPORT", "No tables used near 'FOR EXPORT' at line 1"},
		{"FLUSH BINARY LOGS DELETE_DOMAIN_ID = (4294967296)", "near '4294967296)' at line 1"},
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
		{"STOP x", "near 'x' at line 1"},
	} {
		st, err := ParseStatement(c.sql, Mode{})
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
		mode := Mode{AnsiQuotes: ansi, NoBackslashEscapes: noEscapes}
		st, err := ParseStatement(sql, mode)
		if err != nil && st != nil {
			t.Fatalf("%q is %#v, and %v", sql, st, err)
		}
		if st == nil || mode != (Mode{}) {
			return
		}
		again, err := ParseStatement(st.String(), mode)
		if err != nil || !reflect.DeepEqual(st, again) {
			t.Fatalf("%q is %#v; printed as %q it is %#v, %v", sql, st, st.String(), again, err)
		}
	})
}
