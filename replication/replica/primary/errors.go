package primary

import "fmt"

// Error is why a thread of a replica has stopped or cannot go on, as SHOW SLAVE STATUS says it.
type Error struct {
	// Number is MariaDB's, never 0.
	Number uint16
	// Text is MariaDB's where it has one, and says what to do.
	Text string
	// Retry says that the IO thread tries again.
	Retry bool
	Cause error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%d: %s (%v)", e.Number, e.Text, e.Cause)
	}
	return fmt.Sprintf("%d: %s", e.Number, e.Text)
}

func (e *Error) Unwrap() error { return e.Cause }
