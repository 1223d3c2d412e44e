// Package catalog holds the definitions of databases, tables, indexes and
// other named objects, and knows how tables are laid out in an engine.
//
// # Versions
//
// A Snapshot is one immutable version of the catalog. A Change says how the
// next version differs; it travels in the log (as JSON, in a private event in
// front of the DDL's Query event) and is applied to the Snapshot and to the
// engine's own copy at the same moment. Registry points to the current
// version. A Change is made of blind puts and removals by id or name, so
// applying it twice changes nothing.
//
// # Keys
//
// Every key in an engine starts with eight bytes:
//
//	4 bytes table id, big endian | 4 bytes index id, big endian | rest
//
// Table id 0 is the meta space (the catalog itself, the log mark and the
// auto-increment counters, see meta.go). Index id 0 holds the rows:
//
//	rows             rest = memcomparable primary key        value = full row image
//	rows, keyless    rest = 8 bytes hidden row id            value = full row image
//	index            rest = index key | rest of the row key  value = empty
//	unique, no NULL  rest = index key                        value = rest of the row key
//
// where "rest of the row key" is the row's key without its eight byte prefix.
// An entry of a unique index that contains a NULL has the form of an
// ordinary index entry, because NULLs are no duplicates of each other. The two
// forms are told apart by the value: it is never empty in the second.
//
// Table and index ids are never used again, so the key space of a dropped
// table can be deleted at any time after it has left the catalog.
package catalog
