// Package largetxn commits transactions that do not fit into memory beside a client
// that commits small ones, and looks at what is left: rows after a crash and a
// restart, and the binary log as mariadb-binlog reads it.
//
// The benchmark prints how long the small client had to wait, at most, before, during
// and at the commit of a transaction of a gigabyte, and the server's peak memory.
// Nothing asserts a time.
//
//	DURAMEN_BIN=$PWD/bin/duramen go test -tags gms_pure_go -run '^$' -bench . -benchtime 1x -timeout 1h -v ./test/largetxn
//	LARGETXN_MIB=256 LARGETXN_ROW=100 ...    another size, other rows
//	LARGETXN_ARGS="--binlog-large-commit-threshold=4G" ...   the same as an ordinary commit
package largetxn
