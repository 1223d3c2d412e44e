// Package semisync is semi-synchronous replication on the primary's side: it knows which of the connected replicas
// acknowledge what they have received, and how far, and has commits wait for that. It sees neither the log nor sockets: who
// serves a replica tells it what that replica has (Replica), the commit pipeline asks it to wait (AfterSync, AfterCommit).
//
// # When a commit waits
//
//	disabled                                   it does not
//	status OFF                                 it does not; it counts as no_tx
//	wait_no_slave=OFF, fewer replicas than     it does not; status stays ON
//	are needed (wait_for_slave_count)
//	otherwise                                  until so many of the connected replicas have acknowledged its end, or a later
//	                                           place, and at most for the timeout
//
// When the time-out of one passes, the status becomes OFF and all who wait go on, as in MariaDB: what they have written is
// in the log and cannot be taken back, so it is acknowledged to the clients without a copy, and the log of the server says so. The
// status is ON again when a replica has acknowledged everything that a commit wanted to wait for. A timeout of years is how not
// to fall back.
//
// # What is acknowledged
//
// A replica has everything before the place where its dump starts, and what is skipped because it has it. Otherwise it
// acknowledges what it is asked for (Replica.Asks): with AFTER_SYNC the last event of a commit group (Announce), as nobody waits for
// the transactions before that, with AFTER_COMMIT that of each transaction. It is asked for whatever is not
// acknowledged by enough others; while the status is OFF, only from the latest commit on, because older ones wait no more.
// An acknowledgement counts for everything before it, and only while its replica is connected: a replica may forget what it
// has received when it starts again, and says by its next start what it still has.
//
// With wait_for_slave_count = N the place that counts is the N-th highest of the replicas' latest ones. A server id is one
// replica, of which the latest connection counts.
//
// # AFTER_SYNC and AFTER_COMMIT
//
// AFTER_SYNC, the default here, waits when a group is durable and before anybody sees it: neither sessions, nor the
// variables and statements that show where the log ends, nor replicas that are not semi-synchronous. It holds nobody else up:
// groups behind it are written meanwhile (package commit). AFTER_COMMIT waits when a transaction is visible, before its client is told.
//
// # Locks
//
// Primary.mu is a leaf, held for moments.
package semisync
