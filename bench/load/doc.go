// Package load makes the load of `duramen bench run`: sysbench 1.0.20 runs the
// workloads of lua/duramen.lua.
//
// One run is one sysbench process. Its output is read as it comes, because what the
// kernel and the server count has to be read when the measured time begins and ends:
//
//	Threads started!                      it begins here if there is no warm-up;
//	[ 5s ] Checkpoint report:             otherwise here: sysbench then starts all its
//	@duramen events=...                   counters again
//	Latency histogram (values are ...)    it has ended
//	       0.087 |***             123
//	@duramen events=... seconds=...       the result
//
// The lines with @duramen are printed by a hook in our script, for everything that
// sysbench prints for people is rounded. Percentiles come from the histogram: its buckets
// are 1.8 % apart.
package load
