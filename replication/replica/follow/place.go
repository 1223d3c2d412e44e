package follow

import (
	"github.com/duramendb/duramen/replication/replica/primary"
)

// moved is where the log is after an event that ends at the position whose low 32 bits are low, and whether that is not before at.
func moved(at uint64, low uint32) (pos uint64, ok bool) {
	if low >= uint32(at) {
		return at&^(1<<32-1) | uint64(low), true
	}
	if step := low - uint32(at); step < 1<<31 {
		return at + uint64(step), true
	}
	return at, false
}

// advance moves the place to the end of an event; 0 is the end of an artificial one, which has none.
func advance(p *primary.Place, low uint32) {
	if low != 0 {
		p.Pos, _ = moved(p.Pos, low)
	}
}
