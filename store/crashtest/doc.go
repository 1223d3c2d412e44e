// Package crashtest is the crash laboratory: random concurrent transactions
// on a store whose log and engines live in one file system in memory, which
// "loses power" before a random operation, keeping a random part of what was
// not synced; then recovery, and a comparison with what had been acknowledged.
package crashtest
