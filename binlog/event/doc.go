// Package event encodes and decodes the events of a MariaDB binary log
// (format version 4). It does no I/O.
//
// # An event
//
//	offset  size
//	     0     4  timestamp, Unix seconds
//	     4     1  type
//	     5     4  server id
//	     9     4  size of the whole event
//	    13     4  end position of the event in its file, low 32 bits
//	    17     2  flags
//	    19        body
//	   end     4  CRC32 (IEEE) of everything before it
//
// All integers are little-endian. An event is valid only if its size covers
// header and checksum and the checksum matches. Files written by Duramen always have checksums;
// of foreign streams Decoder knows whether they do.
//
// # Writing
//
// Every Append function appends one complete event to the caller's buffer,
// with an end position of 0 and four bytes of room for the checksum. Positions
// are known only when the place in the log is fixed, so Finalize fills in both
// for a whole group at once. Nothing is allocated besides the growth of the
// buffer.
//
// # Private records
//
// What only Duramen's own recovery needs (the catalog change of a DDL
// statement, transactions under sql_log_bin=0, hidden row ids) is logged as
// events of type Ignorable with the header flag FlagIgnorable, which every reader of
// the format has to skip. They are never sent to replicas.
package event
