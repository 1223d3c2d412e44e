// Package source serves the binary log to replicas and tools: what MariaDB's
// dump thread does, without the socket. Dump turns a position into the
// sequence of events that a replica has to get; the wire protocol puts each of
// them into a packet.
//
// # What is sent
//
//	fake ROTATE            file and position where it starts; artificial, end position 0
//	FORMAT_DESCRIPTION     of that file; IN_USE cleared; no creation time and no end position if the
//	                       replica has passed this point before
//	events …               unchanged, except for what is listed below
//	fake ROTATE            at every following file, before its format description
//	HEARTBEAT              when idle for the replica's heartbeat period
//
// Never sent: STOP, and the contents of private records (write marks, catalog changes, sql_log_bin=0
// transactions, hidden row ids). Tools that copy files get an ignorable event full of zeros in the place of
// each, so that the copy has the offsets of the original; replicas get nothing. Only if the replica asks for it or knows
// them: ANNOTATE_ROWS, BINLOG_CHECKPOINT, GTID_LIST. End positions stay what they are in the
// file, so there are holes, which replicas since MariaDB 5.5 tolerate. When
// the log ends with events that are not sent, an empty ignorable event (in GTID mode
// a fake GTID_LIST) carries the end position, so that a replica's coordinates reach those of SHOW MASTER STATUS.
//
// # GTID mode
//
// The replica gives a position; the log tells where everything it lacks starts
// (binlog.Log.FindGTID), and groups are skipped, domain by domain, until
// the position is passed. When a domain's start is reached, a fake GTID_LIST
// with the current end position follows the group, as MariaDB does for
// MASTER_GTID_WAIT and MASTER_POS_WAIT. UNTIL works the other way round and ends with a fake
// GTID_LIST that carries the "until reached" flag.
//
// # Checksums
//
// Files always have CRC32, and events are sent with it, as MariaDB does: a
// receiver learns it from the format description. What the replica announced decides only about the
// fake ROTATE before that: CRC32 has one, NONE (mariadb-binlog) has none. A
// replica that announced nothing does not know checksums and is refused.
package source
