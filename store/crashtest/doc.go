// Package crashtest is the crash laboratory: random transactions of several clients on a store whose log and
// engines live in one file system in memory (internal/crashfs), which loses power before any operation, keeping a
// random part of what was not synced, and some of it torn; then recovery, a comparison with what
// had been acknowledged, seen by readers or sent to replicas, and the same again from there.
//
// There are two of it. The exact one (RunExact, TestExact) lets one goroutine run at a time, chosen by the seed at every
// operation of the file system and every step of a client, so that a seed repeats exactly: the
// same steps, the same crashed file systems. Several crashes of a life are recovered, each on its own.
// The free one (RunFree, TestFree) lets goroutines run as the runtime schedules them: it meets interleavings
// of memory accesses, and full and broken disks.
//
// The model has three states: a transaction is present (it was acknowledged with sync_binlog=1, found by a recovery, or seen
// by a reader or replica), absent (it was rolled back, refused, or not found by a recovery), or maybe (it was
// being committed, or was acknowledged with a relaxed sync_binlog): what is found must be a prefix
// of the history in log order.
package crashtest
