// Package commit turns transactions into log groups: it is the group commit
// pipeline (Pipeline, which implements txn.Committer). Its mirror image, redo
// from the log, is package replay.
//
// It sees its surroundings through two interfaces: a Log, which gives groups their
// places and makes them durable (BinaryLog: the binlog files), and an Applier,
// which makes them visible (EngineApplier: an engine and the catalog). It
// knows neither files nor batches; what only files can do (rotation, reset,
// large transactions) it asks of a log that is segmented.
//
// # The algorithm
//
// A committer hands in a CommitRequest: its events, encoded but without
// positions and checksums, and its changes to the engines.
//
//	Commit(req)
//	    queue.mu: append to the queue; fix the place if possible (see below)
//	    if the queue was not empty: wait to be woken; done
//	    else lead, in this very goroutine:
//
//	    logMu.Lock                         the LOG STAGE begins
//	        window.await                   until fewer groups than the depth are in flight
//	        group-commit delay             binlog_commit_wait_count / _usec, or groupDelay
//	        placing.Lock
//	        queue.mu: take the whole queue; the next to come leads the next group
//	        Reserve                        may fail: nothing is fixed yet
//	        assign GTIDs, sequence         those who have not been on arrival
//	        build, number, checksum        one buffer for the group
//	        Issue                          one write; placing.Unlock
//	        Finish                         its sync; by fdatasync, or directly
//	                                       (other values of sync_binlog: Append, and Sync now and then)
//	    window.enter: applyMu.Lock         the APPLY STAGE begins ...
//	    logMu.Unlock                       ... before the log stage ends
//	        AfterSync hook                 a program's own copy of the group
//	    barrier.Lock                       nobody looks at engine and log together
//	        Apply                          one batch per engine, with the Mark
//	        swap the catalog               if the group holds DDL
//	        Ticket.Apply                   of every request
//	        SetVisible                     replicas and readers of the log may see it
//	    barrier.Unlock, applyMu.Unlock
//	    wake the members, each on its own channel
//
// A lone committer meets free mutexes only: it writes, syncs and applies
// without a hand-over to another goroutine.
//
// # Why the stages overlap hand over hand
//
// The leader of group N takes applyMu while it still holds logMu. If it let go
// of logMu first, the leader of group N+1 could finish its own write and sync
// and reach applyMu earlier: N+1 would be applied before N, and the engine's
// mark would pass over N. With the overlap, groups enter the apply stage in
// the order in which they left the log stage, and while N is applied, N+1 is
// written and synced.
//
// # Several groups in flight
//
// On a device whose syncs are slow the next group need not wait for the sync of
// this one. With a depth of more than 1, a leader lets go of logMu between
// Issue and Finish:
//
//	logMu.Lock
//	    window.await, take the queue, ..., Issue     the bytes get their place
//	    number := window.begin
//	logMu.Unlock
//	    Finish                             several at a time
//	window.enter(number)                   waits until all lower numbers have entered; applyMu.Lock
//	...                                    as above
//
// The numbers replace the overlap of the mutexes: a group enters the apply stage after its predecessor,
// whosever sync was done first. If a sync fails, every later group finds the pipeline broken
// when its turn comes, and is not acknowledged, though its own sync may have succeeded.
//
// The depth is found by measuring (climber): it stays 1 where syncs take less than half a millisecond,
// for a lone committer, and where nothing queues during a sync; else a step more or less is tried
// now and then and kept if it is faster. With a depth of 1 a leader keeps logMu during the sync, may wait
// for the members of the group before (groupDelay), and hands nothing over.
//
// Two direct writes in flight must not share a block, so such a group ends with padding. So does
// any group of several blocks: writing the rest of its last block again with the next
// group would be more work for the device than the padding.
//
// # Waiting for copies
//
// With semi-synchronous replication (SemiSync.BeforeVisible) there is a stage between the two, in which any number of groups
// may be: as many as there are sessions that commit.
//
//	window.enter                           in the order of the log: what is before has been synced
//	    number := copied.begin
//	    Offer                              the replicas that are waited for may read the group
//	logMu.Unlock                           the next group is written and synced
//	BeforeVisible                          returns in any order
//	copied.enter(number): applyMu.Lock     in the order of the log again
//
// So a wait costs its group time, and costs no throughput. Nothing is visible meanwhile: neither to sessions, nor to
// readers of the log other than those replicas. A transaction that no replica gets is not waited for, but keeps its place.
// With BeforeAnswer, which is AFTER_COMMIT, there is no such stage; each committer waits by itself when its transaction is visible.
//
// # Early lock release, and who can still fail
//
// Sequencing a ticket publishes a transaction's writes to later writers and passes on its
// row locks. From then on others may build on it, so it must not fail any
// more, except with the whole process. What can fail is room on the disk.
// Segments are preallocated, hence: a request is sequenced when it arrives,
// under queue.mu, if it fits into the part of the current segment that nobody
// before it in the queue has claimed, and everybody before it is sequenced too. Otherwise it
// is sequenced by the leader, after Reserve. Its GTID is fixed at the same moment
// (numbers), and so is the answer to one that gtid_strict_mode refuses. When Reserve fails, the requests
// that were sequenced on arrival are written (they fit without it), and the
// others get the error, with their locks still held: they roll back.
//
// Sequencing on arrival is what lets many updates of one hot row join one group:
// the second one gets the lock, and the value, while the first one still waits
// for the sync of the group before.
//
// # Places that are lost
//
// A transaction that is Sequenced is not durable yet. Where the log is more than files, its end can be lost before it
// is: Lose drops all places after a given one, as a suffix, in the log, among txn's pending rows and in the queue. See lose.go.
//
// # Large transactions
//
// A request with a file does not go through the queue: see large.go. It gets
// the log stage for itself, after everybody who was sequenced on arrival. What it does there
// does not depend on its size: it completes the header of its segment, syncs it, and rotates onto it.
// Others wait about as long as for a rotation, and once more for the rotation onto the next segment.
//
// # Invariants
//
//	I1  queue order = log order = GTID order (per domain) = apply order.
//	I2  With sync_binlog=1 a group is applied, visible or acknowledged only
//	    after it was synced, and all groups before it.
//	I3  applied <= written, visible <= written, synced <= written; with
//	    sync_binlog=1 also applied <= synced and visible <= synced. With 0 and
//	    N applied and visible may pass synced; but an engine that is about to
//	    make something durable calls SyncTo first, and a reader that serves a
//	    replica syncs first (binlog.NewDurableReader): nobody's disk is ever
//	    ahead of the log's.
//	I4  An engine's rows and its Mark move in one batch. Marks never go back.
//	I5  Tickets become Sequenced in queue order, and from there on Applied or,
//	    newest places first to go, Lost; that of a request that Commit refuses stays Waiting.
//	I6  After a failed write, sync or Apply nothing is acknowledged, ever:
//	    Fatal is called, which ends the process. Nothing is retried, because
//	    after a failed fsync nobody knows what is in the file.
//
// A consequence that surprises: a reader of a semi-synchronous replica can see a transaction
// before a reader of the primary does;
// and a writer can build on a value that no reader has seen yet.
//
// # Locks
//
// logMu -> window.mu, copied.mu; copied.mu is taken for moments, and no mutex but those of ResetLog is held during BeforeVisible. logMu -> placing -> applyMu -> barrier -> (engine, queue.mu, txn's pending overlay);
// logMu -> queue.mu -> (txn's pending overlay and lock table, by Ticket.Sequence).
// Nothing takes logMu, applyMu or barrier under queue.mu. SyncTo takes none of
// them: an engine calls it while Apply may wait for that same engine.
package commit
