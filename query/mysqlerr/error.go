package mysqlerr

import (
	"errors"
	"fmt"
	"strings"
)

// Error is what a client sees: MariaDB's error number, its SQLSTATE (always
// five characters) and the message.
type Error struct {
	Number  uint16
	State   string
	Message string
	cause   error
}

// Error implements error in the form in which the mariadb client prints it.
func (e *Error) Error() string {
	return fmt.Sprintf("ERROR %d (%s): %s", e.Number, e.State, e.Message)
}

// Unwrap returns the Go error that the Error was made from, if any.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same number, so that
// errors.Is(err, mysqlerr.New(mysqlerr.LockDeadlock)) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Number == e.Number
}

// New makes the Error of a number, with its text from the table and the
// arguments that the text's verbs take. A number that the table does not hold
// gives a general error (1105).
func New(number uint16, args ...any) *Error {
	entry, ok := table[number]
	if !ok {
		return &Error{Number: UnknownError, State: table[UnknownError].state, Message: fmt.Sprintf("error %d %v", number, args)}
	}
	return &Error{Number: number, State: entry.state, Message: fmt.Sprintf(entry.text, args...)}
}

// Duplicate is error 1062: a key that another row has, by its text and its name. Its message is that of 1586, as MariaDB sends it.
func Duplicate(entry, key string) *Error {
	const most = 64 // bytes of the text
	if len(entry) > most {
		end := most - len("...")
		for end > 0 && entry[end]&0xC0 == 0x80 {
			end--
		}
		entry = entry[:end] + "..."
	}
	e := New(DupEntryWithKeyName, entry, key)
	e.Number, e.State = DupEntry, table[DupEntry].state
	return e
}

// Format is the text of a number with %s for every argument; "" for one that the table does not hold.
func Format(number uint16) string { return strings.ReplaceAll(table[number].text, "%v", "%s") }

// NotYet is the error of what this server does not do (1235), or is known to do wrongly.
func NotYet(what string) *Error { return New(NotSupportedYet, what) }

// Never is NotYet for what nobody else is to try: others would answer, and wrongly.
func Never(what string) *Error {
	e := NotYet(what)
	e.cause = errNever
	return e
}

var errNever = errors.New("others would answer wrongly")

// IsNever reports whether an error is one of Never's.
func IsNever(err error) bool { return errors.Is(err, errNever) }

// Newf makes the Error of a number with a message of its own.
func Newf(number uint16, format string, args ...any) *Error {
	return &Error{Number: number, State: State(number), Message: fmt.Sprintf(format, args...)}
}

// WithCause sets the Go error that errors.Unwrap gives and returns e.
func (e *Error) WithCause(err error) *Error {
	e.cause = err
	return e
}

// State returns the SQLSTATE of an error number; HY000 for one that the table
// does not hold.
func State(number uint16) string {
	if entry, ok := table[number]; ok {
		return entry.state
	}
	return "HY000"
}

// SyntaxErrorText is the first part of a 1064 error's message.
const SyntaxErrorText = "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for the right syntax to use"
