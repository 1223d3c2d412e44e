// Package collation turns strings into sort keys.
//
// A row image holds a string in the character set of its column. An index key
// must order as SQL compares, so the string is replaced by the weights that
// its collation gives to its characters. Two strings that the collation calls
// equal get the same sort key; a string that sorts before another gets the
// smaller one.
//
// The weights are go-mysql-server's, so that an index scan and a sort of the
// SQL engine agree. What go-mysql-server leaves out is done here: the trailing
// spaces that PAD SPACE collations ignore.
//
// # Sort key
//
// One weight after the other, each in as few bytes as order allows:
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
