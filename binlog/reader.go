package binlog

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/internal/invariants"
	"github.com/duramendb/duramen/logpos"
)

// Reader reads the events of the log in order, over segment ends, up to
// Visible. It keeps its segment and all later ones from being purged. A
// Reader is used by one goroutine at a time; there may be any number of them.
type Reader struct {
	st     *status
	seg    *segment // held
	file   vfs.File
	s      scanner
	sync   func() error // makes the log durable before it is read; nil if that is not asked for
	closed bool
	resets uint64 // of the log when the reader was made
	// offered: it reads what is offered, not only what is visible.
	offered bool
	lent    invariants.Lent
}

const readerChunk = 64 << 10

// NewReader starts at from, which has to be an event boundary at or before
// Visible; an offset below the first event means the first event. ErrPurged
// and ErrPosition tell what is wrong with a position.
func (l *Log) NewReader(from logpos.Pos) (*Reader, error) {
	return newReader(l.status, from, nil, false)
}

// NewDurableReader is for those whose copies must never be ahead of this log,
// replicas: what is visible but not durable yet, it makes durable before it reads it.
func (l *Log) NewDurableReader(from logpos.Pos) (*Reader, error) {
	return newReader(l.status, from, l.Sync, false)
}

// NewOfferedReader is NewDurableReader for those whose acknowledgement makes the log visible to others: it reads up to
// what Offer was called with.
func (l *Log) NewOfferedReader(from logpos.Pos) (*Reader, error) {
	return newReader(l.status, from, l.Sync, true)
}

// newReader makes a reader; sync is nil if it may read what is not durable yet.
func newReader(st *status, from logpos.Pos, sync func() error, offered bool) (*Reader, error) {
	from.Offset = max(from.Offset, firstEvent)
	st.recent.readers.Add(1)
	r, err := openReader(st, from, sync, offered)
	if err != nil {
		st.recent.readers.Add(-1)
	}
	return r, err
}

// openReader is newReader for a reader that is counted already.
func openReader(st *status, from logpos.Pos, sync func() error, offered bool) (*Reader, error) {
	resets := st.resets()
	seg, err := st.holdOf(resets, from.Segment)
	if err != nil {
		return nil, err
	}
	r := &Reader{st: st, sync: sync, resets: resets, offered: offered}
	limit, _, err := st.readableOf(resets, from.Segment, offered)
	if err != nil {
		st.release(seg)
		return nil, err
	}
	if from.Offset > limit {
		st.release(seg)
		return nil, fmt.Errorf("%w: %s, offset %d: the log ends at %d", ErrPosition, seg.name, from.Offset, limit)
	}
	if err := r.open(seg, from.Offset); err != nil {
		st.release(seg)
		if st.resets() != resets {
			return nil, ErrReset
		}
		return nil, err
	}
	return r, nil
}

// firstEvent is the offset of the first event of a file.
const firstEvent = 4

// open takes over the caller's hold of seg.
func (r *Reader) open(seg *segment, off uint64) error {
	path := r.st.dir.path(seg.name)
	f, err := r.st.dir.fs.Open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	r.seg, r.file = seg, f
	r.s = scanner{f: recentFile{&r.st.recent, seg, f}, off: off, limit: off, chunk: readerChunk}
	return nil
}

// Position is where the next event starts.
func (r *Reader) Position() logpos.Pos { return logpos.At(r.seg.n, r.s.off) }

// Segment is the file name of the segment being read.
func (r *Reader) Segment() string { return r.seg.name }

// NextNoWait returns the next event and its start, or io.EOF at the visible
// end. The bytes are valid until the following call. Every event of the files is
// returned, those of segment headers and private records too.
func (r *Reader) NextNoWait() (ev []byte, at logpos.Pos, err error) {
	r.lent.Recall()
	if r.closed {
		return nil, logpos.Pos{}, ErrClosed
	}
	for {
		if r.s.off < r.s.limit {
			return r.read()
		}
		limit, final, err := r.st.readableOf(r.resets, r.seg.n, r.offered)
		if err != nil {
			return nil, r.Position(), err
		}
		if r.s.off < limit {
			if limit, err = r.settle(limit, final); err != nil {
				return nil, r.Position(), err
			}
			r.s.limit = limit
			continue
		}
		if !final {
			return nil, r.Position(), io.EOF
		}
		if err := r.nextSegment(); err != nil {
			return nil, r.Position(), err
		}
	}
}

// settle makes the part before limit durable, for a durable reader.
func (r *Reader) settle(limit uint64, final bool) (uint64, error) {
	if r.sync == nil || final || !r.st.Synced().Before(logpos.At(r.seg.n, limit)) {
		return limit, nil
	}
	return limit, r.sync()
}

func (r *Reader) read() ([]byte, logpos.Pos, error) {
	ev, at, err := r.s.next()
	pos := logpos.At(r.seg.n, at)
	if err == nil || errors.Is(err, errRead) {
		return r.lent.Lend(ev), pos, err
	}
	return nil, pos, &CorruptError{File: r.st.dir.path(r.seg.name), Offset: at, Reason: err}
}

// nextSegment goes to the next segment.
func (r *Reader) nextSegment() error {
	next, err := r.st.holdOf(r.resets, r.seg.n+1)
	if err != nil {
		return err
	}
	old, oldFile := r.seg, r.file
	if err := r.open(next, firstEvent); err != nil {
		r.st.release(next)
		return err
	}
	r.st.release(old)
	if err := oldFile.Close(); err != nil {
		return fmt.Errorf("close %s: %w", old.name, err)
	}
	return nil
}

// Next is NextNoWait, but waits at the visible end until there is more, ctx
// ends (its error is returned), or the log is closed (ErrClosed).
func (r *Reader) Next(ctx context.Context) (ev []byte, at logpos.Pos, err error) {
	for {
		ev, at, err = r.NextNoWait()
		if !errors.Is(err, io.EOF) {
			return ev, at, err
		}
		if err := r.st.waitVisible(ctx, r.resets, r.Position(), r.offered); err != nil {
			return nil, r.Position(), err
		}
	}
}

// Close releases the reader's segment. A second call does nothing.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.st.recent.readers.Add(-1)
	r.lent.Recall()
	r.st.release(r.seg)
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", r.seg.name, err)
	}
	return nil
}

// Wait waits until NextNoWait has something to return, ctx ends or the log is closed.
func (r *Reader) Wait(ctx context.Context) error {
	return r.st.waitVisible(ctx, r.resets, r.Position(), r.offered)
}
