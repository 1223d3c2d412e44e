// Package consumers lets programs that read binary logs for a living follow the server: go-mysql's canal,
// python-mysql-replication, zongji, and Debezium's embedded engine. Each keeps a copy of a table with a
// column of every type (of what is there before it starts, where it takes snapshots), is stopped, goes on from the
// position that it has saved, and must hold in the end what the server holds.
//
// The libraries come from the registries of their languages by name; a test is skipped, with the reason, where a
// language or its registry is missing. What has been fetched is kept in the user's cache directory.
package consumers
