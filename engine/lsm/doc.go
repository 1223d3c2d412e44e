// Package lsm is an engine on Pebble with Pebble's write-ahead log switched off.
//
// # Contents
//
// Keys and values are stored as they are given. One key of the meta space,
// (table 0, part 0, "mark"), holds the log position and the GTID state; it is
// written by every Apply in the same Pebble batch as the changes:
//
//	uvarint segment | uvarint offset | GTID state as text
//
// # What is durable
//
// A Pebble batch lies in one memtable, memtables are flushed in order, and a
// flush becomes part of the database by one edit of Pebble's MANIFEST. So what a
// restart finds is always the state after some Apply, with its mark:
// never half a batch, never a later batch without an earlier one. (Ingested batches
// obey the same order, and carry no mark.)
//
// # Reads
//
// What a read costs is mostly how many places it looks into, and how many of these are in no cache of the processor. So memtables are
// small (a skiplist of 16 MiB is a dozen cache misses), blocks are as large as InnoDB's pages, and the index of a table file is one
// block. A Get looks from the newest place to the oldest and ends where it finds the key; an iterator looks into all of them at each seek,
// but a seek to a key after the one before goes on from there. Hence: Get for one key, an iterator for keys in order.
//
// An iterator keeps memtables and files from being freed as long as it is open, a snapshot only versions of keys.
//
// # Imports
//
// The changes of a large transaction are written into table files before its
// commit (NewImport), each of them synced. ApplyImport adds one more table, with
// the mark, and Pebble ingests all of them at once. The mark's key is in
// every memtable, hence the ingestion overlaps with them, and Pebble queues it between
// the memtables: it becomes part of the database, by an edit of the MANIFEST of its
// own, when everything applied before it has, and before anything applied later.
//
// # Log first
//
// Pebble flushes a full memtable on its own. With relaxed durability of the log
// (sync_binlog=0 or N) such a flush could make rows durable whose log record is not. Nothing that a
// flush writes counts before the MANIFEST refers to it, so the engine wraps
// the file system and calls Options.SyncLog, with the mark of the last Apply, before
// every write to a MANIFEST file; Pebble does that in its own goroutine without
// holding its locks. If SyncLog fails, the write fails, and Pebble
// reports that through Options.Fatal: the process has to end, as after any
// failed sync of the log.
//
// # A disk that fails
//
// A flush that fails is tried again for ever. Until it succeeds Checkpoint returns its error, and Writable warns when the memtables
// are nearly full of what it should have written; Ingest is refused then. Apply waits for flushes that are slow, never for
// one that fails: what it brings is in the log. It takes memory beyond the bound for that, as much as those have in flight who asked
// Writable before. When the MANIFEST itself cannot be written Pebble cannot go on, and
// Options.Fatal is called with the cause.
package lsm
