package lock

// Mode is the strength of a lock. Rows are locked in Shared and Exclusive mode, everything else in all of them:
//
//	              Describe  IntentShared  IntentExclusive  Shared  Confined  Exclusive
//	Describe                                                                 conflict
//	IntentShared                                                   conflict  conflict
//	IntentExclusive                                        conflict  conflict  conflict
//	Shared                                conflict                 conflict  conflict
//	Confined                conflict      conflict         conflict  conflict  conflict
//	Exclusive     conflict  conflict      conflict         conflict  conflict  conflict
type Mode uint8

// Modes. None is what an owner without the lock holds; it is never asked for.
const (
	None Mode = iota
	// Describe reads a definition, and no rows.
	Describe
	// IntentShared reads rows below the name, each under a lock of its own or in a snapshot.
	IntentShared
	// IntentExclusive changes or locks rows below the name, each under a lock of its own.
	IntentExclusive
	// Shared keeps what is locked as it is.
	Shared
	// Confined keeps others from all rows below the name; they may still read its definition.
	Confined
	// Exclusive keeps others away altogether.
	Exclusive
	modes
)

var modeNames = [modes]string{"none", "D", "IS", "IX", "S", "SX", "X"}

// String is the short name of the mode.
func (m Mode) String() string { return modeNames[m] }

// modeSet is a set of modes, a bit for each.
type modeSet uint8

func (m Mode) set() modeSet { return 1 << m }

// conflicts are the modes that others cannot have at the same time.
var conflicts = [modes]modeSet{
	Describe:        Exclusive.set(),
	IntentShared:    Confined.set() | Exclusive.set(),
	IntentExclusive: Shared.set() | Confined.set() | Exclusive.set(),
	Shared:          IntentExclusive.set() | Confined.set() | Exclusive.set(),
	Confined:        IntentShared.set() | IntentExclusive.set() | Shared.set() | Confined.set() | Exclusive.set(),
	Exclusive: Describe.set() | IntentShared.set() | IntentExclusive.set() | Shared.set() | Confined.set() |
		Exclusive.set(),
}

// strong is 1 for a mode that an intent is in conflict with, and 0 for others.
func (m Mode) strong() int { return int(conflicts[IntentExclusive] >> m & 1) }

func compatible(a, b Mode) bool { return conflicts[a]&b.set() == 0 }

// includes reports whether who has m needs not ask for other: m is in the way of everything that other is.
func (m Mode) includes(other Mode) bool { return conflicts[other]&^conflicts[m] == 0 }

// with is the weakest mode that includes both.
func (m Mode) with(other Mode) Mode {
	switch {
	case m.includes(other):
		return m
	case other.includes(m):
		return other
	}
	return Confined // of IntentExclusive and Shared
}

// Class says when a lock is released.
type Class uint8

// Classes of locks.
const (
	Rows     Class = iota // when the place in the log is fixed
	Metadata              // at the end of the transaction, or of LOCK TABLES
	Named                 // when their session says so: locks of GET_LOCK
	// Global is the class of one lock, the one on everything: whoever asks for it gives the same key. Who changes anything has
	// it as IntentExclusive, which costs little (global.go), for as long as the change must not be seen half done.
	Global
	classes
)

// outcome is what became of a request for a lock, so far or for good.
type outcome uint8

const (
	granted      outcome = iota // the owner has it now
	had                         // the owner, or one of its session, had it before, in this mode or a stronger one
	strengthened                // the owner had it in a weaker mode and has it in this one now
	noted                       // the owner has it now, in its set
	blocked                     // others are in the way, in the table
	inSet                       // another owner has it in its set
	refused                     // others have it, and the caller does not wait
	deadlock                    // waiting for it would never end
	timedOut
	cancelled // the context ended
)
