//go:build !invariants

package invariants

// Enabled says that the checks are compiled.
const Enabled = false

// Lent keeps the slices that an object lends to its caller until its next call. It is not safe for concurrent use.
type Lent struct{}

// Lend gives a copy of b to the caller in b's place.
func (*Lent) Lend(b []byte) []byte { return b }

// Recall ends the lifetime of everything that was lent: it is overwritten, so that whoever still reads it reads nonsense.
func (*Lent) Recall() {}

// Once notices what happens twice.
type Once struct{}

// Happens panics the second time.
func (*Once) Happens(string) {}
