package follow

import (
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// boundary says how the group that is being received ends.
type boundary uint8

const (
	outside    boundary = iota // there is no group
	undecided                  // begun without a GTID event, by what belongs to the statement that is still to come
	statement                  // with the next statement
	commitment                 // with XID, XA_PREPARE, COMMIT or ROLLBACK
)

// group is what was received of a group and not handed out.
type group struct {
	ends  boundary
	gtid  event.GTIDInfo
	mysql gtid.MySQL
	flags uint16 // of the header of the event that it began with
	// parts counts those that were handed out.
	parts int
	// wire is what the events had on the wire, memory what they have now.
	wire, memory int
	timestamp    uint32
}

func (g *group) begin(h event.Header, info event.GTIDInfo, ends boundary, wire int) {
	*g = group{ends: ends, gtid: info, flags: h.Flags, timestamp: h.Timestamp, wire: wire, memory: int(h.Size)}
}

// batch is memory for many small parts at a time. It is left alone as soon as what hangs on it has the size of a slab: a part that is kept keeps all of it.
type batch struct {
	events []event.Event
	// from is the first event that belongs to no part yet.
	from  int
	parts []primary.Part
	bytes int
}

const (
	batchEvents = 256
	batchParts  = 32
)

func (b *batch) add(e event.Event) {
	if len(b.events) == cap(b.events) {
		waiting := b.events[b.from:]
		events := make([]event.Event, len(waiting), max(batchEvents, 2*len(waiting)))
		copy(events, waiting)
		b.events, b.from = events, 0
	}
	b.events = append(b.events, e)
}

// take hands out the events that were added since the last one.
func (b *batch) take() []event.Event {
	out := b.events[b.from:len(b.events):len(b.events)]
	b.from = len(b.events)
	return out
}

// drop forgets the events that were added since the last take.
func (b *batch) drop() {
	clear(b.events[b.from:])
	b.events = b.events[:b.from]
}

// part makes room for a part that holds the given number of bytes.
func (b *batch) part(bytes int) *primary.Part {
	if len(b.parts) == cap(b.parts) {
		b.parts = make([]primary.Part, 0, batchParts)
	}
	b.parts = b.parts[:len(b.parts)+1]
	p := &b.parts[len(b.parts)-1]
	if b.bytes += bytes; b.bytes >= slabBytes {
		*b = batch{}
	}
	return p
}

// held is how many bytes an event keeps in memory: of a compressed one that is more than it had on the wire.
func held(e *event.Event) int {
	n := int(e.Header.Size)
	switch body := e.Body.(type) {
	case *event.RowsInfo:
		n = max(n, len(body.Rows))
	case *event.Query:
		n += len(body.SQL) // a copy
	case *event.LoadQuery:
		n += len(body.SQL)
	case *event.TableMapInfo:
		n += len(body.Columns) * columnBytes
	}
	return n
}

// columnBytes is about what a column of a table map has in memory.
const columnBytes = 64
