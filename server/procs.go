package server

import (
	"os"
	"runtime"
)

// tuneProcs lets Go run goroutines on one thread more than there are CPUs. A leader that waits for the
// device in a system call keeps its place among GOMAXPROCS until the runtime notices, which takes from 20
// microseconds to 10 milliseconds, as long as the sync itself; with two CPUs half of the machine stands still meanwhile.
// Measured with 2 CPUs: 17 % more updates per second of sysbench with 16 clients. It is for the process that is
// a server, not for one that embeds it; whoever sets GOMAXPROCS decides instead. The
// result takes it back.
func tuneProcs() (undo func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + 1)
	return runtime.SetDefaultGOMAXPROCS
}
