// Package set makes one engine of several: a Set takes part in a commit as an engine does, and knows which of its
// engines holds which table.
//
// # Who holds what
//
// A table's definition names its engine (ENGINE= in SQL). The first engine of a set is the default: it holds the tables
// that name none, and those of InnoDB. A name that no engine has is an error, never a guess. Keys say their table's id, so a Set
// has to be told of a table before it meets a key of it: Place. A table never moves; another engine for it means a copy of
// it, under another id.
//
//	rows, index entries            in the engine of their table
//	auto-increment counters        in the engine of their table
//	the rest of the meta space     in all engines
//
// That is why each engine can be recovered by itself: it knows all definitions as of its own mark.
//
// # Marks
//
// An Apply gives each engine that it touches one batch, with the mark. The others hear of the mark at the next
// checkpoint: until then what they lack of the log is nothing to them. Applied is the mark of the last
// Apply. Durable is the smallest of the engines' own: recovery has to begin there.
//
// A crash finds the engines at different marks, also in the middle of an Apply. So a Set that was opened is one engine
// only when each engine has been brought to the end of the log by a replay of its own, from its own mark (package store).
//
// # Snapshots
//
// An Apply excludes the making of a snapshot, so all engines of a snapshot stand between the same two Applies. It is made once
// between two Applies, however many want one.
//
// # One engine
//
// With one engine every method is that engine's, and what it returns as well: nothing is in between.
package set
