// Package infoschema is MariaDB's information_schema, and what can be read of its database mysql: their tables with MariaDB's columns, filled from
// the catalog version that the statement sees, and from the server's variables and counters.
//
// columns.tsv lists the columns of every table (name, type, nullability) as MariaDB 10.11 has them,
// collations.tsv, charsets.tsv and keywords.txt its constants. A table is a function that yields rows
// (see fillers in table.go); a table without one is always empty here, as it is in a MariaDB that uses
// none of what it describes. What can be read is listed, and what is listed can be read.
//
// Rows of databases, tables, views, triggers and routines go through Server.Visible before they are
// shown: that is the place for privileges.
package infoschema
