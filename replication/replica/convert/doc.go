// Package convert makes row images of a primary's table fit this server's table, as MariaDB's replicas do: by the places of the columns (names are
// ignored), with the conversions that slave_type_conversions allows. Columns that the primary has and this server has not are left out; those
// that only this server has get their constant defaults, else NULL, or 0 or an empty string.
//
// # Which types go with which
//
// It is decided by the types alone, before any value is looked at (Compile; a *TypeError names the first column that does not go):
//
//	same type and size                                      always
//	smaller integer to larger, FLOAT to DOUBLE, string to a longer one or to another kind of the same
//	length, DECIMAL of fewer digits to more, BIT, ENUM and SET of fewer to more, DATE to DATETIME,
//	TIME, DATETIME and TIMESTAMP to more digits             ALL_NON_LOSSY
//	these the other way round, DECIMAL to and from FLOAT and DOUBLE, DOUBLE to FLOAT   ALL_LOSSY
//	TIME, DATETIME and TIMESTAMP without digits, of MariaDB 5.3's format and the present one   always
//	MySQL's JSON to LONGTEXT of utf8mb4                     always
//	anything else                                           never
//
// Lengths of strings are in octets, whatever the character sets.
//
// # Values
//
// MariaDB goes on from there without looking: a value that does not fit becomes another one. Here such a value is an error (*ValueError) unless
// ALL_LOSSY is set, and then it becomes what MariaDB makes of it:
//
//   - a number that is out of range, among them negative ones for an unsigned column, is clipped
//   - a text that is too long is cut; octets that are not well-formed in a utf8mb3 or utf8mb4 column become question marks
//   - digits that a DECIMAL has not are rounded away; an ENUM gets 0, a SET loses members
//   - NULL for a NOT NULL column becomes the column's default
//
// What is compared depends on what the primary says of its columns. With binlog_row_metadata=NO_LOG, MariaDB's default, it says neither whether a
// number is signed nor which character set a text has. A number is then read by the signedness of this server's column, so that an INT of -2 is
// 4294967294 in an INT UNSIGNED, and a text is taken octet by octet. With MINIMAL or FULL a number is what it was, and a text for another
// character set has to be ASCII (utf8mb3 may go to utf8mb4, and binary strings to and from texts of one byte at a time). Character sets of which ASCII
// is no part (ucs2, utf16, utf32) go only with themselves. With FULL the members of ENUM and SET are compared by name, too.
//
// # What is not here
//
// The types of column compression go only with themselves; so do TIME(n), DATETIME(n) and TIMESTAMP(n) of MariaDB 5.3's format, whose table maps do
// not say how long their values are. MySQL's JSON goes into a LONGTEXT of utf8mb4, which
// MariaDB's JSON is, as the text that a MySQL shows of it (MariaDB refuses it). Generated columns are taken from the image like all others: MariaDB logs them.
package convert
