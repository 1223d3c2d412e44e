// Package binlog is Duramen's only write-ahead log: a MariaDB binary log (format version 4)
// on Pebble's vfs.FS.
//
// # Files
//
//	binlog.index      the segments, oldest first, "./binlog.000001" a line
//	binlog.000001 …   segments
//	binlog.000001.idx  its GTID index, if it is closed and of 1 MiB or more; see gtidindex.go
//	binlog.reset      a RESET MASTER is under way: nothing of the segments counts; see reset.go
//	binlog.next       the next segment: zeros, synced (binlog.next.tmp while it is filled); for a moment after a rotation, and
//	                  only if a crash ends it, the live segment
//	binlog.large-1.tmp  the segment of a large transaction that is still open; see large.go
//	*.tmp, *.cut      unfinished; removed by Open
//
// # A segment
//
//	0  magic fe 62 69 6e
//	4  FORMAT_DESCRIPTION, with the flag IN_USE until the segment is closed
//	   GTID_LIST: the binlog state at the start of the segment
//	   BINLOG_CHECKPOINT: the segment that recovery would start from
//	   write mark, groups     one write
//	   write mark, groups     the next write …
//	   ROTATE or STOP         only in a closed segment
//	   zeros                  only in the live segment
//
// A segment is filled with zeros and synced before it is used (unless
// NoPreallocate), so that a write changes neither its size nor its extents.
// A closed segment is cut to its size and is a standard binlog file. A reader
// of the live file takes the zeros for the end because of IN_USE; mariadb-binlog does.
//
// A write mark is a private record (event.Private, kind PrivateWriteMark): 8
// bytes, which part of the segment was durable when the write was issued; 8
// bytes, the length of the write after the mark. Like all private records it is never
// sent to replicas. A padding record (kind PrivatePadding) fills space between groups; its payload means nothing.
//
// # Durable writes
//
// By fdatasync: the write goes to the page cache in log order, then the file is synced. By direct
// writes (O_DIRECT|O_DSYNC): whole blocks (WriteUnit) from the block that holds the log's end on, whose first part is
// written again with the bytes it has, up to zeros after the end. Readers use the page
// cache in both cases; the system drops its pages when they are overwritten directly, and a reader never
// looks beyond visible, where pages may be old. What was written directly last is in memory, too (recent.go): a replica is sent
// it without asking the device. Several writes may be in flight,
// see issue.go. A write mark's durable offset is the synced cursor at the moment its write was issued.
//
// A large transaction has a segment of its own, which is written and synced before its
// commit, but for a reserved part at its front; the commit fills and syncs that, and rotates (large.go).
// Padding lies between the header and the write mark, whose durable offset is the end of
// the group itself: so damage in it is never taken for a torn tail. No other group follows in that segment.
//
// # Validity
//
// An event is valid only if
//
//  1. its size covers header and checksum and does not reach beyond the file,
//  2. its end position is where it does end (low 32 bits),
//  3. its CRC32 matches.
//
// The last valid byte of the log is the end of the last complete group all of whose
// predecessors in the segment are valid. What is durable: a segment's header
// before the segment gets its name; everything appended before a Sync, after it;
// a whole segment, once the next one exists.
//
// # Recovery
//
// Recovery decides before it changes anything. Scan reads, and makes a Plan, which is plain data;
// whoever has engines compares the plan with their positions (package store); Plan.Open
// carries it out. Good bytes are never rewritten.
//
// Only the last segment can have been torn by a crash. Writes
// after the last sync may be there in any subset of their blocks, and a block
// in part; whatever was durable when the last write was issued must be there
// completely. So a hole is a torn tail if no later write says that the place
// of the hole was durable before it; otherwise it is damage. A write mark before the hole counts, too: a large
// transaction is durable before its mark is.
//
// table.go has the cases as data, a row for every combination of facts, with the fault that leads to it;
// docs/recovery.md shows the table, printed from there. Why the rows are what they are:
//
//   - IN_USE is cleared only when ROTATE or STOP is durable (row 4). A crash in between, or before the zeros are cut,
//     leaves a whole file (rows 1 and 2).
//   - The header was durable before the file got its name (row 9).
//   - A segment begins with the GTID state at the end of the one before, less domains that were deleted (row 11).
//     That needs both segments to be read.
//   - The index lists a later segment only when this one is closed: cut, not in use, and ending with ROTATE to that one, or with
//     STOP (rows 12 and 13).
//   - A later segment gets a group only when ROTATE is durable in this one (row 15). So others wait for one sync in a
//     rotation: of the old file with ROTATE and the new one with its header, at the same time. What is left to do is done beside
//     them (closing.go): the new file's name is made durable, the old one closed, the index written. A crash meanwhile leaves the
//     new file under its prepared name, or under its own and not listed; in both cases it is a segment if a write mark is in it.
//
// Of segments before the engines' position only header and end are read, unless
// everything is to be verified (duramen check); from there on every event is.
//
// Damage is reported as *CorruptError, which names file, offset, row and cause, and nothing is changed. Three things look like
// a torn tail and cannot be told from one by the log alone: damage in the very
// last durable write (nothing follows that would vouch for it); damage in
// the last durable write together with a crash that lost the mark of the write after
// it; and a live file that was cut short by other hands. An engine whose position lies after the cut reveals them
// (flip_test.go goes through every byte and every length).
//
// Index and files:
//
//	listed, but missing                            ErrIndex
//	not listed, older than all listed              removed: an interrupted purge
//	not listed, next after the last, no events     removed: an interrupted rotation (or first start)
//	not listed, next after the last, which ends    taken into the log: a crash right after a rotation
//	with ROTATE to it
//	binlog.next with a write mark, and the last    the same, before the file's name was durable
//	file ends with ROTATE
//	not listed, anything else                      ErrIndex, or what the table says about the last file
//	no index, no segments                          a new log
//	lines not in sequence, foreign, incomplete     ErrIndex
//
// With ScanSpec.Until (--recover-until) the log ends at the last group before a place, or with a transaction, and what is
// damaged or missing after it does not matter. Nothing is destroyed: every file that holds anything from
// after the place gets a second name in the new directory <basename>.lost-<time> before the log is
// changed, and its last segment goes on as a copy of its good part. execute.go has the steps, and why a crash between
// any two of them is recovered by the same command. If the place is where the engines are, and the log is damaged
// before it, then the whole log is set aside, and a new one starts with the engines' GTID state.
//
// # Cursors
//
//	visible <= synced <= written, visible <= offered <= written
//
// written moves with Append and Issue, synced with Sync and Finish, in log order, visible with SetVisible. With
// relaxed durability visible may pass synced; a reader made by
// NewDurableReader then syncs before it reads on. offered moves with Offer, and is ahead of visible while the
// replicas that read up to there (NewOfferedReader) are waited for: nobody else sees what they have not acknowledged.
package binlog
