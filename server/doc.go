// Package server puts a server together: options, data directory, query
// engine, listeners, metrics; and takes it apart again. It is what the duramen
// command and the embedding package run.
//
// Start, in this order, so that a failure changes no data:
//
//  1. TCP listeners (ExitListen). Nobody is served yet.
//  2. The data directory: lock, format, recovery (ExitLocked, ExitFormat,
//     ExitCorrupt, ExitDiskFull).
//  3. The query engine, the certificate, and the check that nobody can log in
//     as root from the network without a password (ExitUnsafe).
//  4. The unix socket, the pid file; then connections are served.
//
// Shutdown is the reverse: no new connections, running statements finish until
// shutdown_timeout and are cancelled then, sessions roll back what is open, the
// engine and the store are closed (a checkpoint, a STOP event, the log cut to
// its real size), the pid file goes.
package server
