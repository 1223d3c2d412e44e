// Package replay is redo: it turns the groups of the log back into the changes that their transactions made.
//
// It has two halves. A decoder (decode.go) follows the events of a group: table maps, rows, the private records that
// stand for row ids, catalog changes and local transactions. It knows no engine; what it finds it hands to a sink
// (sink.go), in log order, one change of one row at a time.
//
// The sink that recovery needs is batches (batch.go): it completes partial images from the engine, keeps the catalog
// and the auto-increment counters, and collects batches of the engine, each with the mark of its last group. Several goroutines make
// keys of the rows (stretch.go), and the engine applies a batch while the next one is made; who reads the engine waits for it. Run reads a log into it. Replaying what the engine already holds does not happen, as Run begins at the engine's mark; parts of
// a large group are the exception (chunk.go).
//
// # A second sink
//
// A replica will apply received groups as transactions. The seam is made so that this fits, as another sink:
//
//   - A sink resolves a table map itself. batches looks for the id, which the catalog of this server gave; a
//     transaction would look for the name, and compare the columns.
//   - A change has the images as they are in the log, with the columns that are present. To find the row, and to complete
//     its image, is the sink's business: batches reads the engine, which is exactly at the group before; a
//     transaction would lock the row first, and look for one without a key by its image.
//   - begin and end enclose a group, with its GTID and with its place in the log: where a transaction begins and commits.
//
// Groups of another server have no row ids for keyless tables, and statements in place of catalog changes; the
// decoder learns of both with that sink.
package replay
