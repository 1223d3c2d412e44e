// Package statements holds SELECT of one table by SQL of our own against a real MariaDB: rows and their order, the metadata of columns,
// warnings, errors.
//
// TestRecorded runs the scripts of testdata on our server: every statement there is one whose answer was recorded from a MariaDB (-record).
// TestDrawn draws tables, rows and statements and asks both servers; TestIndexes asks only ours, which must find the same rows in a table with
// keys and in one without any. See -statements.tables, -statements.count and -statements.seed.
package statements
