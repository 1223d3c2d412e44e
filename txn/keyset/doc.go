// Package keyset is sets of keys, given as 64-bit hashes, that take little memory for each:
// Set is exact, Filter may claim what it does not have.
//
// The zero values are empty and ready for use. They are not safe for concurrent use.
package keyset
