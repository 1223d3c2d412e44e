// Package btree is an engine on bbolt, a B+tree in a file that is mapped into memory.
//
// # Contents
//
// The base is the file: all keys in one bucket, and the log mark in another. What was applied since the base was written is
// the delta, a B+tree in memory whose nodes are copied when they change: new values, deletions, and ranges that were deleted
// below them. A reader sees the delta on top of the base.
//
// Every Apply makes the next version (delta, layers, base, mark) and puts it in the place of the newest, atomically. A snapshot
// is a version that is kept. Nobody who reads waits for anybody, and nobody waits for a reader.
//
//	active delta     what Apply changes
//	layers           deltas and imports that wait for a checkpoint, then debts of the base
//	base             one read transaction of bbolt, which all readers of the version share
//
// # Checkpoints
//
// A checkpoint makes the active delta a layer (an empty one takes its place). Then, for each layer that waits, from the oldest
// on, it makes the log durable as far (Options.SyncLog), writes the layer and its mark into the file in one transaction of
// bbolt, and publishes the version with the new base. So what a restart finds is always the state after some Apply, with
// its mark.
//
// It begins by itself, in the background, when the delta has reached Options.DeltaBytes or DeltaKeys; when the active
// delta is twice as large Apply waits. A transaction of bbolt keeps the pages that it changes in memory, up to one per key
// of the delta.
//
// # Imports and large ranges
//
// An import is written into a run before its commit: a file of sorted changes with checksums, synced. ApplyImport renames it into
// the engine's directory and makes it a layer, with the batch and the mark. It is read from the file, by blocks.
//
// A transaction that worked a large run into the base, or deleted a range of many keys (a dropped table), would need memory for all of
// it. So the checkpoint that takes it over writes down that the base owes it; that and the mark is one transaction. Others pay
// off the debt afterwards, in the background, in parts. Until then readers have it as a layer right above the base. A
// layer that has something for the keys of a debt waits for its end, others pass by. What a delta has within a large range that it has
// deleted before is written into a run, to be worked in when the range is empty.
//
// So a dropped table holds up nobody; a large import holds up, once the delta is full, those who write to the
// key spaces that it has written to, for as long as it takes to work it in.
//
// # The file
//
//	base.bolt    a bbolt file; bucket "rows": keys and values as they are given; bucket "state2":
//	             "mark" = uvarint segment | uvarint offset | GTID state as text
//	             "debts": see debt
//	             "ends" = uvarint length of the first key in "rows" | it | uvarint length of the last key | it; empty for none
//	             Values in both end with a checksum: see page
//	run-NNNNNN   a run, see run. One that is no debt is of an import that no checkpoint has taken over, or was paid: it is
//	             removed at the next start
//	*.tmp        a file that a crash has left; it is removed at the next start
//	LOCK         locked by who has the engine open
//
// bbolt's keys have 1 to 32,768 bytes: a batch refuses others.
//
// # Damage
//
// What the disk has changed is engine.ErrDamaged when it is read: rows have checksums, and the structure of the pages is
// looked at on the way (see page, cursor). A checkpoint changes pages only when all that they, and those beside them, say is as it was
// written; damage that it meets ends the engine (Options.Fatal). What is not noticed: a reference that leads to an older
// copy of the same page, and a list of free pages that has another page in the place of one of its own.
//
// bbolt maps the file into memory, and would have to wait for all readers before it could map a longer one. So Open maps
// much more than there is (Options.MapBytes: address space, no memory; limits of the address space, as RLIMIT_AS sets them, make it
// take less), and a checkpoint fails before the file outgrows that.
//
// The list of free pages is written with every checkpoint: without it (NoFreelistSync) Open would have to read the whole
// file. Pages that a checkpoint replaces are used again by the second one after it, or later if somebody still reads them: a
// snapshot that is kept for long makes the file grow by what is written meanwhile. The file does not shrink.
//
// # Errors
//
// An error of a write leaves everything as it was: layers stay readable, and the next checkpoint tries again. After
// an error of a sync, or of the write of a meta page that has left something, nobody knows what is durable: Options.Fatal is
// called.
//
// # Other file systems
//
// bbolt needs a file of the operating system. On any other vfs.FS its file is mirrored: see mirror. Who only wants to look, on a
// file system that forgets what is written, need not load the file: see Options.NoMerge.
package btree
