// Package position measures what it costs a replica to keep its position in a table: `duramen bench position`.
//
// A MariaDB replica writes the GTID of each transaction that it applies into mysql.gtid_slave_pos, as a part of that
// transaction. If the table is in another engine than the data, each transaction is one over two engines, with
// all that these have to agree on. With gtid_pos_auto_engines there is such a table in each engine.
//
// # What is measured
//
// Two MariaDB primaries make a log each, once: so many transactions that update one row each by its primary key, of a table in the first
// or in the second engine. Every replica fetches a log anew for each turn, all of it, before the time begins; then it applies the
// transactions, one after the other (slave_parallel_threads=0). The time ends with the last of them. No row gets the value that it has
// already, in whatever turn: engines make nothing of that.
//
// Beside it stands what the same costs Duramen's pipeline: not Duramen as a replica, which waits for no transaction before it begins the next one
// (that is measured by suite replica of `duramen bench run`). The same transactions, read from the primaries' log files before the time begins, are applied to a store one after the other: the row is looked up and locked,
// changed, logged, synced as the profile says, and applied to the engine. There is no table for the position, since the log of
// a replica holds the GTIDs. What is missing to a replica is reading the relay log within the time. Its first engine is
// the LSM engine, its second one the B+tree.
//
// Two further contenders are that store with the commit protocol 2pc, which does as MariaDB does: its position is in the LSM engine, or in
// the B+tree. Without syncs their redo logs are not synced either.
//
// # What is kept
//
// Nothing but results. Data goes to Options.Dir and is removed in the end.
package position
