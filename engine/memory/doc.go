// Package memory is the engine of ENGINE=MEMORY: tables that are empty after a restart.
//
// # Contents
//
// Everything is in memory, in a sorted map (package cowtree) of which each Apply makes the next version; there are no files. Unlike MariaDB's
// engine of that name it takes part in transactions: rollback, snapshots and row locks are those of every engine, and a
// transaction that changes its tables and others' is one commit group with one sync.
//
// # After a restart
//
// The rows of its tables are in the binary log like all others, because replicas have them as well. After a restart nobody
// replays them here: the store gives a new engine the definitions of the tables as they are at the end of the log, and logs a
// TRUNCATE TABLE for each table, which empties it on replicas. So the engine needs nothing of the log: what it has applied
// counts as durable.
package memory
