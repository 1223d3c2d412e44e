package wire

import (
	"runtime"
	"sync/atomic"
	"time"
)

// turnMax is how long a connection goes on before it lets others go first.
const turnMax = 100 * time.Microsecond

// turn shares the processors among connections. A goroutine whose client answers fast finds the next command in the
// socket each time, and never waits: Go's scheduler leaves it on its processor until it is preempted, after ten milliseconds, and
// those that are ready behind it wait as long. So a connection gives way now and then, between two commands.
//
// Each of these was measured with 16 and 64 clients of point selects on two processors: what is written here costs little
// throughput (2 to 5 %, within the noise) and takes a third from the 99th percentile with 16 clients, and half with 64. Giving way after each command costs a fifth of the throughput. Passing through
// the network poller instead (an eventfd that is made ready, and waited for) is no better with many clients, and costs three system calls
// and a descriptor. A thread for each connection (LockOSThread) costs a fifth, a sleep of a nanosecond does nothing, more
// threads (GOMAXPROCS) make it worse. What is left of the difference to a server with a thread per connection is the kernel's:
// it takes the processor from one of the few threads of Go, with all that is queued there, for one of its own ticks.
type turn struct{ since time.Time }

// giveWay ends the turn if it has lasted long enough. Where every connection has a processor nobody waits for one, and giving way would only
// wake another thread to look for work.
func (t *turn) giveWay(now time.Time, open *atomic.Int64) {
	if now.Sub(t.since) < turnMax {
		return
	}
	if open.Load() > int64(runtime.GOMAXPROCS(0)) {
		runtime.Gosched()
	}
	t.since = now
}
