package binlog

import (
	"errors"
	"fmt"
	"io"
)

// The recovery table as data. What a scan finds out about a segment is boiled
// down to a few facts; every combination of facts has exactly one row
// (TestEveryCombinationHasOneRow), and the row decides.

// decision is what recovery does about a segment.
type decision int

const (
	clean   decision = iota // it ends as it should; what follows are untouched zeros
	torn                    // a crash tore it: cut it back to the last complete group
	damaged                 // refuse to start: no crash can have done this
)

func (d decision) String() string { return [...]string{"clean", "torn", "damage"}[d] }

// lastFact says what the last valid event of a segment is.
type lastFact int

const (
	lastClosing  lastFact = iota // STOP or ROTATE
	lastComplete                 // the end of a group, of the header, or another event between groups
	lastInside                   // in the middle of a group, or between a write mark and its groups
)

// tailFact says what lies behind the last valid event.
type tailFact int

const (
	tailNone    tailFact = iota // the file ends
	tailZeros                   // zeros up to the end of the file
	tailData                    // anything else, and no write mark that calls the place durable
	tailVouched                 // not even zeros may be there: a valid write mark calls the place durable
)

// facts are what the table goes by. live is the last segment of the index, the
// only one that a crash can tear.
type facts struct {
	live    bool
	header  bool // magic, format description, GTID list and checkpoint are valid
	order   bool // events stand in an order that the server writes
	inUse   bool // the flag in the format description
	last    lastFact
	tail    tailFact
	chained bool // its GTID list is the state at the end of the segment before; of the first: true
}

// row is a line of the table.
type row struct {
	label string
	// cause is the fault that leaves a segment like this.
	cause    string
	decision decision
	match    func(f facts) bool
}

func (r *row) String() string { return r.label }

// recoveryTable: see the package comment, which has it in words.
var recoveryTable = []row{
	{"1 closed", "a shutdown, or a crash after the end was durable", clean,
		func(f facts) bool { return f.sound() && f.live && f.last == lastClosing && f.tail == tailNone }},
	{"2 closed, not cut", "a crash while the file was being closed", clean,
		func(f facts) bool { return f.sound() && f.live && f.last == lastClosing && f.tail == tailZeros }},
	{"3 data behind the end", "a file that was appended to or overwritten", damaged,
		func(f facts) bool { return f.sound() && f.live && f.last == lastClosing && f.tail >= tailData }},
	{"4 closed without an end", "a closed file that was cut short or changed", damaged,
		func(f facts) bool { return f.sound() && f.live && !f.inUse && f.last != lastClosing }},
	{"5 lost durable write", "a changed or lost block, found by a later write", damaged,
		func(f facts) bool {
			return f.sound() && f.live && f.inUse && f.last != lastClosing && f.tail == tailVouched
		}},
	{"6 torn write", "a crash before a write was durable", torn,
		func(f facts) bool {
			return f.sound() && f.live && f.inUse && f.last != lastClosing && f.tail == tailData
		}},
	{"7 incomplete group", "a crash before a write was durable, at an event boundary", torn,
		func(f facts) bool {
			return f.sound() && f.live && f.inUse && f.last == lastInside && f.tail <= tailZeros
		}},
	{"8 between two writes", "a crash, or kill -9, while nothing was being written", clean,
		func(f facts) bool {
			return f.sound() && f.live && f.inUse && f.last == lastComplete && f.tail <= tailZeros
		}},
	{"9 broken header", "a changed block: the header was durable before the file got its name", damaged,
		func(f facts) bool { return !f.header }},
	{"10 impossible order", "a file put together by something else", damaged,
		func(f facts) bool { return f.header && !f.order }},
	{"11 foreign file", "a file of another log, or another state of it, under this name: transactions are missing or doubled", damaged,
		func(f facts) bool { return f.header && f.order && !f.chained }},
	{"12 earlier file in use", "a file that was put back: a later one exists only once this one is closed", damaged,
		func(f facts) bool { return f.sound() && !f.live && f.inUse }},
	{"13 earlier file cut short or changed", "a changed or lost block, a truncated file", damaged,
		func(f facts) bool {
			return f.sound() && !f.live && !f.inUse && (f.last != lastClosing || f.tail != tailNone)
		}},
	{"14 earlier file", "a rotation or shutdown", clean,
		func(f facts) bool {
			return f.sound() && !f.live && !f.inUse && f.last == lastClosing && f.tail == tailNone
		}},
}

// sound says that none of the rows applies that need no look at the segment's end.
func (f facts) sound() bool { return f.header && f.order && f.chained }

// rowFor finds the row of the table.
func rowFor(f facts) *row {
	for i := range recoveryTable {
		if recoveryTable[i].match(f) {
			return &recoveryTable[i]
		}
	}
	panic(fmt.Sprintf("binlog: no row of the recovery table for %+v", f))
}

// factsOf boils a scan of the live segment down.
func factsOf(c contents, t tail) facts {
	f := facts{live: true, header: true, order: true, chained: true, inUse: c.inUse, last: lastComplete}
	switch {
	case c.ended:
		f.last = lastClosing
	case c.unitEnd < c.evEnd:
		f.last = lastInside
	}
	switch {
	case max(t.durable, c.vouched) > c.evEnd:
		f.tail = tailVouched
	case t.dataEnd > c.evEnd:
		f.tail = tailData
	case c.stop != io.EOF:
		f.tail = tailZeros
	}
	return f
}

// judge decides about the live segment; the reason is not nil for damage.
func judge(c contents, t tail) (*row, error) {
	r := rowFor(factsOf(c, t))
	if r.decision != damaged {
		return r, nil
	}
	return r, damageReason(c, t)
}

func damageReason(c contents, t tail) error {
	switch {
	case c.ended:
		return errors.New("there is data behind the event that ends the file")
	case !c.inUse:
		return fmt.Errorf("the file was closed, but its end is not valid: %w", endReason(c))
	default:
		durable, mark := t.durable, t.mark
		if c.vouched > durable {
			durable, mark = c.vouched, c.vouchedBy
		}
		return fmt.Errorf("%w, but the write at offset %d was issued when everything before offset %d was durable: no crash can have done this",
			endReason(c), mark, durable)
	}
}

func endReason(c contents) error {
	if c.stop == io.EOF {
		return errors.New("the file ends here")
	}
	return c.stop
}
