// Package replica lets a real MariaDB 10.11 follow the server under test, by
// GTID and by file and position, over definitions of many kinds and a load of
// sysbench, while each side is restarted and the primary is killed, once or again and again. In the
// end every table has to be equal row by row.
package replica
