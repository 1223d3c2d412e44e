package engine

import "errors"

// ErrKeyOrder is returned by Import.Set and Delete for a key that does not lie
// behind the one before.
var ErrKeyOrder = errors.New("engine: keys of an import are not in ascending order")

// Importer is an Engine that can take over changes of keys which were written
// into files beforehand: the changes of a transaction that is too large for a
// Batch. Preparing needs no lock and disturbs nobody; ApplyImport takes about as long as
// syncing a small file, whatever the size of the import.
type Importer interface {
	Engine
	// NewImport starts an import; its files lie in dir, on the engine's file system.
	NewImport(dir string) (Import, error)
	// ApplyImport is Apply for an import together with a (small) batch: both,
	// and the mark, become visible together, and durable together unless the batch deletes
	// ranges. The import must have been finished, and the batch must not
	// touch its keys. Both are consumed.
	ApplyImport(i Import, b Batch, m Mark) error
}

// Import is a set of changes in files that are not part of the engine yet. It
// is used by one goroutine at a time, and consumed by ApplyImport or Discard.
type Import interface {
	// Set and Delete take keys in ascending order, each key once. A full disk is an error
	// like any other: the import is to be discarded then.
	Set(key, value []byte) error
	Delete(key []byte) error
	// Finish makes the files durable. Nothing may be added afterwards.
	Finish() error
	// Discard removes the files.
	Discard()
}
