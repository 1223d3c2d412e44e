package query_test

import "testing"

// TestDatabaseNames: words that are keywords for go-mysql-server alone are names of databases.
func TestDatabaseNames(t *testing.T) {
	c := newServer(t).connect()
	for _, name := range []string{"work", "local", "plain", "`order`"} {
		c.exec("CREATE DATABASE %s", name)
		c.exec("CREATE DATABASE IF NOT EXISTS %s CHARACTER SET latin1", name)
		c.exec("CREATE TABLE %s.t (id INT)", name)
		c.exec("DROP DATABASE IF EXISTS %s", name)
		c.exec("CREATE SCHEMA %s", name)
		c.exec("DROP SCHEMA %s", name)
		c.exec("DROP DATABASE IF EXISTS %s", name)
	}
}
