package event

import (
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/gtid"
)

// Flags of a GTID event.
const (
	FLStandalone    byte = 1   // no XID or COMMIT follows: the group is one statement
	FLGroupCommitID byte = 2   // committed together with others: CommitID is set
	FLTransactional byte = 4   // may be rolled back and retried by a parallel replica
	FLAllowParallel byte = 8   // may run in parallel with what comes before
	FLWaited        byte = 16  // waited for a row lock of an earlier transaction
	FLDDL           byte = 32  // DDL
	FLPreparedXA    byte = 64  // XA PREPARE
	FLCompletedXA   byte = 128 // XA COMMIT or XA ROLLBACK
)

// Extra flags of a GTID event.
const (
	FLExtraMultiEngine   byte = 1
	FLExtraStartAlter    byte = 2
	FLExtraCommitAlter   byte = 4
	FLExtraRollbackAlter byte = 8
)

// GTIDInfo is a GTID event, which starts every group.
type GTIDInfo struct {
	GTID     gtid.GTID // its Server travels in the event's header
	Flags    byte      // FL... ; AppendGTID sets FLGroupCommitID itself when CommitID is not 0
	CommitID uint64    // equal for transactions that were committed as one group; 0 for none
	// Replicated says that the group came by replication: FlagRelayLog in the header.
	Replicated bool

	// What follows is decoded, and written only if set.
	XID          []byte // with FLPreparedXA or FLCompletedXA: format id, lengths, gtrid and bqual as logged
	ExtraFlags   byte
	ExtraEngines byte   // engines in the transaction beyond the first
	AlterSeq     uint64 // sequence number of the START ALTER that this completes
}

const gtidFixedSize = 19

// AppendGTID appends a GTID event. m.ServerID is replaced by the GTID's own
// server id: that is where the format keeps it.
func AppendGTID(dst []byte, m Meta, g GTIDInfo) []byte {
	m.ServerID = g.GTID.Server
	m.Flags |= FlagSuppressUse
	if g.Replicated {
		m.Flags |= FlagRelayLog
	}
	dst, start := Begin(dst, m, GTIDEvent)
	if g.CommitID != 0 {
		g.Flags |= FLGroupCommitID
	}
	dst = binary.LittleEndian.AppendUint64(dst, g.GTID.Seq)
	dst = binary.LittleEndian.AppendUint32(dst, g.GTID.Domain)
	dst = append(dst, g.Flags)
	if g.Flags&FLGroupCommitID != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, g.CommitID)
	}
	if g.Flags&(FLPreparedXA|FLCompletedXA) != 0 {
		dst = append(dst, g.XID...)
	}
	if g.ExtraFlags != 0 {
		dst = append(dst, g.ExtraFlags)
		if g.ExtraFlags&FLExtraMultiEngine != 0 {
			dst = append(dst, g.ExtraEngines)
		}
		if g.ExtraFlags&(FLExtraCommitAlter|FLExtraRollbackAlter) != 0 {
			dst = binary.LittleEndian.AppendUint64(dst, g.AlterSeq)
		}
	}
	for len(dst)-start < HeaderSize+gtidFixedSize {
		dst = append(dst, 0)
	}
	return End(dst, start)
}

func decodeGTID(h Header, b []byte) (*GTIDInfo, error) {
	if len(b) < 13 {
		return nil, tooShort(GTIDEvent, b)
	}
	g := &GTIDInfo{
		GTID: gtid.GTID{
			Domain: binary.LittleEndian.Uint32(b[8:]),
			Server: h.ServerID,
			Seq:    binary.LittleEndian.Uint64(b),
		},
		Flags: b[12], Replicated: h.Flags&FlagRelayLog != 0,
	}
	b = b[13:]
	if g.Flags&FLGroupCommitID != 0 {
		if len(b) < 8 {
			return nil, tooShort(GTIDEvent, b)
		}
		g.CommitID = binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	if g.Flags&(FLPreparedXA|FLCompletedXA) != 0 {
		if len(b) < 6 || len(b) < 6+int(b[4])+int(b[5]) {
			return nil, fmt.Errorf("%w: XA id of a GTID event is cut short", ErrMalformed)
		}
		n := 6 + int(b[4]) + int(b[5])
		g.XID, b = b[:n:n], b[n:]
	}
	if len(b) == 0 || b[0] == 0 { // padding
		return g, nil
	}
	g.ExtraFlags, b = b[0], b[1:]
	if g.ExtraFlags&FLExtraMultiEngine != 0 {
		if len(b) < 1 {
			return nil, tooShort(GTIDEvent, b)
		}
		g.ExtraEngines, b = b[0], b[1:]
	}
	if g.ExtraFlags&(FLExtraCommitAlter|FLExtraRollbackAlter) != 0 {
		if len(b) < 8 {
			return nil, tooShort(GTIDEvent, b)
		}
		g.AlterSeq = binary.LittleEndian.Uint64(b)
	}
	return g, nil
}
