// Package suite runs `duramen bench run`: named suites of workloads on servers, in
// turns.
//
// A test is a workload with a number of clients; a cell is a test on a contender (a server with a
// profile); a turn is one repeat of a cell. The order of turns is
//
//	for each workload, for each number of clients, for each repeat, for each contender
//
// so contenders are measured A B C A B C, and what disturbs the machine disturbs all. All
// servers run all the time, loaded once. Before a turn the device comes to rest (Options.Settle).
//
// # What is kept
//
//	run.json        the Config, the machine, versions and options of the servers: Info
//	results.jsonl   a line for each turn, written when it has ended: Result
//	servers/NAME/   option file and log of each server
//
// A run into a directory that has results goes on with the turns that have none. A
// turn that failed has a line that says why, and no numbers; it is tried again then. A line that a
// killed run left unfinished is cut off.
package suite
