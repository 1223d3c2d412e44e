package commit

import "sync"

// inFlightWindow keeps the groups in order on their way from one stage to the next, where several of them may be
// at the same time: during their syncs, behind the log stage, and while copies of them are waited for, before the apply stage.
//
//	entered <= issued
//
// A group gets a number where the way begins, and enters the next stage when all groups with
// lower numbers have entered it.
type inFlightWindow struct {
	issued uint64 // numbers given out; belongs to who is at the beginning, which is one at a time

	mu struct {
		sync.Mutex
		entered uint64
		waiting bool
	}
	moved sync.Cond // of mu: entered has changed
}

func (f *inFlightWindow) init() { f.moved.L = &f.mu }

// begin gives out the next number.
func (f *inFlightWindow) begin() (number uint64) {
	f.issued++
	return f.issued - 1
}

// await waits until fewer than depth groups are on their way. Nobody begins meanwhile.
func (f *inFlightWindow) await(depth int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.issued-f.mu.entered >= uint64(depth) {
		f.mu.waiting = true
		f.moved.Wait()
	}
}

// isNext reports whether a group need not wait for others to enter.
func (f *inFlightWindow) isNext(number uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.entered == number
}

// enter calls take when all lower numbers have entered, and before a higher one can: by one goroutine at a time, in order.
func (f *inFlightWindow) enter(number uint64, take func()) {
	f.mu.Lock()
	for f.mu.entered != number {
		f.mu.waiting = true
		f.moved.Wait()
	}
	f.mu.Unlock()
	take()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.entered++
	if f.mu.waiting {
		f.mu.waiting = false
		f.moved.Broadcast()
	}
}
