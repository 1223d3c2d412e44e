// Package crash kills a loaded server with SIGKILL, again and again, and
// compares what it comes back with to what it had acknowledged.
//
// Several writers run transactions of several statements over four tables: a
// ledger with two secondary indexes, a row of counters per writer, a journal
// without a primary key, and accounts whose sum must never change. One more
// connection creates and drops tables. Each writer remembers, outside the
// server, the number of its last acknowledged transaction. After a restart the
// tables must show that number or, if a commit was under way, the next one; and
// all four tables must show the same one.
//
// A killed process loses nothing that it gave to the operating system, so this
// test finds lost acknowledgements, half-applied transactions and faulty
// replay. Lost syncs are the matter of the tests on the crashable file system.
package crash
