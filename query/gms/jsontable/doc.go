// Package jsontable gives the rows of JSON_TABLE in the place of go-mysql-server, whose paths, types and errors are not MariaDB's: the document is read by
// query/eval/function/json, and values become those of columns by query/types/assign, as if they were inserted without strict mode.
package jsontable
