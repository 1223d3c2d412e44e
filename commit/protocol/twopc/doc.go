// Package twopc is two-phase commit between engines and the binary log, as MySQL and MariaDB have done it: 2pc,
// 2pc-eager, and what engine has in common with them. An engine gets a redo log of its own (package redo), in which transactions are prepared and committed.
//
// # A commit
//
//	2pc                                                2pc-eager: the whole under one mutex
//	in each engine: prepare record, sync (1)           the same
//	the pipeline: events with an XID, sync (2)         the same, one transaction per group
//	in each engine: commit record; apply               the same, then sync (3)
//
// (1) is shared by all who prepare at the same time, (2) by all of a group. The second phase needs no sync because the
// binary log has decided: a recovery that finds no commit record looks for the XID there.
//
// With the protocol engine (Options.Carry, package enginelog) the binary log is under the redo log of the first engine. Sync (1)
// of that engine falls away: the prepare record precedes the events in the same log, and (2) makes both durable. The other
// engines prepare as before. Before anything else, recovery completes the files of the binary log from that redo log (CompleteLog).
//
// # Replication positions
//
// With Options.Position a row with the GTID of a transaction from another server is among its changes (position.go), in an engine of
// which that may be all that it has of the transaction.
//
// # Which part of the binary log a recovery scans
//
// A commit record has the mark: the place in the binary log that everything up to which the engine holds, once the
// records before are applied. So a recovery scans the log from the last such mark on. A mark counts only if the binary
// log was durable up to there when the record was written (always, with sync_binlog=1): otherwise the record may be there
// and the log not, and the log decides.
//
// When the binary log goes on to another file, commit records of the files before may be in memory only. In the
// background they are synced, together with a record that has no transactions and the mark alone (checkpointLog). Then
// recovery does not need those files any more: the log says so by its next BINLOG_CHECKPOINT event, and they may be
// purged.
//
// # Recovery
//
// Engines come up from their redo logs: everything up to the last mark is applied, and this is what package store takes for
// the engine's mark in its own table (store/recover.go). What is prepared beyond is undecided. Resolve goes
// through the binary log from there, by the table in resolve.go. At the end each engine makes all that durable, and its
// redo log begins anew. Each engine is recovered by itself.
//
// # Trimming
//
// A segment of a redo log can go when all that is prepared in it is decided, and durable in the engine's own files: that is
// after the engine's checkpoint, with whose mark the places of the commits are compared.
//
// # RESET MASTER
//
// A commit record names a place in the old log, which may be after all of the new one. So the redo logs begin anew before the log
// does, when the engines hold everything (reset.go). That only works while nothing is prepared: Commit and Exclusive
// keep each other out.
//
// # The order of changes
//
// Transactions that prepare in one order may commit in another. They have no key in common then, because row locks are held
// until the transaction is applied; with one exception, auto-increment counters, which change.go deals with.
package twopc
