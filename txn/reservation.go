package txn

import (
	"math"

	"github.com/duramendb/duramen/catalog"
)

// Reservation hands out the AUTO_INCREMENT values of one statement. Those of as many rows as are known to come are reserved together, so that the
// rows of one INSERT have consecutive values whatever others insert meanwhile. The zero value has reserved nothing.
type Reservation struct {
	next, step uint64
	left       uint64
}

// Counter is who has the AUTO_INCREMENT values of a table: a Txn, or a temporary table.
type Counter interface {
	NextAutoIncrement(tbl *catalog.Table, count, increment, offset uint64) (first uint64, err error)
}

// Next is the value for a row that has none; count is for how many rows values are reserved if none is left, increment and offset as in
// NextAutoIncrement.
func (r *Reservation) Next(from Counter, tbl *catalog.Table, count, increment, offset uint64) (uint64, error) {
	if v, ok := r.Rest(); ok {
		return v, nil
	}
	first, err := from.NextAutoIncrement(tbl, count, increment, offset)
	if err != nil {
		return 0, err
	}
	r.step = max(increment, 1)
	r.next, r.left = first+r.step, count-1
	return first, nil
}

// Rest is the next value of those that are reserved; false if none is left.
func (r *Reservation) Rest() (v uint64, ok bool) {
	if r.left == 0 {
		return 0, false
	}
	v = r.next
	r.next += r.step
	r.left--
	return v, true
}

// Empty reports whether no value is left of those that are reserved.
func (r *Reservation) Empty() bool { return r.left == 0 }

// Back takes back the value that was handed out last: its row was not added.
func (r *Reservation) Back() {
	r.next -= r.step
	r.left++
}

// Skip goes on after a value that a row brings along, and uses up the one that was meant for this row.
func (r *Reservation) Skip(given uint64) {
	if r.left == 0 {
		return
	}
	r.left--
	if r.left > 0 && r.next <= given {
		n := min((given-r.next)/r.step+1, r.left)
		r.next += n * r.step
		r.left -= n
	}
}

// Force makes first the value that is handed out now, whatever the table's counter says, and lets those that follow be the next of the
// sequence, as many as rows come (SET insert_id).
func (r *Reservation) Force(first, increment, offset uint64) {
	*r = Reservation{}
	c := counter{next: first + 1}
	next, err := c.reserve(1, increment, offset)
	if err != nil || first == math.MaxUint64 {
		return
	}
	r.step = max(increment, 1)
	r.next, r.left = next, (math.MaxUint64-1-next)/r.step+1
}
