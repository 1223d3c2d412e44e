// Package storage gives the errors of the storage packages (txn, binlog) and of contexts MariaDB's numbers. It is the one place that does.
package storage
