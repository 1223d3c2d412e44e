// Package lock is the locks of transactions and sessions: on rows, on the keys of unique
// indexes, on names (metadata locks, LOCK TABLES, GET_LOCK), and the global lock. All of them are in one table, so that a
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
// with a holder or with a request before it (mode.go has the table of conflicts). Three kinds of requests are different: a
// holder who wants a stronger mode goes first (nobody who is in its way could be granted before it anyway), and so does who
// asks to (a commit, for whose end others wait); who yields is passed by others whom no holder is in the way of.
//
// Owners of one session are not in each other's way.
//
// A request ends with the lock, or with ErrDeadlock, which is found when
// somebody is about to wait (deadlock.go), with ErrWaitTimeout, with ErrNoWait,
// or with the cause that its context ended with.
//
// # Lock escalation
//
// An owner with many row locks goes on in a set that takes little memory for each
// (escalation.go); others who want one of those wait until the owner releases all.
//
// # The global lock
//
// It is had by everybody who changes something, in a mode in which they do not meet, and in another mode by few. So
// the many note it in lists of their own as long as there are none of the few (global.go).
//
// # The caller's duties
//
//  1. One goroutine at a time locks for an Owner.
//  2. Whoever gets ErrDeadlock releases what it holds.
//  3. Every owner is released in the end, class by class.
package lock
