// Package clone makes the data directory of a new replica out of a running MariaDB, MySQL or Duramen.
//
// # Files
//
// A Duramen sends the files of its data directory (files.go; package shipment), if the options and the source allow it. The new server recovers from them and is
// made one of its own (adopt.go): what the source knew of its primaries goes, its events are disabled, and the log is replaced. The rest of this page is
// about what is copied by statements.
//
// # What is copied
//
// Databases, tables with their rows, views, routines, triggers, events and accounts with what is granted to them. System databases are
// not. What the new server refuses is a Problem: it is told with its reason, and the clone fails unless Options.SkipErrors names it. All
// definitions are tried before the first row is copied.
//
// # Consistency
//
// All rows are read in transactions that see the same state of the source, and that state has a place in its log (snapshot.go). Rows are
// therefore those of one moment whatever is written meanwhile. Definitions are not versioned: they are read before the snapshot is taken
// and once more after it, until both are equal; so none changed between its reading and the snapshot. A table that is altered later, before its
// rows were read, makes reading it fail (error 1412), and the clone with it. Tables of engines without transactions have no snapshot:
// they are a Problem, unless Options.Lock keeps everybody from writing.
//
// # Values
//
// The text protocol with character_set_results=NULL gives the bytes that the source stores, whatever their character set, and the new server takes
// them as they are: as LOAD DATA with CHARACTER SET binary, or as hexadecimal literals (column.go). Two types need more. A FLOAT is printed
// with six digits, which is not its value: it is read as DOUBLE. The members of ENUM and SET are read as numbers where rows are
// written with INSERT. TIMESTAMPs are read and written in time zone +00:00.
//
// # The new server
//
// It runs within this process, on a unix socket in a directory of its own. Its sessions do not log (sql_log_bin=0), and RESET MASTER comes last, so
// that its log holds nothing, begins with the GTID state of the snapshot if it follows, and what it receives goes on there. Until then the directory has a
// file store.UnfinishedName, with which no server starts.
package clone
