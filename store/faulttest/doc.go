// Package faulttest lets disks fail under a store: the k-th operation of a kind, once or from
// then on, with EIO, with ENOSPC, or halfway through a write, for every k, on the files of the log as on those of
// the engine.
//
// What has to hold, whatever fails and when: the process ends (Options.Fatal) or answers with an
// error; nothing hangs; and a restart on a healthy disk, with or without a loss of power in
// between, finds every acknowledged transaction, nothing that was refused, and no
// transaction in part.
//
// A run is a Fault and a life: a script of transactions, DDL, rotations, checkpoints, purges and a
// shutdown, by one client. The engine works in the background, so the k-th operation
// is not the same in every run; which one it was is in the error.
package faulttest
