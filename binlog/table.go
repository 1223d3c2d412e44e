package binlog

import (
	"errors"
	"fmt"
	"io"
)

// The recovery table as data: what a scan finds out about a segment is boiled down to a few facts, each of them true or
// false; a row says for each fact whether it must hold, must not hold, or does not matter; and every combination of
// facts has exactly one row (TestEveryCombinationHasOneRow). docs/recovery.md shows the table, printed from this.

// decision is what recovery does about a segment.
type decision int

const (
	clean   decision = iota // it ends as it should; what follows are untouched zeros
	torn                    // a crash tore it: cut it back to the last complete group
	damaged                 // refuse to start: no crash can have done this
)

func (d decision) String() string { return [...]string{"clean", "torn", "damage"}[d] }

// fact is something that is true of a segment or not. E is the end of its last valid event.
type fact int

const (
	factLive    fact = iota // it is the last segment, the only one that a crash can tear
	factListed              // the index lists the segment after it; of the last one: always
	factHeader              // magic, format description, GTID list and checkpoint are valid
	factOrder               // events stand in an order that the server writes
	factChained             // its GTID list is the state at the end of the segment before; of the first: always
	factInUse               // the flag in the format description
	factClosed              // the last valid event is STOP or ROTATE (to the next segment, if there is one)
	factInside              // E is in the middle of a group, or between a write mark and its groups
	factRest                // the file goes on after E, with zeros at least
	factData                // something else than zeros is after E, or must be there: see factVouched
	factVouched             // a valid write mark calls durable what is after E

	factCount
)

// factNames head the columns of the printed table.
var factNames = [factCount]string{"last", "next listed", "header", "order", "chained", "in use", "closed", "inside", "rest", "data", "vouched"}

// facts are what the table goes by.
type facts [factCount]bool

// row is a line of the table.
type row struct {
	// pattern has a sign for each fact: + it holds, - it does not, . it does not matter.
	pattern  string
	label    string
	decision decision
	// cause is the fault that leaves a segment like this. The operator is told.
	cause string
}

func (r *row) String() string { return r.label }

// recoveryTable: the columns are the facts, in their order:
// last, next listed, header, order, chained; in use, closed, inside, rest; data, vouched.
var recoveryTable = []row{
	{"+++++ .+-- --", "1 closed", clean, "a shutdown, or a crash after the end was durable"},
	{"+++++ .+-+ --", "2 closed, not cut", clean, "a crash while the file was being closed"},
	{"+++++ .+-+ +.", "3 data after the end", damaged, "a file that was appended to or overwritten"},
	{"+++++ --.. ..", "4 closed without an end", damaged, "a closed file that was cut short or changed"},
	{"+++++ +-.+ ++", "5 lost durable write", damaged, "a changed or lost block, found by a later write"},
	{"+++++ +-.+ +-", "6 torn write", torn, "a crash before a write was durable"},
	{"+++++ +-+. --", "7 incomplete group", torn, "a crash before a write was durable, at an event boundary"},
	{"+++++ +--. --", "8 between two writes", clean, "a crash, or kill -9, while nothing was being written"},
	{"..-.. .... ..", "9 broken header", damaged, "a changed block: the header was durable before the file got its name"},
	{"..+-. .... ..", "10 impossible order", damaged, "a file put together by something else"},
	{"..++- .... ..", "11 foreign file", damaged, "a file of another log, or another state of it, under this name: transactions are missing or doubled"},
	{"-++++ +... ..", "12 earlier file in use", damaged, "a file that was put back: the index lists a later one only once this one is closed"},
	{"-++++ --.. ..", "13 earlier file cut short or changed", damaged, "a changed or lost block, a truncated file"},
	{"-++++ -+-+ ..", "13 earlier file cut short or changed", damaged, "a file that was appended to, or is not cut though a later one is listed"},
	{"-++++ -+-- --", "14 earlier file", clean, "a rotation or shutdown"},
	{"--+++ .-.. ..", "15 file without the end that the next one needs", damaged, "a changed or lost block: ROTATE was durable before the next file got a group"},
	{"--+++ .+-+ +.", "15 file without the end that the next one needs", damaged, "a file that was appended to or overwritten"},
	{"--+++ .+-+ --", "16 file that a rotation has left", clean, "a crash right after a rotation, before this file was closed"},
	{"--+++ .+-- --", "16 file that a rotation has left", clean, "a crash right after a rotation, before the next file was listed"},
}

// holds reports whether the row is the one of these facts.
func (r *row) holds(f *facts) bool {
	at := fact(0)
	for _, sign := range r.pattern {
		switch {
		case sign == ' ':
			continue
		case sign == '+' && !f[at], sign == '-' && f[at]:
			return false
		}
		at++
	}
	return true
}

// rowFor finds the row of the table.
func rowFor(f facts) *row {
	for i := range recoveryTable {
		if recoveryTable[i].holds(&f) {
			return &recoveryTable[i]
		}
	}
	panic(fmt.Sprintf("binlog: no row of the recovery table for %v", f))
}

// factsOf boils a scan of a segment down, as if it were the last one and followed on the one before.
func factsOf(c contents, t tail) facts {
	vouched := max(t.durable, c.vouched) > c.evEnd
	data := vouched || t.dataEnd > c.evEnd
	return facts{
		factLive: true, factListed: true, factHeader: true, factOrder: true, factChained: true,
		factInUse:   c.inUse,
		factClosed:  c.ended,
		factInside:  !c.ended && c.unitEnd < c.evEnd,
		factRest:    data || !errors.Is(c.stop, io.EOF),
		factData:    data,
		factVouched: vouched,
	}
}

func damageReason(c contents, t tail) error {
	switch {
	case c.ended:
		return errors.New("there is data after the event that ends the file")
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
	if errors.Is(c.stop, io.EOF) {
		return errors.New("the file ends here")
	}
	return c.stop
}
