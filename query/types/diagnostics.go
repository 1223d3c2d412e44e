package types

import (
	"fmt"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Level is how serious a condition is.
type Level uint8

// The levels.
const (
	Note Level = iota
	Warning
	Error
)

// String is the word of SHOW WARNINGS.
func (l Level) String() string { return [...]string{"Note", "Warning", "Error"}[l] }

// Condition is a note, a warning or an error of a statement.
type Condition struct {
	Level   Level
	Number  uint16
	Message string
}

// Diagnostics collects the conditions of a statement. What calls Warn does not decide whether that is an error: in a strict statement
// (INSERT, UPDATE and the like in strict mode) some warnings are.
type Diagnostics struct {
	Conditions []Condition
	// Strict are the numbers of warnings that are errors in this statement; nil for none.
	Strict func(number uint16) bool
	// Most is how many conditions are kept (max_error_count).
	Most int
	// NoNotes says that notes are not even counted (sql_notes=OFF).
	NoNotes bool
	// Dropped counts those beyond it.
	Dropped int
	err     *mysqlerr.Error
}

// Note adds a note with the text of a number.
func (d *Diagnostics) Note(number uint16, args ...any) { d.add(Note, mysqlerr.New(number, args...)) }

// Warn adds a warning with the text of a number; the statement fails with it if it is strict about that.
func (d *Diagnostics) Warn(number uint16, args ...any) {
	err := mysqlerr.New(number, args...)
	if d.Strict != nil && d.Strict(number) {
		d.Fail(err)
		return
	}
	d.add(Warning, err)
}

// WarnOnly adds a warning that is none of those that a strict statement fails with.
func (d *Diagnostics) WarnOnly(number uint16, args ...any) {
	d.add(Warning, mysqlerr.New(number, args...))
}

// Warnf adds a warning with a message of its own.
func (d *Diagnostics) Warnf(number uint16, format string, args ...any) {
	if d.Strict != nil && d.Strict(number) {
		d.Fail(mysqlerr.Newf(number, format, args...))
		return
	}
	d.add(Warning, &mysqlerr.Error{Number: number, Message: fmt.Sprintf(format, args...)})
}

// Notef adds a note with a message of its own.
func (d *Diagnostics) Notef(number uint16, format string, args ...any) {
	d.add(Note, &mysqlerr.Error{Number: number, Message: fmt.Sprintf(format, args...)})
}

// Fail makes the statement fail. The first error stays.
func (d *Diagnostics) Fail(err *mysqlerr.Error) {
	if d.err == nil {
		d.err = err
		d.add(Error, err)
	}
}

// Reset begins another run of the statement: there are the first n conditions, which binding it has made.
func (d *Diagnostics) Reset(n int) { d.Conditions, d.Dropped, d.err = d.Conditions[:n:n], 0, nil }

// Forgive goes on after an error, which stays as a condition.
func (d *Diagnostics) Forgive() { d.err = nil }

// Blame takes Forgive back: the statement has failed with this error, of which a condition is there.
func (d *Diagnostics) Blame(err *mysqlerr.Error) {
	if err != nil {
		d.err = err
	}
}

// Failed is the error that the statement failed with, nil if it did not.
func (d *Diagnostics) Failed() *mysqlerr.Error { return d.err }

func (d *Diagnostics) add(l Level, err *mysqlerr.Error) {
	if l == Note && d.NoNotes {
		return
	}
	if d.Most > 0 && len(d.Conditions) >= d.Most {
		d.Dropped++
		return
	}
	d.Conditions = append(d.Conditions, Condition{Level: l, Number: err.Number, Message: err.Message})
}
