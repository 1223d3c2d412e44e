// Package engine defines what a storage engine is in Duramen: a sorted map
// that applies batches at log positions, gives consistent snapshots, and
// reports up to which position of the binary log its files are complete.
// Engines have no log of their own; after a crash they are brought up to date
// from the binary log. Implementations live in sub-packages.
//
// Engine is what every engine can do. What only some can they declare: see
// Capabilities.
package engine
