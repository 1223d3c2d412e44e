package commit

import "sync"

// inFlightWindow keeps the groups in order on their way from the log stage to the apply stage, where several
// of them may be synced at the same time.
//
//	entered <= issued
//
// A group gets a number in the log stage, and enters the apply stage when all groups with
// lower numbers have entered it.
type inFlightWindow struct {
	issued uint64 // numbers given out; belongs to the holder of logMu

	mu struct {
		sync.Mutex
		entered uint64
		waiting bool
	}
	moved sync.Cond // of mu: entered has changed
}

func (f *inFlightWindow) init() { f.moved.L = &f.mu }

// begin gives out the next number. logMu is held.
func (f *inFlightWindow) begin() (number uint64) {
	f.issued++
	return f.issued - 1
}

// await waits until fewer than depth groups are between the stages. logMu is held.
func (f *inFlightWindow) await(depth int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.issued-f.mu.entered >= uint64(depth) {
		f.mu.waiting = true
		f.moved.Wait()
	}
}

// enter takes applyMu when all lower numbers have entered.
func (f *inFlightWindow) enter(number uint64, applyMu *sync.Mutex) {
	f.mu.Lock()
	for f.mu.entered != number {
		f.mu.waiting = true
		f.moved.Wait()
	}
	f.mu.Unlock()
	applyMu.Lock() // before the next number can enter: keeps the groups in order
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.entered++
	if f.mu.waiting {
		f.mu.waiting = false
		f.moved.Broadcast()
	}
}
