package engine

import "errors"

// ErrKeyOrder is returned by Import.Set and Delete for a key that does not lie
// after the one before.
var ErrKeyOrder = errors.New("engine: keys of an import are not in ascending order")

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
