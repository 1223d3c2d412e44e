// Package applying holds a replica's applier against what it has to make: groups that one server has logged are applied by another one, both in this
// process and without a connection between them, and then both have the same rows, the same GTIDs, and the same after a crash.
package applying
