// Package temporal holds DATE, DATETIME, TIMESTAMP, TIME and YEAR as MariaDB
// 10.11 has them, as plain integers: nothing here is boxed, and parsing,
// formatting into a buffer, comparing and adding allocate nothing.
//
// # Values
//
// A Packed is a DATE, DATETIME or TIME; which of them is known from the type
// of the column or expression (a Value carries its Kind along where only the
// text decides). The bits are those of a row image, without its offset:
//
//	DATE, DATETIME  (year*13+month)<<46 | day<<41 | hour<<36 | minute<<30 | second<<24 | microsecond
//	TIME                              ±(hour<<36  | minute<<30 | second<<24 | microsecond)
//
// Two values of the same kind compare as integers; a DATE is the DATETIME of
// its midnight. Zero dates ('0000-00-00'), partial dates ('2020-00-10') and,
// under ALLOW_INVALID_DATES, days up to 31 in every month are values like all
// others; only -00:00:00, which MariaDB knows within an expression but in no
// column, is 00:00:00. A Stamp is a TIMESTAMP: microseconds since 1970 in UTC, zero being
// '0000-00-00 00:00:00'.
//
// # Conditions
//
// Nothing here knows sessions or diagnostics. A conversion returns a Cond, a
// set of things that happened; Cond.Warning says which warning that is in an
// expression, and Cond.Column which one in an assignment. A result of kind None
// is NULL in an expression and the zero value in a column.
//
// # Where the rules come from
//
// The rules are those of MariaDB's sql-common/my_time.c, sql/sql_time.cc,
// sql/sql_type.cc, sql/item_timefunc.cc and sql/tztime.cc, written anew; each
// was compared with a running server (testdata/answers.tsv holds a part of its
// answers). What looks odd, such as years that wrap at 32 bits, is MariaDB's.
package temporal
