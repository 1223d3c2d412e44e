// Package sysvar holds the system variables of a MariaDB 10.11 server: their
// definitions (variables.tsv: name, scope, type, access, default, range or
// members), one server's global values (Globals) and one session's values
// (Session).
//
// go-mysql-server wants the definitions in the process-wide
// sql.SystemVariables. This package puts a registry of its own there, which
// answers with MariaDB's definitions and otherwise with go-mysql-server's own
// (names that only MySQL has; they can be read and set but SHOW VARIABLES does
// not list them). Values are not process-wide: a session's expressions read and
// write through the Holder that the running sql.Session implements. What
// go-mysql-server reads without a context (secure_file_priv, local_infile,
// server_id in UUID_SHORT()) comes from the Globals that were made last.
package sysvar
