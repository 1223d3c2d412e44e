// Package crashfs is a file system in memory that can lose power. It is a vfs.FS, so the log and
// the engine of a store lie in it together and crash together.
//
// # What a crash leaves
//
// Crash makes a new file system: what a machine would find that lost power at this moment.
// Whatever was synced is there. Of the rest, chosen at random:
//
//   - a block (4096 bytes) that was written since the last sync of its file has the contents it
//     had then, or after any of the latest writes, or is torn: sector by sector (512 bytes),
//     or at any byte, of two of these
//   - a file that grew or was cut has its old size or its new one, or one that just holds the
//     blocks that were kept; blocks that were not kept are zeros
//   - a directory has its old entries and those of the unsynced creates, links, renames and removes
//     that were kept: all up to one of them, as a file system with a journal keeps them, or any of them. A
//     rename is never lost in half so that neither name is there; both may be
//   - a directory that is gone takes along what is in it
//
// Syncing a file does not make its name durable, syncing a directory does not make its files durable:
// POSIX promises no more, though most file systems do.
//
// # Repeatable
//
// Nothing depends on the order of Go's maps or on addresses: equal operations and an equal generator give equal
// crashes, byte by byte. Hash compares them.
//
// # Hooks
//
// SetHook is called before every operation that changes something, and may block it or fail it:
// the laboratories take their pictures there, choose who goes on, or break the disk.
package crashfs
