// Package txn is transactions: read views, row and metadata locks, write
// sets, savepoints, and the row events of the log.
package txn
