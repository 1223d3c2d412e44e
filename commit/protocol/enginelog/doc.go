// Package enginelog puts the binary log under a storage engine's redo log: what is written to the files of the binary log
// is a record there, and durable with it. A commit needs one sync, and its events are written twice. This is the idea of
// MariaDB 12.3, whose binary log lies in InnoDB's pages, and of MongoDB, whose oplog is a collection.
//
// It is done below package binlog, by a file system: the binary log stays what it is, a sequence of MariaDB binlog files,
// and everything that reads it needs no change. The alternative, to keep events as keys of the engine, would make its files from them
// when somebody asks, and its positions something that has to be remembered beside them.
//
// # What the file system does
//
// Between Start and Stop, for files with the name of a segment:
//
//	WriteAt     writes, and appends a record of the same bytes to the redo log
//	SyncData    syncs the redo log, and not the file
//	Sync        syncs both
//
// Zeros that make a file longer are no record. Everything else passes through: a segment's header is durable before the
// segment has its name.
//
// The engine's checkpoint makes the files durable (SyncFiles), and notes up to where; the redo log may then be trimmed.
//
// # Recovery
//
// Complete comes before anything looks at the binary log. It writes all records into the files again, in order, makes that
// durable, and fills with zeros what follows in the last file: those bytes may have reached the file, but they are not in the redo
// log, so nobody was told that they are durable. Where a file's valid part ends:
//
//	the file has records        the end of the last one, or the durable part that SyncFiles noted, whichever is greater
//	the last file without any   the end of its header
//	any other file              where it ends: it was closed, and synced as a whole
//
// Then the redo log notes that the files count from here on (release), since recovery goes on to change them.
package enginelog
