// Package benchsuite runs `duramen bench run` against real servers, with the real sysbench, for a few
// seconds each: every workload, a whole run with its report, interrupted runs, a server that runs
// already, cells that fail, engines, and replicas' positions. It asserts
// no time.
package benchsuite
