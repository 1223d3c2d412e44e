// Package rowlog is the events of one transaction, built while it changes rows.
//
// A Log is used by one goroutine at a time. What is not to stay in memory goes to a File,
// which may become part of the binary log as it is.
package rowlog
