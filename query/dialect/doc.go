// Package dialect is MariaDB's language as a text: its tokens under a sql_mode, comments (those that are executed included), the
// ends of statements, how names and strings are quoted, and the means to read and rewrite statements token by token.
//
// It knows neither sessions nor storage. Reference: the grammar in MariaDB's documentation, release 10.11; where it is silent, what a
// server of that release answers.
package dialect
