// Package key makes bytes of values that stand for them in order and equality: what ORDER BY, GROUP BY and DISTINCT work on.
//
// A key is the bytes of one value after another. Keys of the same parts are equal if and only if all values are equal in SQL, and
// bytes.Compare orders them as SQL does, part by part: text by its collation, DECIMAL and DOUBLE by value (zero has no sign), ENUM by
// the number of the member, NULL first. A part in descending order has all its bytes inverted, so NULL is last there.
//
// No value's bytes begin another value's bytes in the same part: what follows a part never changes its order.
//
//	value     bytes
//	NULL      00
//	INT       01, 8 bytes big endian; of signed numbers the first bit is inverted (also YEAR, BIT, ENUM, SET)
//	DOUBLE    01, the 8 bytes of IEEE 754; of negative numbers all bits are inverted, else the first one
//	DECIMAL   02, as the binary format of DECIMAL(precision, scale), rounded to the scale;
//	          01 or 03, number of integer digits, digits: what has more digits than the type says, negative and positive
//	temporal  01, temporal.Packed as INT
//	text      01, sort key of the collation; of NO PAD collations a byte 00 becomes 00 FF, and 00 01 ends the key.
//	          Of a CHAR column with a NO PAD collation the text has spaces to the column's length behind it
//	UUID      01, 16 bytes in the order of their meaning; INET4 and INET6 01, their bytes
//
// Keys are no format of storage: they may change from version to version.
package key
