package lock

// Mode is the strength of a lock. A higher one includes the lower ones.
type Mode uint8

// Modes. None is what an owner without the lock holds; it is never asked for.
const (
	None Mode = iota
	Shared
	Exclusive
)

func compatible(a, b Mode) bool { return a == Shared && b == Shared }

// Class says when a lock is released.
type Class uint8

// Classes of locks.
const (
	Rows     Class = iota // when the place in the log is fixed
	Metadata              // at the end of the transaction
	Named                 // when their session says so: locks of GET_LOCK
	classes
)

// outcome is what became of a request for a lock, so far or for good.
type outcome uint8

const (
	granted      outcome = iota // the owner has it now
	had                         // the owner had it before, in this mode or a stronger one
	strengthened                // the owner had it shared and has it exclusively now
	noted                       // the owner has it now, in its set
	blocked                     // others are in the way, in the table
	inSet                       // another owner has it in its set
	refused                     // others have it, and the caller does not wait
	deadlock                    // waiting for it would never end
	timedOut
	cancelled // the context ended
)
