// Package ddltext writes definitions of the catalog in MariaDB's words: types, defaults, expressions
// and the lines of SHOW CREATE TABLE. SHOW statements and information_schema both take their texts
// from here, so that they agree.
//
// The texts are those of MariaDB 10.11 (sql/sql_show.cc: show_create_table; sql/item.cc and
// sql/item_func.cc: Item::print), because dumps, replicas, ORMs and schema comparisons read them
// literally. test/dialect/testdata/info_* compares them with a server.
package ddltext
