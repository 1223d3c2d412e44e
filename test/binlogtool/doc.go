// Package binlogtool reads the server's log with MariaDB's mariadb-binlog:
// closed segments and the live one, from the file and over the network, and
// replays what it prints into a real MariaDB.
package binlogtool
