// Package badinput gives the server what it should not get: broken packets,
// directories that are not its own, a port that is taken, a full disk, a damaged
// log. Each has to end in a clear message and a non-zero exit code, or in an
// error to the client alone, and no data may change.
package badinput
