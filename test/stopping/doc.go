// Package stopping runs statements that would take for ever in a server process, and ends them: by KILL QUERY,
// by max_statement_time, and by SIGTERM to the server.
package stopping
