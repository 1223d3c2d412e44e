// Package result is what a statement answers, and how the client protocol writes
// it: columns, typed rows, the status at the end, OK. It knows neither the SQL
// engine nor connections; package wire only puts packets around what is encoded
// here.
//
// # The way of a row
//
// Who runs a statement gives a Sink the columns, then each row. A Row encodes
// itself into the connection's buffer, as text (COM_QUERY) or binary
// (COM_STMT_EXECUTE); nothing in between is allocated or printed to be read
// again. Values is the row of typed values.
//
// # A value in both protocols
//
// The two protocols differ in more than the spelling, because text has the
// properties of its column: the zeros of ZEROFILL, the decimals of DOUBLE(10,2),
// six digits of a FLOAT. Binary has the number itself.
//
//	column                         text                 binary
//	TINYINT … BIGINT               digits               1, 2, 4, 4, 8 bytes, little endian
//	YEAR                           four digits          2 bytes
//	FLOAT, DOUBLE                  decimal or 1e100     4, 8 bytes, IEEE
//	DATE, DATETIME, TIMESTAMP      2006-01-02 15:04:05  length 0, 4, 7 or 11; year (2), month, day, hour,
//	                                                    minute, second, microseconds (4)
//	TIME                           -838:59:59           length 0, 8 or 12; sign, days (4), hours,
//	                                                    minutes, seconds, microseconds (4)
//	BIT                            big endian           as text, with its length
//	all others                     their bytes          as text, with its length
//
// A length drops what is zero at the end, which is how a zero date takes one
// byte. A text is preceded by its length, NULL is 0xfb instead; a binary row
// begins with a zero byte and a bitmap of its NULLs, the first column at bit 2.
// See https://mariadb.com/kb/en/resultset-row/.
package result
