// Package binlogadmin runs the statements and functions that manage the binary log on Duramen and on a real
// MariaDB 10.11, and compares results, columns, errors and warnings.
package binlogadmin
