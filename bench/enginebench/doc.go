// Package enginebench measures what engines cost below SQL. All engines have their turns in one run (package turns).
//
// Each engine is loaded with the rows in ascending order, in batches, with a checkpoint at the end. In each round it is then
// opened anew, alone in the process, and these are taken:
//
//	uncached Get   200 random keys of all rows. Before, the engine's files are dropped from the page cache (posix_fadvise), and the engine's
//	               own cache is empty. What goes to the device is counted: where the file system cannot drop, it is 0.
//	cached Get     random keys of the hot rows, of which all were read just before
//	scan           the hot rows, forwards and backwards, with their values
//	apply          random rows of all, batches of 1 and of 100 rows, without a checkpoint in between
//	checkpoint     after 50,000 random rows (all, if there are fewer) since the last one
//
// An engine that keeps nothing over a restart is loaded at the beginning of each turn, and has no figures about files.
//
// The hot rows are the first 100,000: they fit into every cache, whatever the size of the table.
//
// # Bytes
//
// Memory of pending rows is engine.Stats.PendingBytes after those 50,000 rows were applied.
// Memory at rest is how much larger the heap is with the engine open, all hot rows read and nothing pending, than before it was
// opened. What an engine has mapped of its files, and what the page cache holds of them, is not in it, nor is memory of C, which Pebble
// uses in builds with cgo (make build makes one without).
// Write amplification is the growth of engine.Stats.WrittenBytes over a round, divided by the bytes of keys and values
// that were applied in it; compactions that go on afterwards are not in it.
package enginebench
