// Package gmserr gives the errors of go-mysql-server and its parser MariaDB's numbers and words, by their kinds and, where there is none,
// by their texts.
package gmserr
