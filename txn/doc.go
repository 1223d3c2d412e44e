// Package txn is transactions: read views, row and metadata locks, write sets,
// savepoints, and the row events of the log.
//
// # Where a row is
//
// A committed row is in one of two places: the engine, once its transaction
// was applied, or the pending rows (pending.go), from the moment its place in the log is
// fixed until the engine has it. Uncommitted rows are in their
// transaction's write set (writeset.go) and nowhere else.
//
//	plain read (Snapshot)    own writes, then the read view: an engine snapshot
//	the only plain read      the same, on the engine itself: one look needs no snapshot
//	  of a transaction (Alone)
//	locking read, write      lock the row, then own writes, pending rows, engine
//	Latest                   as a locking read, without the lock
//
// So a plain read never sees what a crash could take back, and a writer works
// on the newest version, durable or not. It cannot be acknowledged before that version
// is durable, because the log is one order.
//
// # Locks
//
// Writes lock row keys, and every key of a unique index that they take or give
// up, exclusively, before they read the newest version of it. Locks are held until
// the commit has its place in the log (early lock release) or the rollback. There
// are no gap locks: a locking range scan does not keep others from
// inserting into the range. Metadata locks on names live in the same lock
// manager, so that a deadlock between both kinds is found; they are held until the
// transaction is applied. See package lock, and docs/LOCKS.md for mutexes.
//
// # Lost updates
//
// Update and Delete are given the image that the caller has read. If the
// locked row is another one by then they return ErrRowChanged, and the caller rolls the
// statement back and runs it again with the lock still held.
//
// # A statement and its events
//
// Rows changed by a statement are encoded once. The image goes into the event
// log (package rowlog) and into the write set, and from there to the log and to the
// engine. A statement that is rolled back is cut off both.
//
// # Large transactions
//
// What a transaction keeps in memory is bounded, whatever it changes:
//
//	events       binlog_cache_size (or 256 KiB, once there is a file); what is more is
//	             in a file that will be the log's (EventFile)
//	write set    binlog_large_commit_threshold; what is more is in sorted files
//	             (package spill), and 2.5 bytes for each key are in memory
//	row locks    140 bytes each for the first 65536, then 11 (lock/escalation.go);
//	             shared locks are always in the table
//
// A transaction is large when its events or its write set exceed the
// threshold. It is handed to the committer as a file of events and, if its write set is in
// files, an engine.Import; both are made before it asks for its place. Then it keeps its row
// locks until it is applied, as nobody could look for its writes among the pending rows. A
// transaction between the two bounds is read back into memory for its commit.
//
// Under sql_log_bin=0 the file is rewritten as several private records, each of which can be
// replayed by itself.
//
// # The committer's duties
//
// Commit hands a CommitRequest to the Committer, who
//
//  1. fixes the place of requests in the log one after the other and moves the
//     ticket of each to Sequenced, in that order, before it takes any later request;
//  2. makes the events durable;
//  3. applies requests in the same order: Write into an engine batch, Apply (or ApplyImport),
//     publish the catalog, move the ticket to Applied; while ApplyBarrier keeps others out;
//  4. returns from Commit.
//
// If step 1 cannot be done, Commit returns an error and the ticket stays Waiting.
//
// A committer whose log can lose its end (a leader that is one no more) moves the tickets of all transactions after a
// place in the log to Lost, and then begins a new epoch. Their pending rows are dropped, as one suffix. Whoever has
// read such rows, with a lock or not, finds that out when it commits, or asks whether what it has read may leave the
// server (AwaitVisible): ErrLost.
package txn
