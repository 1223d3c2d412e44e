// Package sysvar holds the system variables of a MariaDB 10.11 server: their
// definitions (variables.tsv: name, scope, type, access, default, range and
// unit, or members), one server's global values (Globals) and one session's values
// (Session).
package sysvar
