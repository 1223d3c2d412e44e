package event

import (
	"fmt"
	"strings"
)

// Event is a decoded event.
type Event struct {
	Header Header
	// Body is one of the pointer types that Decode lists.
	Body any
	// Size of the checksum at the end of the event, 0 or 4.
	ChecksumSize int
}

// Opaque is the body of an event whose content this package does not know.
type Opaque struct{ Data []byte }

// Decode decodes one event that ends with a checksum. The checksum itself is
// not looked at: that is Verify. By type, Body is
//
//	FormatDescription *Format          RotateEvent    *Rotate
//	QueryEvent, QueryCompressed *Query StopEvent      *Stop
//	GTIDEvent        *GTIDInfo         GTIDList       *List
//	TableMap         *TableMapInfo     any rows event *RowsInfo
//	XID              *Xid              XAPrepare      *XAPrepareInfo
//	AnnotateRows     *Annotate         BinlogCheckpoint *Checkpoint
//	Heartbeat        *HeartbeatInfo    Incident       *IncidentInfo
//	Intvar           *IntvarInfo       Rand           *RandInfo
//	UserVar          *UserVarInfo      StartEncryption *EncryptionInfo
//	BeginLoadQuery   *LoadBlock        ExecuteLoadQuery *LoadQuery
//	MySQLGTID        *MySQLGTIDInfo    TransactionPayload *Payload
//	MySQLPreviousGTIDs *PreviousGTIDs, or *Opaque if it has tags
//	Ignorable        *Private if it is ours, *Opaque otherwise
//	anything else    *Opaque
//
// Byte slices in the body share the memory of ev unless said otherwise.
func Decode(ev []byte) (Event, error) { return decode(ev, ChecksumSize, false) }

// Decoder decodes a foreign stream: it learns from the stream's format
// description whether events end with a checksum, and whether they are a
// MySQL's. The zero value expects neither until it has seen one.
type Decoder struct{ Checksum, MySQL bool }

// Decode decodes the next event of the stream.
func (d *Decoder) Decode(ev []byte) (Event, error) {
	size := 0
	if d.Checksum {
		size = ChecksumSize
	}
	out, err := decode(ev, size, d.MySQL)
	if f, ok := out.Body.(*Format); ok && err == nil {
		d.Checksum = f.Checksum
		d.MySQL = !strings.Contains(strings.ToLower(f.ServerVersion), "mariadb")
	}
	return out, err
}

func decode(ev []byte, checksumSize int, ofMySQL bool) (Event, error) {
	h, err := ParseHeader(ev)
	if err != nil {
		return Event{}, err
	}
	if uint64(h.Size) != uint64(len(ev)) {
		return Event{}, fmt.Errorf("%w: size %d in header, %d bytes given", ErrMalformed, h.Size, len(ev))
	}
	if h.Type == FormatDescription {
		checksumSize = ChecksumSize
	}
	if len(ev) < HeaderSize+checksumSize {
		return Event{}, fmt.Errorf("%w: no room for a checksum", ErrMalformed)
	}
	body, err := decodeBody(h, ev[HeaderSize:len(ev)-checksumSize], ev[HeaderSize:], ofMySQL)
	if err != nil {
		return Event{}, err
	}
	return Event{Header: h, Body: body, ChecksumSize: checksumSize}, nil
}

// decodeBody calls the decoder of the type. The results are pointers wrapped in
// an interface, so an error is looked at before that (a nil pointer in Body would hide it).
func decodeBody(h Header, b, withChecksum []byte, ofMySQL bool) (any, error) {
	switch h.Type {
	case FormatDescription:
		return body(decodeFormat(withChecksum))
	case RotateEvent:
		return body(decodeRotate(b))
	case StopEvent:
		return &Stop{}, nil
	case QueryEvent, QueryCompressed:
		return body(decodeQuery(b, h.Type == QueryCompressed))
	case GTIDEvent:
		return body(decodeGTID(h, b))
	case MySQLGTID:
		return body(decodeMySQLGTID(b))
	case MySQLPreviousGTIDs:
		return decodePreviousGTIDs(b)
	case TransactionPayload:
		return body(decodePayload(b))
	case GTIDList:
		return body(decodeList(b))
	case TableMap:
		return body(decodeTableMap(b, ofMySQL))
	case XID:
		return body(decodeXid(b))
	case XAPrepare:
		return body(decodeXAPrepare(b))
	case AnnotateRows:
		return &Annotate{SQL: b}, nil
	case BinlogCheckpoint:
		return body(decodeCheckpoint(b))
	case Heartbeat:
		return body(decodeHeartbeat(h, b))
	case Incident:
		return body(decodeIncident(b))
	case Intvar:
		return body(decodeIntvar(b))
	case Rand:
		return body(decodeRand(b))
	case UserVar:
		return body(decodeUserVar(b))
	case StartEncryption:
		return body(decodeEncryption(b))
	case BeginLoadQuery, AppendBlock:
		return body(decodeLoadBlock(b))
	case ExecuteLoadQuery:
		return body(decodeLoadQuery(b))
	case Ignorable:
		if p, ok := decodePrivate(b); ok {
			return p, nil
		}
	}
	if h.Type.IsRows() {
		return body(decodeRows(h.Type, b))
	}
	return &Opaque{Data: b}, nil
}

func body[T any](v *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}
