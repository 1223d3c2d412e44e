//go:build invariants

package invariants

import (
	"bytes"
	"sync/atomic"
)

// Enabled says that the checks are compiled.
const Enabled = true

// poison is what a slice is overwritten with when its lifetime ends.
const poison = 0xDB

// Lent keeps the slices that an object lends to its caller until its next call. It is not safe for concurrent use.
type Lent struct{ slices [][]byte }

// Lend gives a copy of b to the caller in b's place.
func (l *Lent) Lend(b []byte) []byte {
	if b == nil {
		return nil
	}
	c := append(make([]byte, 0, len(b)), b...)
	l.slices = append(l.slices, c)
	return c
}

// Recall ends the lifetime of everything that was lent: it is overwritten, so that whoever still reads it reads nonsense.
func (l *Lent) Recall() {
	for _, s := range l.slices {
		copy(s, bytes.Repeat([]byte{poison}, len(s)))
	}
	l.slices = l.slices[:0]
}

// Once notices what happens twice.
type Once struct{ done atomic.Bool }

// Happens panics the second time.
func (o *Once) Happens(what string) { Check(!o.done.Swap(true), "%s twice", what) }
