// Package gtid holds MariaDB's global transaction ids and the two ways of
// adding them up, and sets of MySQL's.
//
// A GTID is written domain-server-sequence ("0-1-42"). Within one domain the
// log is one ordered stream, so a consumer's place in a log is one GTID per
// domain: a Position (gtid_slave_pos, gtid_binlog_pos, @slave_connect_state).
// A log itself also remembers the last sequence number of every server that
// ever wrote into a domain: a State (gtid_binlog_state, the GTID_LIST event at
// the start of each log file).
//
// MySQL's GTIDs are uuid:number, and there are gaps in what a server has of
// them: it keeps a Set (gtid_executed). A log of ours that follows a MySQL has
// both; a Point is the three together.
//
// Nothing in this package is safe for concurrent use without locking.
package gtid
