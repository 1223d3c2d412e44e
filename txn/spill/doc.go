// Package spill is write sets that do not fit into memory.
//
// The newest writes of a Set are in a tree; when that has reached its limit it becomes a sorted
// run, a file that is written once and never synced, as nothing in it outlives the process
// (run.go has its format). Reads merge the tree and the runs.
//
// A Sorter puts many keys in order with runs of the same kind: the entries of an index that is added to a table.
//
// A Set belongs to one goroutine at a time. A View of it is unaffected by later writes and
// may be read beside them.
package spill
