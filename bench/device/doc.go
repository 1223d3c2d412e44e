// Package device measures what the files of a log cost on a device: the same
// sequential writes, each made durable before the next, into files that differ in
// what the file system has to do for it.
//
//	append         the file grows with each write; fdatasync.      Data, size and extents change: the
//	                                                               file system's journal commits with each write.
//	fallocate      blocks are reserved, but not written; fdatasync. The size stays, but each write turns a part of
//	                                                               the reservation into data: again the journal.
//	zeroed         filled with zeros, synced just before; fdatasync. Nothing but data.
//	settled        the same, but filled at the start of the run;   What zeroed costs more is not the file
//	               fdatasync                                       system's structure.
//	dsync          settled, opened with O_DSYNC                    One system call less.
//	direct         settled, opened with O_DIRECT|O_DSYNC           No page cache either: whole blocks only.
//
// With n in flight, n threads do this on one file, each with the next part of
// it. As many processors are given to Go during the run, because a thread in a system
// call holds one until the scheduler notices.
//
// # What the kernel tells
//
// Meter reads three counters around each turn: write_bytes of /proc/self/io (what this process
// made dirty or wrote directly; a large folio of the page cache counts
// as a whole on some file systems), and of /proc/diskstats the bytes, writes and flushes that
// the device of the directory completed, whoever caused them: use a quiet machine. The
// device is found by the directory's device number. File systems with
// device numbers of their own (btrfs, overlayfs, tmpfs) have no line there, and the
// numbers are then not available. A partition has no flush counter; its disk's is taken.
//
// Everything needs Linux; elsewhere Run returns errors.ErrUnsupported.
package device
