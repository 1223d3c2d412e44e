// Package charset is MariaDB 10.11's character sets and collations, without knowledge of sessions, columns or storage.
//
// A Set says how bytes are characters: validity, length in characters, conversion. A Collation is a name with its id and
// attributes, and the case mapping of LOWER and UPPER; its Order compares, hashes and matches LIKE patterns. An Order exists only where
// the server's result is known to be reached: Collation.Order returns an error of type *UnsupportedError for the others (see below).
// Aggregate is the rule by which several operands get one collation.
//
// Strings are bytes in the collation's character set. Nothing here changes after it was loaded: all methods may be called
// concurrently. Tables are unpacked when something first asks for them; a table that cannot be read is a panic, as it is part of the program.
//
// # Where the tables come from
//
// Program generate asks a running MariaDB: WEIGHT_STRING of every code point at every level, of pairs and longer sequences (for
// contractions), UPPER and LOWER of every character, CONVERT in both directions. Nothing is taken from source code. The files in data are
// its output, and the tests repeat its questions: TestSweep (with -sweep) those about all characters, TestAnswers random ones about every
// collation (DURAMEN_TEST_SCALE=full for twenty times as many, SEED for others). -record writes testdata anew.
//
// # Weights
//
// A collation has one to three levels. At each a string is a sequence of weights; strings are compared at the first level, then
// at the next one if that was equal. PAD SPACE means that the shorter sequence is continued by weights of the space; at the second and
// third level NO PAD collations do so, too. The kinds:
//
//	bytes      one weight per byte, from a table or the byte itself (8-bit sets, binary, all _bin of multi-byte sets and UTF-8)
//	expanding  a byte has one or two weights (latin1_german2_ci)
//	multi-byte one weight per character of one to three bytes (big5, cp932, eucjpms, euckr, gb2312, gbk, sjis, ujis)
//	code point the character's number (_bin of ucs2, utf16, utf32)
//	general    one weight of 16 bits per character, U+FFFD above U+FFFF
//	passes     latin2_czech_cs: words one by one at two levels, then two more; cp1250_czech_cs: two levels; tis620_thai_ci: letters in another order
//	UCA        none to several weights of 16 bits per character or contraction, at each level (Unicode Collation Algorithm,
//	           versions 4.0.0, 5.2.0 and 14.0.0, as MariaDB tailors it)
//
// # Sort key
//
// AppendKey makes bytes that order as Compare does. Weights have a fixed size per collation, big endian. The first level of a NO PAD
// collation of several levels ends with a zero weight, which no string has. At a level that is padded spaces at the end are left
// out, a level ends with (space, 2), and every other weight of the space is followed by a byte that says whether the next weight that is no space is less
// (1) or greater (3); so the end sorts as an endless run of spaces would.
package charset
