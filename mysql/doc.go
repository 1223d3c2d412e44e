// Package mysql holds what the client/server protocol and the binary log agree
// on by number: column types and their metadata, column flags, capabilities,
// server status, commands, and the ids of collations; and how large the packed
// value of a column is, which follows from its type and metadata alone. Those
// who frame packets, decode events, encode rows or describe columns all take it
// from here. There is no I/O in it, and no state.
//
// Constants keep the server's names (most are in include/mysql_com.h of MariaDB
// 10.11), so that one finds them in its sources and manuals. Numbers that only one
// format uses stay with that format: types and flags of events in binlog/event,
// packet headers in wire.
package mysql
