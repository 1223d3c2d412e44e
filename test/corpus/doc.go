// Package corpus judges a parser of MariaDB's language by the statements of MariaDB's own tests, and by what a real server says of each.
//
// The statements are read where the package that has the tests is installed (Debian: mariadb-test-data); none of them is kept in this
// repository. Three steps, each of which can be used alone:
//
//  1. Load reads the test files, which are written in the language of the program mysqltest, and gives every statement that they send
//     as it is, with the sql_mode and the character set under which it runs. Statements that are put together from variables are
//     counted, and left out.
//  2. Server.Judge has a real server prepare each of them on an empty database (COM_STMT_PREPARE, so nothing is run) and tells apart
//     what its parser accepts, what it refuses with 1064 (where, on which line), and what it refuses otherwise while it reads.
//  3. Judge asks a Parser of ours the same, and Report tells the differences by cause.
//
// # How an error is told from a syntax error
//
// The database has no tables, so most statements end with an error that has nothing to do with their syntax (1146, 1305 ...). Whether the
// parser had read the text to its end by then is found out, not looked up in a list of numbers: a closing parenthesis is added at the end,
// with which no statement can be right. If that makes a 1064, the whole text had been read, and was accepted. If it changes nothing, the
// parser itself had stopped before (1327, undeclared variable; 1115, unknown character set ...). What it would have said of the rest is
// unknown, so that such texts are counted but not held against anybody.
//
// # Several statements in one text
//
// mysqltest sends texts of several statements when the delimiter allows it, while only one can be prepared. Such a text is taken apart
// where the server stops: at a semicolon behind which it expects the end, if what stands before it is accepted on its own.
//
// # More than the statements
//
// Statements of tests are right, or wrong in few ways. Mutants makes texts that are wrong in all ways, and Expressions queries whose values
// tell which operator binds more tightly. And a parser may read a clause and forget it: the tree of what it printed is compared, the server
// prepares what was printed (CheckPrinted), and runs what may be run: queries without tables (CheckValues), definitions of tables
// (CheckTables). LostWords lists the words that are gone.
package corpus
