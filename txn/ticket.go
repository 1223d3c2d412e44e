package txn

import (
	"errors"
	"fmt"
)

// ErrLost: the transaction had its place in the log, or had read rows of one that had, and the end of the log with that
// place was dropped before it was durable. Nothing of it is left; it can be run again.
var ErrLost = errors.New("transaction lost its place in the log")

// TicketState is how far a transaction is on its way through the log.
type TicketState uint8

// States of a ticket.
const (
	// Waiting: it has no place yet, and holds all its locks.
	Waiting TicketState = iota
	// Sequenced: its place is fixed, but it is not durable and no reader sees it. Writers after it may have built on it.
	Sequenced
	// Applied: it is durable and visible.
	Applied
	// Lost: its place is gone, and so are the places of all after it.
	Lost
)

func (s TicketState) String() string {
	return [...]string{"Waiting", "Sequenced", "Applied", "Lost"}[s]
}

// Holder is who is told of the way of a ticket. The calls come one at a time, and must not block.
type Holder interface {
	// Sequenced publishes the pending rows and releases the row locks (early lock release).
	Sequenced()
	// Applied is called when the engine and the catalog have the changes, in the same critical section.
	Applied()
	// Lost takes back what Sequenced has published.
	Lost()
}

// Ticket is a transaction's place in the order of commits:
//
//	Waiting ----> Sequenced ----> Applied
//	                        ----> Lost
//
// The Committer moves it. In the states Sequenced and after it the transaction cannot be rolled back by its session any more.
// The session looks at it when Commit has returned. The zero value is Waiting, of epoch 0, and nobody is told.
type Ticket struct {
	holder Holder
	state  TicketState
	epoch  uint64
}

// NewTicket makes a ticket for a transaction that wants its place in an epoch; see Committer.Epoch.
func NewTicket(holder Holder, epoch uint64) Ticket { return Ticket{holder: holder, epoch: epoch} }

// State is how far the transaction is.
func (t *Ticket) State() TicketState { return t.state }

// Epoch is when the transaction asked for its place. What it has read is known to be good until the epoch ends.
func (t *Ticket) Epoch() uint64 { return t.epoch }

// Sequence says that the place is fixed.
func (t *Ticket) Sequence() {
	t.move(Waiting, Sequenced)
	if t.holder != nil {
		t.holder.Sequenced()
	}
}

// Apply says that the transaction is durable and visible.
func (t *Ticket) Apply() {
	t.move(Sequenced, Applied)
	if t.holder != nil {
		t.holder.Applied()
	}
}

// Lose says that the place is gone.
func (t *Ticket) Lose() {
	t.move(Sequenced, Lost)
	if t.holder != nil {
		t.holder.Lost()
	}
}

func (t *Ticket) move(from, to TicketState) {
	if t.state != from {
		panic(fmt.Sprintf("txn: a ticket that is %s cannot become %s", t.state, to))
	}
	t.state = to
}
