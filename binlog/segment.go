package binlog

import (
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// segment is what the log knows of one file. Its fields are guarded by
// status.mu, except for those that never change.
type segment struct {
	n     uint64      // never changes
	name  string      // never changes
	first *gtid.State // binlog state at its start; never changes

	headerEnd uint64 // where its first group starts; never changes
	size      uint64 // final size, once closed
	closed    bool
	large     bool // holds one large transaction, and takes no further groups; never changes
	holds     int  // readers and others that need the file
	// samples are states inside the segment, in ascending order, so that a
	// look-up need not read it from its start.
	samples []sample
	// sampled says that samples has all there are: the file was written, or read as a whole, by
	// this process. Otherwise the segment's GTID index has them.
	sampled bool
}

// sample says that at offset off, a group boundary, the binlog state was state.
type sample struct {
	off   uint64
	state *gtid.State
}

// sampleDistance is the least number of bytes between two samples.
const sampleDistance = 1 << 20

// buildHeader makes the bytes a segment starts with: magic, format description, GTID list, checkpoint.
func (o *Options) buildHeader(state *gtid.State, created uint32, recoverFrom string) ([]byte, error) {
	m := event.Meta{Timestamp: o.now(), ServerID: o.ServerID}
	inUse := m
	inUse.Flags = event.FlagInUse
	b := []byte(event.Magic)
	b = event.AppendFormatDescription(b, inUse, o.ServerVersion, created)
	b = event.AppendGTIDList(b, m, state.List())
	b = event.AppendBinlogCheckpoint(b, m, recoverFrom)
	if err := event.Finalize(b[len(event.Magic):], uint64(len(event.Magic))); err != nil {
		return nil, fmt.Errorf("segment header: %w", err)
	}
	return b, nil
}

// header is what the start of a segment says.
type header struct {
	inUse       bool
	list        *gtid.State
	listAt      uint64 // where the GTID list stands
	recoverFrom string // the segment that recovery would have started from when this one was made
	end         uint64
}

// readHeader reads the header with s, which is then at the first group. Any
// fault in it is damage: the header was durable before the file got its name.
func readHeader(s *scanner, path string) (header, error) {
	var h header
	corrupt := func(at uint64, err error) (header, error) {
		if errors.Is(err, errRead) {
			return h, fmt.Errorf("%s: %w", path, err)
		}
		return h, &CorruptError{File: path, Offset: at, Reason: err}
	}
	magic := make([]byte, len(event.Magic))
	if n, err := s.f.ReadAt(magic, 0); n < len(magic) {
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: %w", errRead, err)
		}
		return corrupt(0, fmt.Errorf("read magic number: %w", err))
	}
	if string(magic) != event.Magic {
		return corrupt(0, fmt.Errorf("magic number is %x: not a binary log", magic))
	}
	s.seek(uint64(len(magic)))
	for want := event.FormatDescription; ; {
		ev, at, err := s.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return corrupt(at, fmt.Errorf("read header: %w", err))
		}
		dec, err := event.Decode(ev)
		if err != nil {
			return corrupt(at, fmt.Errorf("read header: %w", err))
		}
		if got := event.Type(ev[4]); got != want {
			return corrupt(at, fmt.Errorf("%v event where the header has %v", got, want))
		}
		switch want {
		case event.FormatDescription:
			h.inUse = dec.Header.Flags&event.FlagInUse != 0
			want = event.GTIDList
		case event.GTIDList:
			list, ok := dec.Body.(*event.List)
			if !ok {
				return corrupt(at, fmt.Errorf("GTID list decoded as %T", dec.Body))
			}
			h.list, h.listAt = gtid.StateFromList(list.GTIDs), at
			want = event.BinlogCheckpoint
		default:
			if c, ok := dec.Body.(*event.Checkpoint); ok {
				h.recoverFrom = c.File
			}
			h.end = s.off
			return h, nil
		}
	}
}
