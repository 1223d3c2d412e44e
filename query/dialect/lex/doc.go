// Package lex reads MariaDB's language as tokens, as the server of release 10.11 does: under the parts of sql_mode that
// change how a text is read, with executable comments opened, and with the line that an error message counts.
//
// Tokens are places in the text: nothing is copied before somebody asks for a name or the value of a literal (Unquote).
package lex
