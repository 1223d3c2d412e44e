// Package collation turns strings into sort keys.
//
// A row image holds a string in the character set of its column. An index key
// must order as SQL compares, so the string is replaced by the weights that
// its collation gives to its characters. Two strings that the collation calls
// equal get the same sort key; a string that sorts before another gets the
// smaller one.
//
// The weights are go-mysql-server's, so that an index scan and a sort of the
// SQL engine agree. What go-mysql-server leaves out is that PAD SPACE collations
// compare as if the shorter string were filled up with spaces.
//
// # Sort key
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
