package txn

// Locks are identified by a 64-bit hash of what they protect (a full row key,
// a full unique key, a table name): two things with the same hash share a
// lock. That costs a needless wait once in a very long time and saves a copy
// of every locked key.

// lockMode orders the modes by strength.
type lockMode uint8

const (
	modeNone lockMode = iota
	modeShared
	modeExclusive
)

func compatible(a, b lockMode) bool { return a == modeShared && b == modeShared }

func (m LockMode) mode() lockMode {
	if m == Exclusive {
		return modeExclusive
	}
	return modeShared
}
