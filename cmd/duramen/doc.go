// Command duramen is the database server and its tools: serve runs it, clone makes a replica of a running server, check
// verifies a data directory, binlog reads log files, version says what it is. See duramen --help.
package main
