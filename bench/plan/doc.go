// Package plan makes all benchmarks one after the other, in a time that the user gives: `duramen bench all`.
//
// A step is one command of `duramen bench`, run as a process of its own, with results in a directory of its own below Options.Out:
//
//	state.json     the steps that have ended, and how
//	NAME/          what the step's command writes, and
//	NAME/log.txt   what it printed on the way; NAME/report.txt, its tables
//
// The time is divided by the steps' weights. A step that needs less or more than its part changes those of all that follow. What has
// ended is not made again when the same directory is given once more; a run of a suite that was interrupted goes on where it was.
package plan
