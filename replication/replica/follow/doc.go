// Package follow is the receiving side of a replica, what MariaDB calls the IO thread: it connects to a primary, asks for its log, and
// makes the parts (primary.Part) that the applier commits.
//
//	packets    socket -> packets, in slabs that the events of a part share
//	stream     packets -> parts: checksums, places, where a group begins and ends
//	Conn       the connection around them: what a replica asks before the log comes, acknowledgements
//
// # What a group is
//
// In a log with GTIDs a group begins with a GTID event. It ends with an XID or XA_PREPARE event, with a QUERY event COMMIT or ROLLBACK, or,
// if the GTID event says that it is standalone, with the first statement. In a log without (MySQL's) it begins with BEGIN, or with what a
// statement that stands alone brings along (INTVAR, RAND, USER_VAR), or with that statement. A group that another one, another file or a restart of the primary
// follows before its end is none: a primary that crashed left it. What was not handed out of it is dropped, what was is rolled back by the
// applier when it sees the next part.
//
// A compressed transaction of a MySQL (TRANSACTION_PAYLOAD) is such a group whose events come out of one event. They are taken one by one: neither all of them nor
// more than that event is in memory at a time.
//
// # Places
//
// The header of an event holds the low 32 bits of its end, and nothing in an artificial event. The place has 64 bits: a lower number than the last one
// is taken for a step over a multiple of 4 GiB if that step is less than 2 GiB.
//
// # Memory
//
// A part holds its events, the slab of 256 KiB that they lie in, and nothing else that is large. A slab is shared only by what lies next to each other
// in the stream, so a queue of parts holds a few slabs more than the sum of its parts' sizes.
package follow
