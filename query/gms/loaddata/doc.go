// Package loaddata has the rows of LOAD DATA, in place of go-mysql-server's, which takes lines apart before it looks at escapes and
// enclosures. The rules are those of MariaDB's sql/sql_load.cc, as tests compare them.
package loaddata
