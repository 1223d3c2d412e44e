package binlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// What a scan can find out about one segment. Nothing here changes anything.

// contents is what a scan of a segment found.
type contents struct {
	header
	state    *gtid.State // after the last complete group
	samples  []sample
	unitEnd  uint64 // end of the last complete group (or other event outside of groups)
	evStart  uint64 // start and
	evEnd    uint64 // end of the last valid event
	ended    bool   // that event is STOP or ROTATE
	stop     error  // why the scan ended at evEnd: io.EOF, errZeros, errReached, or what is wrong with the event there
	boundary bool   // segmentScan.boundary is the end of a group, or of the header
	// vouched is the highest offset that a write mark before evEnd called durable, and vouchedBy
	// is where that one is. It can lie after evEnd: a large transaction is durable before its mark is.
	vouched, vouchedBy uint64
}

// errReached ends a scan at the place that it was to go to.
var errReached = errors.New("reached")

// segmentScan reads all valid events of a segment.
type segmentScan struct {
	s    *scanner
	path string
	// until ends the scan with the last group that does not reach beyond it; 0: no end.
	until uint64
	// untilGTID ends the scan after this transaction; zero: no end.
	untilGTID gtid.GTID
	// boundary is a place that the caller wants to be the end of a group.
	boundary uint64
	progress *Progress
}

// scanSegment reads all valid events of a segment.
func scanSegment(s *scanner, path string) (contents, error) {
	return segmentScan{s: s, path: path}.run()
}

// run reads all valid events. Only a broken header (contents without a list), events in an
// order that nobody writes, and a failing disk are errors.
func (sc segmentScan) run() (contents, error) {
	h, err := readHeader(sc.s, sc.path)
	if err != nil {
		return contents{}, err
	}
	c := contents{header: h, state: h.list.Clone(), unitEnd: h.end, evEnd: h.end, boundary: sc.boundary <= h.end}
	if sc.until > 0 && sc.until <= h.end {
		c.stop = errReached
		return c, nil
	}
	var groups Groups
	lastSample := h.end
	for !c.ended {
		ev, at, err := sc.s.next()
		switch {
		case errors.Is(err, errRead):
			return c, fmt.Errorf("scan %s: %w", sc.path, err)
		case sc.until > 0 && at == sc.until && err == nil && closes(ev): // nothing lies after the place
		case sc.until > 0 && (at >= sc.until || err == nil && sc.s.off > sc.until):
			err = errReached
		}
		if err != nil {
			c.stop = err
			return c, nil //nolint:nilerr // why the valid events end
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return c, &CorruptError{File: sc.path, Offset: at, Reason: err}
		}
		sc.progress.Add(len(ev))
		c.evStart, c.evEnd = at, sc.s.off
		if ended {
			c.state.Update(groups.GTID)
		}
		c.ended = closes(ev)
		durable, _, mark := parseMark(ev, at)
		if mark && durable > c.vouched {
			c.vouched, c.vouchedBy = durable, at
		}
		if groups.Open || mark {
			continue
		}
		c.unitEnd = sc.s.off
		c.boundary = c.boundary || c.unitEnd == sc.boundary
		if sc.s.off-lastSample >= sampleDistance && !c.ended {
			c.samples = append(c.samples, sample{sc.s.off, c.state.Clone()})
			lastSample = sc.s.off
		}
		if ended && groups.GTID == sc.untilGTID {
			c.stop = errReached
			return c, nil
		}
	}
	c.stop = io.EOF
	if sc.s.off < sc.s.limit {
		c.stop = errZeros // to be confirmed by the tail
	}
	return c, nil
}

// closes reports whether ev ends a segment.
func closes(ev []byte) bool {
	t := event.Type(ev[4])
	return t == event.StopEvent || t == event.RotateEvent
}

// groupsEnd is where the last group ends: before the event that closes the segment.
func (c *contents) groupsEnd() uint64 {
	if c.ended {
		return c.evStart
	}
	return c.unitEnd
}

// tail is what lies after the last valid event.
type tail struct {
	dataEnd uint64 // end of the last byte that is not zero; the start of the tail if all are
	// durable is the highest offset that a valid write mark in the tail says was durable before
	// its write was issued; 0 without such a mark. mark is where that one is.
	durable uint64
	mark    uint64
}

// scanTail reads the file from from to size.
func scanTail(f io.ReaderAt, from, size uint64) (tail, error) {
	t := tail{dataEnd: from}
	const overlap = markSize
	buf := make([]byte, min(1<<20+overlap, size-min(from, size)))
	for at := from; at < size; {
		n := min(uint64(len(buf)), size-at)
		b := buf[:n]
		if got, err := f.ReadAt(b, int64(at)); uint64(got) < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return t, err
		}
		if trimmed := bytes.TrimRight(b, "\x00"); len(trimmed) > 0 {
			t.dataEnd = at + uint64(len(trimmed))
			t.findMarks(b, at)
		}
		if at+n == size {
			break
		}
		at += n - overlap
	}
	return t, nil
}

func (t *tail) findMarks(b []byte, base uint64) {
	for i := 0; ; {
		k := bytes.Index(b[i:], markMagic)
		if k < 0 {
			return
		}
		start := i + k - event.HeaderSize
		i += k + 1
		if start < 0 || start+markSize > len(b) {
			continue
		}
		at := base + uint64(start)
		if durable, _, ok := parseMark(b[start:start+markSize], at); ok && durable > t.durable {
			t.durable, t.mark = durable, at
		}
	}
}

// checkEnd checks that the file ends with STOP, or ROTATE to the next segment,
// and returns where that event starts.
func (d dir) checkEnd(f io.ReaderAt, n, headerEnd, size uint64) (closing uint64, err error) {
	rotate := event.AppendRotate(nil, event.Meta{}, uint64(len(event.Magic)), d.segmentName(n+1))
	for _, length := range []uint64{minEventSize, uint64(len(rotate))} {
		if size < headerEnd+length {
			continue
		}
		s := &scanner{f: f, off: size - length, limit: size, chunk: int(length)}
		ev, at, err := s.next()
		if errors.Is(err, errRead) {
			return 0, err
		}
		if err != nil || uint64(len(ev)) != length {
			continue
		}
		t := event.Type(ev[4])
		same := bytes.Equal(ev[event.HeaderSize:len(ev)-event.ChecksumSize], rotate[event.HeaderSize:len(rotate)-event.ChecksumSize])
		if t == event.StopEvent && length == minEventSize || t == event.RotateEvent && same {
			return at, nil
		}
	}
	return 0, errNoEnd
}

var errNoEnd = errors.New("the file was closed, but does not end with STOP or ROTATE to the next file: it was cut short or changed")
