// Package variable shows the system variables to go-mysql-server, which wants the definitions in the process-wide sql.SystemVariables. It
// puts a registry there that answers with MariaDB's definitions and otherwise with go-mysql-server's own (names that only MySQL has; they
// can be read and set but SHOW VARIABLES does not list them). Values are not process-wide: a session's expressions read and write through
// the sysvar.Holder that the running sql.Session implements. What go-mysql-server reads without a context (secure_file_priv,
// local_infile, server_id in UUID_SHORT()) comes from the server that was made last.
package variable
