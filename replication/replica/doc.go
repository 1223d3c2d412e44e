// Package replica manages the connections of this server to primaries, by their names: CHANGE MASTER, START, STOP and RESET SLAVE, what SHOW
// SLAVE STATUS says, and the file with the settings. It starts and ends the two threads of a connection and has the queue between them; what
// the threads do is given to it (Config.Receive and Config.Apply).
//
// # The file
//
// replication.json in the data directory has the settings of all connections, passwords in clear text, as MariaDB's master.info has them; only
// the owner may read it. It is written as a whole: a temporary file, synced, takes its name, and the directory is synced. So a crash leaves
// the old file or the new one.
//
//	{"Version": 1, "Connections": [{"Name": "", "Settings": {"Host": ..., as primary.Settings}}]}
//
// Statements write it before they answer. Settings.Place is where the primary's log was executed up to; it counts for connections without GTIDs
// only, and is written every second while they change something, and when their SQL thread ends. After a crash it may be up to a second behind what
// was executed; the groups in between are known by their GTIDs, since gtid_slave_pos, which is exact, is written beside it (SlavePos), and are left
// out (Applying.AtPlace). Those of a MySQL are known by its own GTIDs (Config.Executed); what it logs without has them executed again.
//
// # The threads
//
// The IO thread calls Receive, again and again: after an error that says so (primary.Error.Retry) once more, after the time of
// MASTER_CONNECT_RETRY. The SQL thread calls Apply once. A thread that ends because of an error shows it until the next START SLAVE.
//
// The queue keeps what was taken and is not executed, so that a SQL thread that is started again goes on where the last one was:
//
//   - Parts that are a whole group are given again.
//   - Of a group of several parts those that were taken are gone. The IO thread connects anew then, and asks for everything after what was
//     executed.
//
// An IO thread that starts while no SQL thread runs empties the queue and asks for what follows gtid_slave_pos (or gtid_executed, or the executed place). One that
// starts beside a running SQL thread, or connects again, asks for what follows the last whole group that it has received; what there is of a
// group that was not received completely is dropped from the queue's end.
//
// # What Receive owes
//
//  1. It calls Receiving.Connected after the hand-shake and before the first Put; Put only in the order of the primary's log.
//  2. It returns soon after the end of its context, and nil only when the primary has nothing more to send (UNTIL).
//
// # What Apply owes
//
//  1. It takes parts until Take returns an error, then ends what it has begun: whole groups are committed, the rest is rolled back. It returns
//     that error, or the one that has stopped it.
//  2. It calls Executed for the last part of each group that is committed, in the order in which it has taken them, before it returns. It does
//     not change parts: they may be given to another Apply.
//
// # Locks
//
// connection.statement -> Manager.file -> Manager.mu -> connection.mu; connection.statement -> connection.mu -> queue.mu. connection.statement
// is held by one statement about a connection, also while it waits for the end of a thread; nobody else takes it, and a thread never runs a statement.
// The others are held for as long as it takes to read and write fields, but Manager.file, which is held while the file is written.
package replica
