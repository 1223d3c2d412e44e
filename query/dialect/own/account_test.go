package own

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	runner "github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// accountStatements are statements about accounts and how they print; "" for as they are.
var accountStatements = []struct{ sql, want string }{
	{"create user u", "CREATE USER `u`"},
	{"create or replace user u@h identified by 'x'", "CREATE OR REPLACE USER `u`@`h` IDENTIFIED BY 'x'"},
	{"create user if not exists 'a''b'@'%.EXAMPLE', ``@h", "CREATE USER IF NOT EXISTS `a'b`@`%.example`, ``@`h`"},
	{"CREATE USER u@ IDENTIFIED BY PASSWORD '*0'", "CREATE USER `u`@`%` IDENTIFIED BY PASSWORD '*0'"},
	{"CREATE USER u @h, v@'', `w`@`x``y`", "CREATE USER `u`@`h`, `v`@`%`, `w`@`x``y`"},
	{"CREATE USER u IDENTIFIED VIA Mysql_Native_Password", "CREATE USER `u` IDENTIFIED VIA `mysql_native_password`"},
	{"CREATE USER u IDENTIFIED WITH mysql_native_password USING PASSWORD('x')", "CREATE USER `u` IDENTIFIED BY 'x'"},
	{"CREATE USER u IDENTIFIED VIA caching_sha2_password AS '$A$'", "CREATE USER `u` IDENTIFIED VIA `caching_sha2_password` USING '$A$'"},
	{"CREATE USER u IDENTIFIED WITH caching_sha2_password USING PASSWORD('x\\\\')", "CREATE USER `u` IDENTIFIED VIA `caching_sha2_password` USING PASSWORD('x\\\\')"},
	{"CREATE USER u IDENTIFIED BY ''", "CREATE USER `u` IDENTIFIED BY ''"},
	{"CREATE USER u REQUIRE NONE WITH MAX_USER_CONNECTIONS -5 MAX_QUERIES_PER_HOUR 1 MAX_QUERIES_PER_HOUR 99999999999 ACCOUNT LOCK",
		"CREATE USER `u` REQUIRE NONE WITH MAX_QUERIES_PER_HOUR 4294967295 MAX_USER_CONNECTIONS -1 ACCOUNT LOCK"},
	{"CREATE USER u REQUIRE SUBJECT 's' AND CIPHER 'c' ISSUER 'i' PASSWORD EXPIRE INTERVAL 3 DAY ACCOUNT UNLOCK",
		"CREATE USER `u` REQUIRE ISSUER 'i' SUBJECT 's' CIPHER 'c' ACCOUNT UNLOCK PASSWORD EXPIRE INTERVAL 3 DAY"},
	{"CREATE USER u REQUIRE CIPHER ''", "CREATE USER `u` REQUIRE CIPHER ''"},
	{"CREATE USER u WITH MAX_STATEMENT_TIME .5 MAX_UPDATES_PER_HOUR 2 MAX_CONNECTIONS_PER_HOUR 3",
		"CREATE USER `u` WITH MAX_UPDATES_PER_HOUR 2 MAX_CONNECTIONS_PER_HOUR 3 MAX_STATEMENT_TIME 0.5"},
	{"alter user if exists u identified by 'x', v require ssl password expire never",
		"ALTER USER IF EXISTS `u` IDENTIFIED BY 'x', `v` REQUIRE SSL PASSWORD EXPIRE NEVER"},
	{"ALTER USER CURRENT_USER() REQUIRE X509 PASSWORD EXPIRE DEFAULT", "ALTER USER CURRENT_USER REQUIRE X509 PASSWORD EXPIRE DEFAULT"},
	{"ALTER USER u PASSWORD EXPIRE", "ALTER USER `u` PASSWORD EXPIRE"},
	{"DROP USER IF EXISTS u, v@h", "DROP USER IF EXISTS `u`, `v`@`h`"},
	{"RENAME USER a TO b@h, c@h TO d", "RENAME USER `a` TO `b`@`h`, `c`@`h` TO `d`"},
	{"SET PASSWORD = PASSWORD('x')", ""},
	{"SET PASSWORD FOR u@h = OLD_PASSWORD('x')", "SET PASSWORD FOR `u`@`h` = PASSWORD('x')"},
	{"SET PASSWORD FOR CURRENT_USER = ''", ""},
	{"SHOW CREATE USER", ""},
	{"SHOW CREATE USER u@h", "SHOW CREATE USER `u`@`h`"},
	{"create or replace role r, `s`", "CREATE OR REPLACE ROLE `r`, `s`"},
	{"CREATE ROLE IF NOT EXISTS r WITH ADMIN CURRENT_ROLE()", "CREATE ROLE IF NOT EXISTS `r` WITH ADMIN CURRENT_ROLE"},
	{"DROP ROLE IF EXISTS 'r', event", "DROP ROLE IF EXISTS `r`, `event`"},
	{"SET ROLE none", "SET ROLE NONE"},
	{"SET ROLE 'r'", "SET ROLE `r`"},
	{"SET DEFAULT ROLE NONE", ""},
	{"SET DEFAULT ROLE r FOR u@h", "SET DEFAULT ROLE `r` FOR `u`@`h`"},
	{"GRANT event TO u, v WITH ADMIN OPTION", "GRANT `event` TO `u`, `v` WITH ADMIN OPTION"},
	{"REVOKE ADMIN OPTION FOR r FROM u", "REVOKE ADMIN OPTION FOR `r` FROM `u`"},
	{"REVOKE r FROM CURRENT_USER", "REVOKE `r` FROM CURRENT_USER"},
	{"grant select, create temporary  tables on d.* to u", "GRANT SELECT, CREATE TEMPORARY TABLES ON `d`.* TO `u`"},
	{"GRANT ALL ON *.* TO u@h IDENTIFIED BY 'x' REQUIRE SSL WITH MAX_USER_CONNECTIONS 2 GRANT OPTION",
		"GRANT ALL PRIVILEGES ON *.* TO `u`@`h` IDENTIFIED BY 'x' REQUIRE SSL WITH GRANT OPTION MAX_USER_CONNECTIONS 2"},
	{"GRANT GRANT OPTION, replication client ON * TO u", "GRANT GRANT OPTION, REPLICATION CLIENT ON * TO `u`"},
	{"GRANT binlog  monitor, REPLICATION\nREPLICA, Slave Monitor, read_only admin, replication /* */ client ON *.* TO u",
		"GRANT BINLOG MONITOR, REPLICATION REPLICA, SLAVE MONITOR, READ_ONLY ADMIN, BINLOG MONITOR ON *.* TO `u`"},
	{"GRANT INSERT, SELECT (a, `b``c`), UPDATE(a) ON t TO u", "GRANT INSERT, SELECT (`a`,`b``c`), UPDATE (`a`) ON `t` TO `u`"},
	{"GRANT SELECT ON TABLE `a.b`.`c``d` TO u, v IDENTIFIED BY ''", "GRANT SELECT ON `a.b`.`c``d` TO `u`, `v` IDENTIFIED BY ''"},
	{"GRANT INSERT ON procedure.select TO u", "GRANT INSERT ON `procedure`.`select` TO `u`"},
	{"GRANT EXECUTE ON FUNCTION f TO u", "GRANT EXECUTE ON FUNCTION `f` TO `u`"},
	{"GRANT EXECUTE ON PROCEDURE d.p TO u", "GRANT EXECUTE ON PROCEDURE `d`.`p` TO `u`"},
	{"REVOKE USAGE ON t FROM u", "REVOKE USAGE ON `t` FROM `u`"},
	{"REVOKE ALL ON d.* FROM u, v", "REVOKE ALL PRIVILEGES ON `d`.* FROM `u`, `v`"},
	{"REVOKE ALL, GRANT OPTION FROM u", "REVOKE ALL PRIVILEGES, GRANT OPTION FROM `u`"},
	{"SHOW GRANTS", ""},
	{"SHOW GRANTS FOR CURRENT_ROLE()", "SHOW GRANTS FOR CURRENT_ROLE"},
}

func TestAccountStatements(t *testing.T) {
	for _, c := range accountStatements {
		st, err := parse(c.sql, dialect.Mode{})
		require.NoError(t, err, c.sql)
		require.NotNil(t, st, c.sql)
		want := c.want
		if want == "" {
			want = c.sql
		}
		require.Equal(t, want, st.String(), c.sql)
		again, err := parse(st.String(), dialect.Mode{})
		require.NoError(t, err, c.sql)
		require.Equal(t, st, again, c.sql)
	}
}

func TestNotAboutAccounts(t *testing.T) {
	for _, sql := range []string{
		"CREATE TABLE user (a INT)", "CREATE OR REPLACE TABLE t (a INT)", "ALTER TABLE t DISABLE KEYS", "DROP TABLE user", "DROP PREPARE p",
		"RENAME TABLE a TO b", "SET @x = 1", "SET `role` = 1", "SET DEFAULT x", "SHOW TABLES", "SHOW CREATE TABLE user", "`GRANT` x",
	} {
		st, err := parse(sql, dialect.Mode{})
		require.NoError(t, err, sql)
		require.False(t, runner.Runs(st), sql)
	}
}

// The places of syntax errors are those of MariaDB 10.11, except where it names the token before.
func TestAccountErrors(t *testing.T) {
	long := strings.Repeat("ä", 129)
	for _, c := range []struct {
		sql    string
		number uint16
		text   string // of the error; for 1064, what the error is near to
	}{
		{"CREATE USER", mysqlerr.Parse, ""},
		{"CREATE USER select", mysqlerr.Parse, "select"},
		{"CREATE USER u@ h", mysqlerr.Parse, "h"},
		{"CREATE USER 'u' @ 'h'", mysqlerr.Parse, "'h'"},
		{"CREATE USER 'u'@'h'@'i'", mysqlerr.Parse, "@'i'"},
		{"CREATE USER 12", mysqlerr.Parse, "12"},
		{"CREATE USER @h", mysqlerr.Parse, "@h"},
		{"CREATE USER u ACCOUNT LOCK ACCOUNT UNLOCK", mysqlerr.Parse, "ACCOUNT UNLOCK"},
		{"CREATE USER u PASSWORD EXPIRE PASSWORD EXPIRE NEVER", mysqlerr.Parse, "PASSWORD EXPIRE NEVER"},
		{"CREATE USER u PASSWORD EXPIRE INTERVAL 5", mysqlerr.Parse, ""},
		{"CREATE USER u PASSWORD EXPIRE INTERVAL 0 DAY", mysqlerr.NoSuchKeyValue, "Incorrect DAY value: '0'"},
		{"CREATE USER u WITH", mysqlerr.Parse, ""},
		{"CREATE USER u WITH GRANT OPTION", mysqlerr.Parse, "GRANT OPTION"},
		{"CREATE USER u WITH MAX_USER_CONNECTIONS x", mysqlerr.Parse, "x"},
		{"CREATE USER u WITH MAX_STATEMENT_TIME nan", mysqlerr.Parse, "nan"},
		{"CREATE USER u WITH MAX_STATEMENT_TIME 31536001", mysqlerr.WrongValueForVar, "Variable 'MAX_STATEMENT_TIME' can't be set to the value of '31536001'"},
		{"CREATE USER u WITH MAX_QUERIES_PER_HOUR -1", mysqlerr.Parse, "-1"},
		{"CREATE USER u REQUIRE ISSUER 'x' AND", mysqlerr.Parse, ""},
		{"CREATE USER u REQUIRE SSL AND X509", mysqlerr.Parse, "AND X509"},
		{"CREATE USER u IDENTIFIED x", mysqlerr.Parse, "x"},
		{"CREATE USER u IDENTIFIED BY x", mysqlerr.Parse, "x"},
		{"CREATE USER u IDENTIFIED VIA p USING PASSWORD 'x'", mysqlerr.Parse, "'x'"},
		{"CREATE USER u IDENTIFIED VIA p OR q", mysqlerr.NotSupportedYet, ""},
		{"CREATE USER " + long, mysqlerr.WrongStringLength, "String '" + long + "' is too long for user name (should be no longer than 128)"},
		{"CREATE OR REPLACE USER IF NOT EXISTS u", mysqlerr.WrongUsage, "Incorrect usage of OR REPLACE and IF NOT EXISTS"},
		{"CREATE ROLE r@h", mysqlerr.Parse, "@h"},
		{"CREATE ROLE public", mysqlerr.InvalidRole, "Invalid role specification `PUBLIC`"},
		{"CREATE ROLE ''", mysqlerr.InvalidRole, "Invalid role specification ``"},
		{"SET ROLE 'none'", mysqlerr.InvalidRole, "Invalid role specification `NONE`"},
		{"SET ROLE", mysqlerr.Parse, ""},
		{"SET DEFAULT ROLE FOR u", mysqlerr.Parse, "FOR u"},
		{"SET PASSWORD = PASSWORD('x'), @x = 1", mysqlerr.NotSupportedYet, ""},
		{"RENAME USER u TO", mysqlerr.Parse, ""},
		{"RENAME USER u TO v, w", mysqlerr.Parse, ""},
		{"DROP USER u v", mysqlerr.Parse, "v"},
		{"GRANT SELECT TO u", mysqlerr.Parse, "TO u"},
		{"GRANT SELECT, ALL ON *.* TO u", mysqlerr.Parse, "ALL ON *.* TO u"},
		{"GRANT `select` ON d.t TO u", mysqlerr.Parse, "ON d.t TO u"},
		{"GRANT SELECT ON TABLE TO u", mysqlerr.Parse, "TO u"},
		{"GRANT SELECT ON select TO u", mysqlerr.Parse, "select TO u"},
		{"GRANT PROXY ON u TO v", mysqlerr.NotSupportedYet, ""},
		{"GRANT EXECUTE ON PACKAGE d.p TO u", mysqlerr.Parse, "d.p TO u"},
		{"GRANT INSERT ON function TO u", mysqlerr.Parse, "TO u"},
		{"GRANT SELECT ON `` TO u", mysqlerr.WrongTableName, "Incorrect table name ''"},
		{"GRANT SELECT ON d.t TO u WITH", mysqlerr.Parse, ""},
		{"REVOKE GRANT OPTION, ALL PRIVILEGES FROM u", mysqlerr.Parse, "ALL PRIVILEGES FROM u"},
		{"GRANT r, s TO u", mysqlerr.Parse, " s TO u"},
		{"REVOKE r, s FROM u", mysqlerr.Parse, " s FROM u"},
		{"SHOW GRANTS u", mysqlerr.Parse, "u"},
	} {
		st, err := parse(c.sql, dialect.Mode{})
		require.Nil(t, st, c.sql)
		var e *mysqlerr.Error
		require.ErrorAs(t, err, &e, c.sql)
		require.Equal(t, c.number, e.Number, c.sql)
		switch {
		case c.number == mysqlerr.Parse:
			require.Contains(t, e.Message, "to use near '"+c.text+"' at line 1", c.sql)
		case c.text != "":
			require.Equal(t, c.text, e.Message, c.sql)
		}
	}
}

func TestLogged(t *testing.T) {
	hash := func(plugin, password string) (string, error) { return plugin + `\` + password, nil }
	for _, c := range []struct{ sql, raw, hashed, bare string }{
		{"CREATE USER u IDENTIFIED BY 'x', v IDENTIFIED BY ''",
			"CREATE USER `u` IDENTIFIED BY <secret>, `v` IDENTIFIED BY ''",
			"CREATE USER `u` IDENTIFIED BY PASSWORD 'mysql_native_password\\\\x', `v` IDENTIFIED BY ''",
			"CREATE USER `u` IDENTIFIED BY PASSWORD 'mysql_native_password\\x', `v` IDENTIFIED BY ''"},
		{"ALTER USER u IDENTIFIED VIA p USING PASSWORD('x')",
			"ALTER USER `u` IDENTIFIED VIA `p` USING PASSWORD(<secret>)",
			"ALTER USER `u` IDENTIFIED VIA `p` USING 'p\\\\x'",
			"ALTER USER `u` IDENTIFIED VIA `p` USING 'p\\x'"},
		{"GRANT USAGE ON *.* TO u IDENTIFIED BY 'x'",
			"GRANT USAGE ON *.* TO `u` IDENTIFIED BY <secret>",
			"GRANT USAGE ON *.* TO `u` IDENTIFIED BY PASSWORD 'mysql_native_password\\\\x'",
			"GRANT USAGE ON *.* TO `u` IDENTIFIED BY PASSWORD 'mysql_native_password\\x'"},
		{"SET PASSWORD = PASSWORD('x')",
			"SET PASSWORD = PASSWORD(<secret>)",
			"SET PASSWORD = 'mysql_native_password\\\\x'",
			"SET PASSWORD = 'mysql_native_password\\x'"},
	} {
		st, err := parse(c.sql, dialect.Mode{})
		require.NoError(t, err)
		require.Equal(t, c.raw, dialect.Logged(st, dialect.Mode{}))
		// The methods differ in their results only.
		of := reflect.ValueOf(st).MethodByName("Hashed").Call([]reflect.Value{reflect.ValueOf(dialect.Hash(hash))})
		require.True(t, of[1].IsNil())
		hashed := of[0].Interface().(dialect.Statement)
		require.Equal(t, c.hashed, dialect.Logged(hashed, dialect.Mode{}))
		require.Equal(t, c.bare, dialect.Logged(hashed, dialect.Mode{NoBackslashEscapes: true}))
	}
	require.Equal(t, "SHUTDOWN", dialect.Logged(dialect.Shutdown{}, dialect.Mode{}))
}

// FuzzAccountStatement checks that a statement prints as one of the same value, under every sql_mode.
func FuzzAccountStatement(f *testing.F) {
	for _, c := range accountStatements {
		f.Add(c.sql, false, false)
	}
	f.Add(`CREATE USER "u" IDENTIFIED BY 'a\' REQUIRE SUBJECT '\\'`, true, true)
	f.Add("SHUTDOWN", false, false)
	f.Fuzz(func(t *testing.T, sql string, ansiQuotes, noBackslashEscapes bool) {
		mode := dialect.Mode{AnsiQuotes: ansiQuotes, NoBackslashEscapes: noBackslashEscapes}
		st, err := parse(sql, mode)
		if err != nil || st == nil {
			return
		}
		again, err := parse(st.String(), dialect.Mode{})
		require.NoError(t, err, st.String())
		require.Equal(t, st, again)
		logged := dialect.Logged(st, mode)
		if again, err = parse(logged, mode); err == nil {
			require.Equal(t, st, again)
		} else {
			require.Contains(t, logged, "<secret>")
		}
	})
}
