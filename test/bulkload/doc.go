// Package bulkload measures how fast a table is filled, beside a MariaDB: by LOAD DATA LOCAL, with and without user variables, and by INSERT
// statements of many rows; and how fast indexes of it are made. Nothing asserts a time; the rows are compared.
//
//	DURAMEN_BIN=$PWD/bin/duramen go test -tags gms_pure_go -run '^$' -bench . -benchtime 1x -timeout 1h -v ./test/bulkload
//	BULKLOAD_ROWS=5000000 ...          1,000,000 otherwise
//	BULKLOAD_NOSYNC=1 ...              without syncs on both sides
//	BULKLOAD_STEPS="load data,insert"  only these steps
//	BULKLOAD_SERVERS=duramen ...       only this server
//	BULKLOAD_PROFILES=/tmp ...         CPU profiles of Duramen in that directory, of the first five seconds of each step
package bulkload
