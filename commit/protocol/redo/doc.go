// Package redo is a write-ahead log of records whose meaning is the caller's: the log of its own that a storage engine
// needs for the older commit protocols (package commit/protocol).
//
// # Files
//
//	redo.000001 …  segments
//	redo.next      a segment that waits for its number: zeros, or what an earlier segment held
//	redo.*.tmp     unfinished; removed by Open
//
// A segment, numbers little endian:
//
//	0   8  magic "DRMNREDO"
//	8   8  number, as in the name
//	16  1  1: begun by Open, so that the segment before it may end anywhere; else 0
//	17  4  CRC-32C of the bytes before
//	32     records, one after the other:
//	       4  length of the payload, less than 2 GiB; 0: there is no further record
//	       4  CRC-32C over number and offset of the record (8 bytes each), its length, and the payload
//	       n  payload
//
// The record with an empty payload and the length endLength ends a segment that was left for the next one.
//
// # Validity
//
// The checksum covers the place of a record. So what a segment held in an earlier life, under another number, is no
// record of it; a segment that is no longer needed is used again without filling it with zeros once more.
//
// What follows the first invalid record of the last segment was never synced: it is dropped. A crash may have kept a
// later record, behind a hole. It is not found again, because Open goes on in a segment of its own. Every other segment
// ends with an end record, or is followed by one that Open began; anything else is ErrCorrupt.
//
// # What is durable
//
//	a segment's size and contents  before it is used (unless NoPreallocate): a record changes neither size nor extents
//	a segment's header and name    before its first record
//	all records of a segment       before the next segment has its name
//	a record                       when Sync of its place, or of a later one, has returned
//
// Sync is a group commit: whoever finds the file being synced waits, and then finds his record durable, or syncs for
// all who wait.
//
// # Room
//
// Append needs room for another segment now and then, and refuses a record when the disk has none. What must not be refused any more is
// reserved before (Reserve, AppendReserved): in the segment, or in the spare one.
package redo
