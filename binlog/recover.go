package binlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// loadClosed reads the header of a segment that is not the last one and checks
// that it ends as every closed segment does. Its events are verified whenever they are read.
func (o *Options) loadClosed(seg *segment) error {
	path := o.path(seg.name)
	f, s, err := o.openScanner(seg.name)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readHeader(s, path)
	if err != nil {
		return err
	}
	if h.inUse {
		return &CorruptError{File: path, Offset: flagsOffset, Reason: errors.New("marked as in use, but a later file exists")}
	}
	if err := o.checkEnd(f, seg.n, h.end, s.limit); err != nil {
		return &CorruptError{File: path, Offset: s.limit, Reason: err}
	}
	seg.first, seg.headerEnd, seg.size, seg.closed = h.list, h.end, s.limit, true
	return nil
}

// checkEnd checks that the file ends with STOP, or ROTATE to the next segment.
func (o *Options) checkEnd(f io.ReaderAt, n, headerEnd, size uint64) error {
	rotate := event.AppendRotate(nil, event.Meta{}, uint64(len(event.Magic)), o.segmentName(n+1))
	for _, length := range []uint64{minEventSize, uint64(len(rotate))} {
		if size < headerEnd+length {
			continue
		}
		s := &scanner{f: f, off: size - length, limit: size, chunk: int(length)}
		ev, _, err := s.next()
		if err != nil || uint64(len(ev)) != length {
			continue
		}
		t := event.Type(ev[4])
		same := bytes.Equal(ev[event.HeaderSize:len(ev)-event.ChecksumSize], rotate[event.HeaderSize:len(rotate)-event.ChecksumSize])
		if t == event.StopEvent && length == minEventSize || t == event.RotateEvent && same {
			return nil
		}
	}
	return errors.New("the file was closed, but does not end with STOP or ROTATE to the next file: it was cut short or changed")
}

// contents is what a scan of the last segment found.
type contents struct {
	header
	state   *gtid.State // after the last complete group
	samples []sample
	unitEnd uint64 // end of the last complete group (or other event outside of groups)
	evStart uint64 // start and
	evEnd   uint64 // end of the last valid event
	ended   bool   // that event is STOP or ROTATE
	stop    error  // why the scan ended at evEnd: io.EOF, errZeros, or what is wrong with the event there
}

// scanSegment reads all valid events. Only a broken header, events in an
// order that nobody writes, and a failing disk are errors.
func scanSegment(s *scanner, path string) (contents, error) {
	h, err := readHeader(s, path)
	if err != nil {
		return contents{}, err
	}
	c := contents{header: h, state: h.list.Clone(), unitEnd: h.end, evEnd: h.end}
	var groups Groups
	lastSample := h.end
	for !c.ended {
		ev, at, err := s.next()
		if errors.Is(err, errRead) {
			return c, fmt.Errorf("scan %s: %w", path, err)
		}
		if err != nil {
			c.stop = err
			return c, nil
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return c, &CorruptError{File: path, Offset: at, Reason: err}
		}
		c.evStart, c.evEnd = at, s.off
		if ended {
			c.state.Update(groups.GTID)
		}
		_, _, mark := parseMark(ev, at)
		if !groups.Open && !mark {
			c.unitEnd = s.off
			if s.off-lastSample >= sampleDistance {
				c.samples = append(c.samples, sample{s.off, c.state.Clone()})
				lastSample = s.off
			}
		}
		t := event.Type(ev[4])
		c.ended = t == event.StopEvent || t == event.RotateEvent
	}
	c.stop = io.EOF
	if s.off < s.limit {
		c.stop = errZeros // to be confirmed by the tail
	}
	return c, nil
}

// tail is what lies behind the last valid event.
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
	buf := make([]byte, 1<<20+overlap)
	for at := from; at < size; {
		n := min(uint64(len(buf)), size-at)
		b := buf[:n]
		if _, err := f.ReadAt(b, int64(at)); err != nil && !errors.Is(err, io.EOF) {
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
		if durable, _, ok := parseMark(b[start:start+markSize], at); ok && durable <= at && durable > t.durable {
			t.durable, t.mark = durable, at
		}
	}
}

// verdict is the decision about the end of the last segment.
type verdict int

const (
	clean   verdict = iota // ends as it should; what follows are untouched zeros
	torn                   // cut back to the last complete group
	damaged                // refuse
)

// judge decides, row by row as in the table of the package comment.
func judge(c contents, t tail) (verdict, error) {
	behind := t.dataEnd > c.evEnd
	switch {
	case c.ended && !behind: // rows 1 and 2
		return clean, nil
	case c.ended: // row 3
		return damaged, errors.New("there is data behind the event that ends the file")
	case !c.inUse: // row 4
		return damaged, fmt.Errorf("the file was closed, but its end is not valid: %w", endReason(c))
	case t.durable > c.evEnd: // row 5
		return damaged, fmt.Errorf("%w, but the write at offset %d was issued when everything before offset %d was durable: no crash can have done this",
			endReason(c), t.mark, t.durable)
	case behind || c.unitEnd < c.evEnd: // rows 6 and 7
		return torn, nil
	default: // row 8
		return clean, nil
	}
}

func endReason(c contents) error {
	if c.stop == io.EOF {
		return errors.New("the file ends here")
	}
	return c.stop
}

// recoverLast scans the last segment, judges its end, and closes it.
func (o *Options) recoverLast(seg *segment, rec *Recovered) error {
	path := o.path(seg.name)
	f, s, err := o.openScanner(seg.name)
	if err != nil {
		return err
	}
	c, err := scanSegment(s, path)
	var t tail
	if err == nil {
		t, err = scanTail(f, c.evEnd, s.limit)
		if err != nil {
			err = fmt.Errorf("read %s: %w", path, err)
		}
	}
	if cerr := f.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("close %s: %w", path, cerr)
	}
	if err != nil {
		return err
	}
	v, reason := judge(c, t)
	if v == damaged {
		return &CorruptError{File: path, Offset: c.evEnd, Reason: reason}
	}
	rec.State = c.state
	rec.End = Pos{seg.n, c.unitEnd}
	rec.Crashed = c.inUse
	if v == torn {
		rec.TornBytes, rec.TornFile = int64(max(t.dataEnd, c.evEnd)-c.unitEnd), seg.name
		o.Logger.Warn("cut the end of the binary log that a crash tore: it was never acknowledged",
			"file", path, "offset", c.unitEnd, "bytes", rec.TornBytes, "found", endReason(c).Error())
	}
	seg.first, seg.headerEnd, seg.samples, seg.closed = c.list, c.header.end, c.samples, true
	if c.ended {
		// The closing event is the last unit; the position of the groups' end lies before it.
		rec.End.Offset = c.evStart
		seg.size = c.evEnd
		if !c.inUse && s.limit == c.evEnd {
			return nil
		}
	} else {
		seg.size = c.unitEnd
	}
	return o.closeRecovered(seg, c.ended)
}

// closeRecovered makes the last segment of a crashed process a closed file:
// first cut and synced, then ended with ROTATE, then marked as not in use. A
// crash in between is recovered like the first one.
func (o *Options) closeRecovered(seg *segment, ended bool) error {
	f, err := o.openWritable(seg.name)
	if err != nil {
		return fmt.Errorf("recover %s: %w", o.path(seg.name), err)
	}
	if !ended {
		if f, err = o.cutFile(f, seg.name, seg.size); err == nil {
			err = o.appendRotate(f, seg)
		}
	}
	if err == nil {
		f, err = o.finishFile(f, seg.name, seg.size)
	}
	if f != nil {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return fmt.Errorf("recover %s: %w", o.path(seg.name), noSpace(err))
	}
	return nil
}

func (o *Options) appendRotate(f vfs.File, seg *segment) error {
	m := event.Meta{Timestamp: o.now(), ServerID: o.ServerID}
	ev := event.AppendRotate(nil, m, uint64(len(event.Magic)), o.segmentName(seg.n+1))
	if err := event.Finalize(ev, seg.size); err != nil {
		return err
	}
	if _, err := f.WriteAt(ev, int64(seg.size)); err != nil {
		return err
	}
	seg.size += uint64(len(ev))
	return f.Sync()
}
