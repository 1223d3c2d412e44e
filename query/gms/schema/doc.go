// Package schema converts between the SQL engine's view of a table and the
// storage's: column types to MYSQL_TYPE_* codes with their metadata, column
// definitions to catalog.ColumnDef, and values to and from the Go values that
// package row encodes.
//
// # Types
//
// A column keeps its SQL type as text (ColumnDef.SQLType), from which the
// engine's sql.Type is parsed again, and the binlog's type code and metadata.
// Three types differ between the two sides:
//
//   - JSON is LONGTEXT with collation utf8mb4_bin, as in MariaDB, so that a
//     replica reads it.
//   - TIME(n): go-mysql-server knows one TIME type with six digits; the declared
//     precision comes from the statement and is kept in the metadata.
//   - VECTOR is a LONGBLOB.
//
// # Values
//
// A Codec is made once per table version. Its functions are chosen per column
// when it is made, so the row path has no type switch on SQL types, no
// reflection and no JSON.
package schema
