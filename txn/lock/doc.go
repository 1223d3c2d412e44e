// Package lock is the locks of transactions: on rows, on the keys of unique
// indexes, and on names (metadata locks). All of them are in one table, so that a
// deadlock between different kinds is found.
//
// # Keys
//
// What is locked is named by a key, of which the table keeps a 64-bit hash: two
// keys with the same hash share a lock. That costs a needless wait once in a
// very long time and saves a copy of every locked key.
//
// # Order
//
// A lock is granted in the order of arrival: a request waits if it conflicts
// with a holder or with a request in front of it, except that a holder of
// a shared lock who wants it exclusively goes first (nobody else could be
// granted before it anyway).
//
// A request ends with the lock, or with ErrDeadlock, which is found when
// somebody is about to wait (deadlock.go), with ErrWaitTimeout, with ErrNoWait,
// or with the cause that its context ended with.
//
// # Many locks
//
// An owner with many row locks goes on in a set that takes little memory for each
// (bulk.go); others who want one of those wait until the owner releases all.
//
// # The caller's duties
//
//  1. One goroutine at a time locks for an Owner.
//  2. Whoever gets ErrDeadlock releases what it holds.
//  3. Every owner is released in the end, class by class.
package lock
