package function

import "github.com/duramendb/duramen/query/memory"

// Held is memory that the state of an aggregate function takes in its session until it is disposed of.
type Held struct {
	memory *memory.Session // nil without a session
	bytes  int64
}

// NewHeld is for a session, which may be nil.
func NewHeld(s Session) *Held {
	if s == nil {
		return &Held{}
	}
	return &Held{memory: s.Memory()}
}

// Charge takes memory, or gives some back; its error says that the session has no more.
func (h *Held) Charge(n int64) error {
	if h.memory == nil {
		return nil
	}
	h.bytes += n
	if n < 0 {
		h.memory.Release(-n)
		return nil
	}
	return h.memory.Hold(n)
}

// Release gives all of it back.
func (h *Held) Release() {
	if h.memory != nil && h.bytes > 0 {
		h.memory.Release(h.bytes)
		h.bytes = 0
	}
}
