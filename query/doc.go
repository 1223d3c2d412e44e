// Package query is the SQL layer: an Engine over a store, and the Session of one connection, which finds out who runs each of
// its statements.
//
// A statement takes this way (Session.Execute):
//
//  1. split (query/dialect): executable comments (/*!40101 … */, /*M!100000 … */) are opened, and the first of several statements
//     in one packet is taken.
//  2. own: SHOW, FLUSH, KILL, BEGIN, SET STATEMENT and the like are values of query/dialect. The privileges that they need are
//     asked for (query/access), and query/admin runs them; what concerns accounts, query/account.
//  3. the rest goes to the SQL engine (query/gms). It parses the statement (cached by its text) and says what it does: reads,
//     changes rows, defines something; which tables it names, and how it must read each of them (query/statement). It asks for its
//     privileges.
//  4. transaction (query/session): a definition commits what is open; everything else runs in the session's transaction, begun at
//     need, with metadata locks on its tables.
//  5. run: go-mysql-server binds, plans and executes it on query/gms/tables. If a row has changed between its read and its lock
//     (txn.ErrRowChanged), the statement is rolled back to its start, keeping its locks, and runs again (session.Attempt);
//     therefore results of locking statements are held back until they are final.
//  6. end: autocommit or implicit commit; the result's last packet is sent only after the commit is durable.
//
// # Process-wide state
//
// go-mysql-server keeps system variables in the process-wide sql.SystemVariables. Values that belong to one server (server_id,
// sync_binlog, port, …) live in Engine.Variables and are read and written there; the process-wide registry only gives
// go-mysql-server the names, types and defaults of variables, so two Engines in one process share nothing but those.
package query
