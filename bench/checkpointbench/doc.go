// Package checkpointbench measures what a checkpoint of a storage engine costs those who commit meanwhile: `duramen bench checkpoint`.
//
// A server has a set of tables in each engine. In each round every engine has, for each number of clients, two turns of the same load
// (one changed row per transaction), one directly after the other:
//
//	held off      no checkpoint becomes due; what changed piles up
//	checkpoints   from the first moment on one is due at every look of the server (each second), if 1 MiB of log was written since the
//	              last: the first has to write what the turn before has piled up, the others what a second or two have changed
//
// The server says in SHOW STATUS how many checkpoints an engine has made, and how long these took in all. A watcher asks every few
// milliseconds: a checkpoint lies between the question that shows its end and the one before, and its time earlier. Flushes
// that an engine makes for reasons of its own are counted by it as well.
//
// A commit is measured with the statement that makes it, by the client. It is inside if it overlaps a checkpoint. What is
// compared is the p99 of commits inside with the p99 of commits outside in the turn that is held off, round by round.
package checkpointbench
