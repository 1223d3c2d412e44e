// Package process keeps what the server is doing for each connection: SHOW PROCESSLIST looks at it, KILL ends it.
package process
