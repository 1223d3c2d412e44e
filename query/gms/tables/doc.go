// Package tables gives the SQL engine its databases, tables, indexes and
// editors: go-mysql-server's storage interfaces, implemented on package txn.
//
// # What is remembered, and where
//
// Nothing about data is kept here. A Database, Table or Index object is made
// for one statement from the catalog version that the session's transaction
// sees; its rows are read and written through that transaction. So two
// statements never share state except through txn, and a restart loses nothing.
//
//   - Provider, Database: databases and tables of a catalog version.
//   - version: one table version as SQL sees it (schema, codec, column sets);
//     made once, shared by all sessions, immutable.
//   - Table: a table in a statement that reads or changes rows, with the columns that it wants
//     (projection); IndexedTable: the same, read through an index.
//   - alterable: the part of a Table that is the same for every statement: its definition, which
//     methods look up anew and change.
//   - editor: INSERT, UPDATE, DELETE and REPLACE of rows, one method each.
//   - rewriter: ALTER TABLE that copies all rows into a new key space.
//
// # Reading
//
// The session says how the running statement reads a table (Access): from the
// transaction's snapshot, or the latest state with locks. An index lookup
// becomes byte ranges of the index's key space (ranges.go). Where a lookup says
// more than byte ranges can, the rows found are checked once more against the
// lookup itself.
//
// # Writing
//
// A row is encoded once into a row image, which txn logs and stores. UPDATE and
// DELETE pass txn the image that the statement has read; if the row is a
// different one by the time it is locked, txn returns ErrRowChanged, which goes
// up unchanged and makes the session run the statement again. A table without
// primary key has hidden row ids; the statement remembers which ids it has seen
// after which image (Statement).
//
// # Schema changes
//
// Every change of a definition is one catalog.Change added to the session's
// transaction, whose later look-ups see it. Rows are never changed in place by
// DDL: a table that has to be rewritten gets a new id, and with it a new key
// space, which txn.BulkWriter fills; nothing refers to it before the commit.
package tables
