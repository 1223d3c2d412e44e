package convert

import (
	"errors"
	"fmt"
)

// ErrImage says that an image does not fit its table map, or has a value that its type cannot have.
var ErrImage = errors.New("malformed row image")

// TypeError is a column of the primary that slave_type_conversions does not allow to go into this server's column.
type TypeError struct {
	Column    int // counted from 0
	DB, Table string
	From, To  string // types in MariaDB's words
}

// Number is MariaDB's error number, ER_SLAVE_CONVERSION_FAILED.
func (*TypeError) Number() uint16 { return 1677 }

// Error is MariaDB's text.
func (e *TypeError) Error() string {
	return fmt.Sprintf("Column %d of table '%s.%s' cannot be converted from type '%s' to type '%s'", e.Column, e.DB, e.Table, e.From, e.To)
}

// ValueError is a value that would become another one in this server's column.
type ValueError struct {
	DB, Table, Column string
	number            uint16
}

// Number is that of MariaDB's error for such a value in a strict sql_mode.
func (e *ValueError) Number() uint16 { return e.number }

// The numbers of a ValueError.
const (
	wrongNull      uint16 = 1048
	wrongRange     uint16 = 1264
	wrongTruncated uint16 = 1265
	wrongString    uint16 = 1366
	wrongLength    uint16 = 1406
)

func (e *ValueError) Error() string {
	what := map[uint16]string{
		wrongNull: "cannot be null", wrongRange: "cannot hold the primary's value, which is out of range", wrongTruncated: "cannot hold all of the primary's value",
		wrongString: "cannot hold the primary's text: it has characters of another character set", wrongLength: "cannot hold the primary's value, which is too long",
	}[e.number]
	return fmt.Sprintf("Column '%s' of table '%s.%s' %s: change the column, or let slave_type_conversions include ALL_LOSSY", e.Column, e.DB, e.Table, what)
}

// DefaultError is a column that an event lacks and whose default is not understood here.
type DefaultError struct {
	DB, Table, Column, Default string
}

// Number is that of MariaDB's error for what is not supported.
func (*DefaultError) Number() uint16 { return 1235 }

func (e *DefaultError) Error() string {
	return fmt.Sprintf("Column '%s' of table '%s.%s' is not in the primary's table, and its default %s is not supported for that: drop the column or its default", e.Column, e.DB, e.Table, e.Default)
}
