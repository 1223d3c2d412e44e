// Package query is the SQL layer: an Engine over go-mysql-server and our own
// storage, and the Session that runs the statements of one connection.
//
// A statement takes this way (Session.Execute):
//
//  1. split: several statements in one packet are separated by the parser;
//     versioned comments (/*!40101 … */, /*M!100000 … */) are opened.
//  2. admin: what go-mysql-server cannot parse, or answers wrongly for a
//     MariaDB server, is recognised by a small parser of our own (SHOW MASTER
//     STATUS, FLUSH, PURGE, SET STATEMENT, …) and answered here.
//  3. classify: from the parsed statement (cached by text) follows what it does:
//     reads, changes rows, DDL, transaction control; which tables it names and
//     how it must read each of them (Access).
//  4. transaction: DDL commits what is open; everything else runs in the
//     session's transaction, begun at need, with metadata locks on its tables.
//  5. run: go-mysql-server binds, plans and executes it on package tables. If a
//     row changed between its read and its lock (txn.ErrRowChanged), the
//     statement is rolled back to its start, keeping its locks, and run again;
//     therefore results of locking statements are buffered until they are final.
//  6. end: autocommit or implicit commit; the result's last packet is sent only
//     after the commit is durable.
//
// # Process-wide state
//
// go-mysql-server keeps system variables in the process-wide
// sql.SystemVariables. Values that belong to one server (server_id, sync_binlog,
// port, …) live in Engine.Variables and are read and written there; the
// process-wide registry only gives go-mysql-server the names, types and defaults
// of variables, so two Engines in one process share nothing but those.
package query
