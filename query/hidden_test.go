package query_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/session"
)

// TestSchemaTablesHide reads every table of information_schema as somebody without any privilege, as somebody who may read
// another table of the same database, and as root, who finds it all: go-mysql-server filters nothing.
func TestSchemaTablesHide(t *testing.T) {
	s := newServer(t)
	root := s.connect()
	for _, text := range []string{
		"CREATE DATABASE mixed", "USE mixed", "CREATE TABLE seen (a INT)",
		"CREATE TABLE hidden_t (hidden_c INT PRIMARY KEY COMMENT 'hidden', CONSTRAINT hidden_k CHECK (hidden_c > 0))",
		"CREATE TABLE hidden_u (a INT, CONSTRAINT hidden_f FOREIGN KEY (a) REFERENCES hidden_t (hidden_c))",
		"CREATE VIEW hidden_v AS SELECT * FROM hidden_t",
		"CREATE TRIGGER hidden_tr BEFORE INSERT ON hidden_t FOR EACH ROW SET @a = 1",
		"CREATE PROCEDURE hidden_p() SELECT 1",
		"CREATE EVENT hidden_e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
		"CREATE USER nobody", "CREATE USER some", "GRANT SELECT ON mixed.seen TO some",
	} {
		root.exec(text)
	}
	tables := strings.Split(root.query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'information_schema'"), "\n")
	found := 0
	for _, user := range []string{"nobody", "some"} {
		c := s.connect(func(ci *session.ConnInfo) { ci.User = user })
		for _, table := range tables {
			read := "SELECT * FROM information_schema.`" + table + "`"
			if strings.Contains(strings.ToLower(root.query(read)), "hidden") {
				found++
			}
			sets, err := c.run(read)
			if err != nil { // tables that need PROCESS
				continue
			}
			require.NotContains(t, strings.ToLower(sets[0].text()), "hidden", "%s sees it in %s", user, table)
		}
		require.Empty(t, c.query("SHOW PROCEDURE STATUS"))
		c.fails(1142, "SELECT * FROM mixed.hidden_of_that_name")
		if user == "nobody" {
			require.Equal(t, "information_schema", c.query("SHOW DATABASES"))
			c.fails(1044, "SHOW TABLES FROM mixed")
		} else {
			require.Equal(t, "information_schema\nmixed", c.query("SHOW DATABASES"))
			require.Equal(t, "seen", c.query("SHOW TABLES FROM mixed"))
		}
		c.Close()
	}
	require.Greater(t, found, 20, "tables in which root sees it")
	root.Close()
}
