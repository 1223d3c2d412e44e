// Package protocol names the commit protocols. Package commit is the one of Duramen (onelog), in which the binary log is the
// only write-ahead log. The others are those that MariaDB, MySQL and others have used. They are here to be measured on
// the same code: a data directory is made with one of them, and keeps it. docs/protocols.md has them step by step.
//
//	onelog      package commit      one sync:     the binary log; engines follow
//	2pc-eager   package twopc       three syncs:  prepare in the engine, the binary log, commit in the engine;
//	                                one transaction after the other
//	2pc         package twopc       two syncs:    prepare in the engine (grouped), the binary log (grouped)
//	engine      package enginelog,  one sync:     the engine's log, which holds the binary log as well: all is written twice
//	            on twopc
//
// # How they are made
//
// What the older protocols need is an engine with a log of its own. Package redo is that log; package twopc puts it
// in front of an engine that has none. It stands around the pipeline, which stays as it is:
//
//	txn.Manager
//	   |  Commit                      twopc.Protocol: prepare in each engine that is touched, and sync
//	   v
//	commit.Pipeline                   the binary log: group commit in ordered stages, one sync per group
//	   |  Add, Apply                  twopc's Applier: a commit record per engine, not synced
//	   v
//	commit.EngineApplier              engines and catalog
//
// Nothing of onelog passes through any of this.
//
// # What is different, besides the syncs
//
// There is no early lock release: row locks are held until the transaction is applied, as those of InnoDB are. Nobody
// builds on a transaction that is not durable, so transactions on one row never share a group.
//
// Large transactions go through memory: there is no file of events and no import.
package protocol
