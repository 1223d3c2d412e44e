// Package apply is the SQL thread of a replica: it makes transactions of the parts that a primary has sent (package primary), and commits them
// into this server's own log, in their order and with their GTIDs.
//
// # One after the other, without waiting
//
// One goroutine goes through the groups. It finds and locks the rows of a group, or has had that done by others side by side with groups about other rows
// (crew), and starts its commit as one of a txn.Line: the group has its
// place in the queue of the next log group then, its locks have passed on, and the next group may build on its rows. So no group waits for the
// sync of the one before, a hundred updates of one row need one sync, and nothing can be applied in another order, whatever it is about. How much is
// under way is bounded (inFlightBytes). Another goroutine waits for the commits, oldest first, and tells what is durable: the primary, where it waits
// for that (semi-sync), and SHOW SLAVE STATUS.
//
// Events are decoded by the goroutine that receives them, the log is written and synced by those that lead its groups: the three work side by side.
//
// # Where the position is
//
// In the log, as the GTID of the group itself, and what a MySQL calls it in a record beside that (commit, gtid.Point). A group of which nothing is to be done (filtered, or of rows that are as they
// should be) is logged as an empty one, so that replicas behind this server see no hole.
//
// # Two ways
//
// A group of rows takes the way above. What holds a statement (DDL, mixed and statement format) and a part of a large transaction
// is run by a Session when all before it is committed, and waited for.
//
// # Foreign keys
//
// A MariaDB logs no rows for what foreign keys change (cascades), and its replicas check each row anew: a parent that is missing is error 1452, children
// that are there 1451. Here SQL's own code does both, in the transaction of the group. Of an event with the flag NO_FOREIGN_KEY_CHECKS, as all of a Duramen's
// are, nothing is asked, and of tables without foreign keys neither.
//
// # Triggers
//
// Where slave_run_triggers_for_rbr asks for triggers of this server for a primary's rows, the group is given to the Session, which runs them around each change. What they
// change is a part of the group.
//
// # Errors
//
// An error stops the applier between two groups: of the group that failed nothing is left, those before it are committed. Which one it was,
// why, and in MariaDB's words, is in the *primary.Error. The next start goes on with the group that failed, as the position is before it.
package apply
