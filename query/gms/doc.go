// Package gms runs statements by go-mysql-server: sessions and the engine as it wants to see them, and what is around each of its
// plans to give statements MariaDB's meaning, locks and errors. This package and those below it are the only ones that know
// go-mysql-server and its parser; SQL of our own takes their place step by step.
//
// An Engine belongs to a server, a Session to a connection, a running to one statement: it travels in the statement's context.
package gms
