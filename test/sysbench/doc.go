// Package sysbench runs every script that Debian's sysbench brings along,
// unmodified, with prepared statements and without.
package sysbench
