// Package collation turns strings into sort keys.
//
// A row image holds a string in the character set of its column. An index key
// must order as SQL compares, so the string is replaced by the weights that
// its collation gives to its characters. Two strings that the collation calls
// equal get the same sort key; a string that sorts before another gets the
// smaller one.
//
// In the 133 collations that go-mysql-server has weights of (Weighted), the weights are
// its, so that an index scan and a sort of the SQL engine agree. What go-mysql-server leaves out is that PAD SPACE collations
// compare as if the shorter string were filled up with spaces. In all others the key is what
// charset.Order.AppendKey makes. Both are formats of files: a collation keeps the kind of key that it has.
//
// # go-mysql-server's tables
//
// This package completes go-mysql-server's tables of collations and character sets, which are its private variables, when the program starts.
// Its collations are numbers below 324. MariaDB's above that get numbers that nothing has there when they are first used, and keep them until the
// server ends (Engine, ID). What go-mysql-server would compare wrongly is told by Alone.
//
// # Sort key of go-mysql-server's weights
//
// One weight after the other. In a collation that pads with spaces all have the
// same size, because package row has to find the spaces among them: one byte in
// character sets of one byte, two bytes in the others, three where two are too
// few. In a NO PAD collation each weight has as few bytes as order allows:
//
//	0xxxxxxx                                  weight below 2^7
//	10xxxxxx xxxxxxxx                         below 2^14
//	110xxxxx xxxxxxxx xxxxxxxx                below 2^21
//	11110000 then four bytes, big endian      everything else
//
// The first byte orders the lengths, so bytes compare as the weights do. A
// collation whose weights order as the bytes themselves (the binary ones) has
// no weight function at all.
package collation
