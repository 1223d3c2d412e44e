package event

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/duramendb/duramen/gtid"
)

// Rotate is a ROTATE event: the log goes on in another file.
type Rotate struct {
	Pos  uint64
	File string
}

// AppendRotate appends a ROTATE event.
func AppendRotate(dst []byte, m Meta, pos uint64, file string) []byte {
	dst, start := Begin(dst, m, RotateEvent)
	dst = binary.LittleEndian.AppendUint64(dst, pos)
	dst = append(dst, file...)
	return End(dst, start)
}

func decodeRotate(b []byte) (*Rotate, error) {
	if len(b) < 8 {
		return nil, tooShort(RotateEvent, b)
	}
	return &Rotate{Pos: binary.LittleEndian.Uint64(b), File: string(b[8:])}, nil
}

// Stop is a STOP event: the server was shut down. It is never sent to replicas.
type Stop struct{}

// AppendStop appends a STOP event.
func AppendStop(dst []byte, m Meta) []byte {
	dst, start := Begin(dst, m, StopEvent)
	return End(dst, start)
}

// Xid is an XID event: the commit of a transaction.
type Xid struct{ XID uint64 }

// AppendXID appends an XID event.
func AppendXID(dst []byte, m Meta, xid uint64) []byte {
	dst, start := Begin(dst, m, XID)
	dst = binary.LittleEndian.AppendUint64(dst, xid)
	return End(dst, start)
}

func decodeXid(b []byte) (*Xid, error) {
	if len(b) < 8 {
		return nil, tooShort(XID, b)
	}
	return &Xid{XID: binary.LittleEndian.Uint64(b)}, nil
}

// Annotate is an ANNOTATE_ROWS event: the statement that made the rows events
// that follow. SQL shares the decoded event's memory.
type Annotate struct{ SQL []byte }

// AppendAnnotateRows appends an ANNOTATE_ROWS event.
func AppendAnnotateRows(dst []byte, m Meta, sql string) []byte {
	dst, start := Begin(dst, m, AnnotateRows)
	dst = append(dst, sql...)
	return End(dst, start)
}

// Checkpoint is a BINLOG_CHECKPOINT event: recovery needs no file older than this.
type Checkpoint struct{ File string }

// AppendBinlogCheckpoint appends a BINLOG_CHECKPOINT event.
func AppendBinlogCheckpoint(dst []byte, m Meta, file string) []byte {
	dst, start := Begin(dst, m, BinlogCheckpoint)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(file)))
	dst = append(dst, file...)
	return End(dst, start)
}

func decodeCheckpoint(b []byte) (*Checkpoint, error) {
	if len(b) < 4 {
		return nil, tooShort(BinlogCheckpoint, b)
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return nil, tooShort(BinlogCheckpoint, b)
	}
	return &Checkpoint{File: string(b[4 : 4+n])}, nil
}

// List is a GTID_LIST event: the binlog state at the start of a file.
type List struct {
	GTIDs []gtid.GTID
	Flags byte // the upper four bits of the count field; see the ListFlag constants
}

// Flags of a GTID_LIST event; they appear only in artificial ones and relay logs.
const (
	ListFlagUntilReached byte = 1
	ListFlagIgnDSlave    byte = 2
)

const gtidListEntrySize = 16

// AppendGTIDList appends a GTID_LIST event; list is usually gtid.State.List().
func AppendGTIDList(dst []byte, m Meta, list []gtid.GTID) []byte {
	dst, start := Begin(dst, m, GTIDList)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(list)))
	for _, g := range list {
		dst = binary.LittleEndian.AppendUint32(dst, g.Domain)
		dst = binary.LittleEndian.AppendUint32(dst, g.Server)
		dst = binary.LittleEndian.AppendUint64(dst, g.Seq)
	}
	if len(list) == 0 {
		// An empty list is padded to the announced size of the fixed part, which is 6 with
		// the count; MariaDB does the same for readers of before GTIDs.
		dst = append(dst, 0, 0)
	}
	return End(dst, start)
}

func decodeList(b []byte) (*List, error) {
	if len(b) < 4 {
		return nil, tooShort(GTIDList, b)
	}
	word := binary.LittleEndian.Uint32(b)
	count := word & 0x0fffffff
	b = b[4:]
	if uint64(count)*gtidListEntrySize > uint64(len(b)) {
		return nil, tooShort(GTIDList, b)
	}
	l := &List{Flags: byte(word >> 28), GTIDs: make([]gtid.GTID, count)}
	for i := range l.GTIDs {
		e := b[i*gtidListEntrySize:]
		l.GTIDs[i] = gtid.GTID{
			Domain: binary.LittleEndian.Uint32(e),
			Server: binary.LittleEndian.Uint32(e[4:]),
			Seq:    binary.LittleEndian.Uint64(e[8:]),
		}
	}
	return l, nil
}

// HeartbeatInfo is a HEARTBEAT event: where the sender stands while it has nothing to
// send. Its content is the name of the file; the position is the header's LogPos. Where that is too
// small for it, it is 0, and the position stands before the name, in eight bytes (MariaDB, sql/sql_repl.cc, send_heartbeat_event).
type HeartbeatInfo struct {
	File string
	Pos  uint64
}

// heartbeatPosSize is the size of a position before the name.
const heartbeatPosSize = 8

// AppendHeartbeat appends a HEARTBEAT event; pos is the sender's position in
// file. Heartbeats exist only on the wire: they are complete with SetChecksum (or with
// their last four bytes cut and the size reduced, for a replica without checksums),
// Finalize must not see them.
func AppendHeartbeat(dst []byte, m Meta, file string, pos uint64) []byte {
	dst, start := Begin(dst, m, Heartbeat)
	var logPos uint32
	if pos <= math.MaxUint32 {
		logPos = uint32(pos)
	} else {
		dst = binary.LittleEndian.AppendUint64(dst, pos)
	}
	dst = append(dst, file...)
	dst = End(dst, start)
	binary.LittleEndian.PutUint32(dst[start+offLogPos:], logPos)
	return dst
}

func decodeHeartbeat(h Header, b []byte) (*HeartbeatInfo, error) {
	if h.LogPos != 0 {
		return &HeartbeatInfo{File: string(b), Pos: uint64(h.LogPos)}, nil
	}
	if len(b) < heartbeatPosSize {
		return nil, tooShort(Heartbeat, b)
	}
	return &HeartbeatInfo{File: string(b[heartbeatPosSize:]), Pos: binary.LittleEndian.Uint64(b)}, nil
}

func tooShort(t Type, b []byte) error {
	return fmt.Errorf("%w: %s event with %d bytes of content", ErrMalformed, t, len(b))
}
