package primary

import (
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Kind says what a Part is.
type Kind uint8

// Kinds of parts.
const (
	// Group is a transaction, or a stretch of a large one.
	Group Kind = iota
	// Restarted: the primary was started anew (a format description with a time of creation): its temporary tables are gone.
	Restarted
	// Moved: nothing but the place has changed (rotation, heartbeat, a GTID list).
	Moved
	// UntilReached: the primary has sent everything that START SLAVE UNTIL asked for.
	UntilReached
)

// Part is what the applier is given at a time. It belongs to the applier; nothing in it is used again by who has made it.
type Part struct {
	Kind Kind
	// Place is the end of the part in the primary's coordinates.
	Place Place
	// Bytes is what it had on the wire.
	Bytes int
	// Timestamp is when the primary has logged the last event of it, in Unix seconds; 0 for what is not a Group.
	Timestamp uint32

	// The rest is of a Group.

	// GTID is the event that the group begins with. In a log without GTIDs (MySQL's) its sequence number is 0.
	GTID event.GTIDInfo
	// MySQL is what a MySQL calls the group, in all of its parts; the zero value: nothing.
	MySQL gtid.MySQL
	// Flags are those of the GTID event's header.
	Flags uint16
	// First and Last say which parts these are of their group; most groups have one. A group of which no Last comes is not one:
	// after a part with another GTID, or with First, what there was of it is rolled back.
	First, Last bool
	// Events are decoded, in order, without GTID event and checksums; compressed ones are uncompressed. The last one of the group (XID,
	// COMMIT, or the statement of a standalone group) is among them.
	Events []event.Event
	// Acknowledge, if not nil, is called when the group is durable in this server's log, as sync_binlog has it, where it ends at the place (the zero
	// place: it has none of its own), and once more when it is visible: the primary waits for it (semi-sync).
	Acknowledge func(end logpos.Pos)
}

// Name is the group's GTID, as the primary writes it.
func (p *Part) Name() string {
	if p.MySQL.Valid() {
		return p.MySQL.String()
	}
	return p.GTID.GTID.String()
}

// PartBytes is from which size a group is cut into parts: what they hold in memory at a time is a few times this.
const PartBytes = 4 << 20
