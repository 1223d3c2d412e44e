// Package store opens a data directory and keeps it: it is the composition of
// the log, the engines, the transactions and the commit pipeline, and the
// only place that knows how they start, recover and stop together.
//
// # A data directory
//
//	FORMAT          version of this layout, and the engines with files, the default one first; written first, before anything else
//	LOCK            locked by the process that has the directory open
//	demote.cut      while the log is cut because of Options.Demote: the place
//	binlog.index    the log (package binlog); Options.LogDir moves it elsewhere
//	binlog.000001…
//	tmp/            what large transactions cannot keep in memory; emptied by Open
//	lsm/, btree/    the files of the engines; Options.Engines says which there are
//	lsm.redo/       its redo log, with another commit protocol than onelog
//
// # Opening
//
//  1. Lock the directory (ErrLocked) and check FORMAT (ErrFormat). A directory
//     without FORMAT must be empty.
//  2. Decide, without changing anything: look up the engines' marks (engine.Kind), scan the log from
//     there on and make a plan (binlog.Scan), and find the row of the table below. A refusal leaves
//     every file as it was, and says what can be done.
//  3. Carry out the log's plan: cut a torn tail, close the last segment, begin the next one.
//  4. Open the engines, and replay: apply to each what the log holds after its mark (replay.Run), as far as it is of its
//     tables, to all at the same time. Engines that are new here, or that keep nothing over a restart, get the definitions.
//  5. Delete orphan key spaces: tables and indexes that were being built when
//     the server went down, to which no definition refers.
//  6. Checkpoint, so that a second crash does not replay the same again, and
//     start the background work: checkpoints, and syncing when sync_binlog is
//     not 1. Tables that a restart has emptied (engine.Kind.Volatile) are emptied for replicas, too: a TRUNCATE TABLE is logged.
//
// Recovery of one engine never looks at another one: each has all definitions as of its own mark. The log is carried on as the
// engine with the smallest mark needs it, and the directory is refused if the table below refuses any engine. From there on
// the engines are one (package engine/set).
//
// # The recovery table
//
// Package binlog has the table that judges the log. This one (recover.go) meets its result with the engine's mark:
//
//	log       engine's mark               decision and cause
//	good      before the log's end        replay: a crash
//	good      at its end                  start: a shutdown
//	good      after its end               ErrCorrupt: log files lost or put back; or damage in the last durable
//	                                      write, which the log alone takes for a torn tail
//	good      before its first file       ErrPurged: log files removed by hand
//	good      before its first file,      start there: a crash after the log was begun anew (the first file says that
//	          at the same GTID state      recovery needed nothing before it)
//	good      inside a group              ErrCorrupt: files of another server or time
//	good      at its end, with a part     ErrCorrupt: a replay was interrupted inside a large group, which is not in the
//	          of the next group           log any more (damage in the last write, or RecoverUntil before its end)
//	damaged   not after the damage        ErrCorrupt; --recover-until=<end of what is good> goes on there
//	damaged   after the damage            ErrCorrupt; --recover-until=<the mark> goes on there with an empty log
//
// Options.Demote makes the log end earlier as well, at a place that recovery finds: before what this server has begun itself, as a primary, and no
// engine has. demote.go says why, and what becomes of a crash meanwhile.
//
// With another commit protocol than onelog (Options.CommitProtocol) an engine's mark is where it comes up from its own redo log, and
// in place of the replay what is prepared beyond is decided about: see package commit/protocol/twopc.
//
// Options.RecoverUntil makes the log end earlier, see binlog. It is refused when the engine is ahead
// of the place, and so cannot be used twice by mistake: what was committed after the first start is in the engine.
package store
