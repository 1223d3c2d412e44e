// Package dump dumps a schema with every kind of column, index, constraint, default and object from
// MariaDB and from Duramen, with mariadb-dump, mariadb-dump --tab and mydumper, restores it into the
// other server and into Duramen, and compares definitions and rows with what they were.
//
// testdata/schema.sql is the schema: both servers run it, and what both have in common is compared
// before anything is dumped. testdata/names.sql has names that mydumper of Debian cannot cope with.
package dump
