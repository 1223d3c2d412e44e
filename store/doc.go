// Package store opens a data directory and keeps it: it is the composition of
// the log, the engines, the transactions and the commit pipeline, and the
// only place that knows how they start, recover and stop together.
//
// # A data directory
//
//	FORMAT          version of this layout; written first, before anything else
//	LOCK            locked by the process that has the directory open
//	binlog.index    the log (package binlog); Options.LogDir moves it elsewhere
//	binlog.000001…
//	tmp/            what large transactions cannot keep in memory; emptied by Open
//	lsm/            the files of the engine "lsm" (Pebble, without a WAL)
//
// # Opening
//
//  1. Lock the directory (ErrLocked) and check FORMAT (ErrFormat). A directory
//     without FORMAT must be empty.
//  2. Open the log. A tail torn by a crash is cut back to the last complete
//     commit group; damage before that is ErrCorrupt.
//  3. Open each engine. Each one knows the log position up to which its files
//     are complete, and has the table definitions of that position.
//  4. Replay: for each engine, apply what the log holds after its position
//     (commit.Replay). An engine whose position lies after the end of the log
//     is ErrCorrupt: rows were made durable before their log record.
//  5. Delete orphan key spaces: tables and indexes that were being built when
//     the server went down, to which no definition refers.
//  6. Checkpoint, so that a second crash does not replay the same again, and
//     start the background work: checkpoints, and syncing when sync_binlog is
//     not 1.
//
// Recovery of one engine never looks at another one.
package store
