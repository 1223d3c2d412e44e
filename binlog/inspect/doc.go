// Package inspect reads binlog files for people and scripts: what "duramen
// binlog ls", "show" and "verify" do. It changes nothing and takes no lock, so
// it works beside a running server, and on the files of a MariaDB or MySQL server.
//
// # Files
//
// Open resolves a data directory, an index file or single files to a Set of
// files. Files are read front to back through one buffer; memory is bounded by the
// largest event of the log, whatever the size of the files.
//
// # Beside a running server
//
// The live file changes while it is read. Its preallocated rest is zeros,
// which end it. Bytes that are invalid at its end may be a write that is going on,
// so Verify looks again at the place before it calls anything damage: what a write
// mark calls durable was there before the mark was.
//
// # Names
//
// A table map has no column names unless binlog_row_metadata=FULL. Duramen's log
// itself has the definition of every table, in private records in front of the
// DDL. Show collects them from the files before those that it shows; a definition
// that has been purged is not known, and columns are then called @1, @2, as
// mariadb-binlog calls them.
//
// # JSON
//
// docs/duramen-binlog.md describes the objects. Their fields are declared here, in
// ListEntry, Record and Report.
package inspect
