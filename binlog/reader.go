package binlog

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/logpos"
)

// Reader reads the events of the log in order, over segment ends, up to
// Visible. It keeps its segment and all later ones from being purged. A
// Reader is used by one goroutine at a time; there may be any number of them.
type Reader struct {
	l       *Log
	seg     *segment // held
	file    vfs.File
	s       scanner
	durable bool
	closed  bool
	resets  uint64 // of the log when the reader was made
}

const readerChunk = 64 << 10

// NewReader starts at from, which has to be an event boundary at or before
// Visible; an offset below the first event means the first event. ErrPurged
// and ErrPosition tell what is wrong with a position.
func (l *Log) NewReader(from logpos.Pos) (*Reader, error) {
	return l.newReader(from, false)
}

// NewDurableReader is for those whose copies must never be ahead of this log,
// replicas: what is visible but not durable yet, it makes durable before it reads it.
func (l *Log) NewDurableReader(from logpos.Pos) (*Reader, error) {
	return l.newReader(from, true)
}

func (l *Log) newReader(from logpos.Pos, durable bool) (*Reader, error) {
	from.Offset = max(from.Offset, firstEvent)
	resets := l.resets()
	seg, err := l.holdOf(resets, from.Segment)
	if err != nil {
		return nil, err
	}
	r := &Reader{l: l, durable: durable, resets: resets}
	limit, _, err := l.readableOf(resets, from.Segment)
	if err != nil {
		l.release(seg)
		return nil, err
	}
	if from.Offset > limit {
		l.release(seg)
		return nil, fmt.Errorf("%w: %s, offset %d: the log ends at %d", ErrPosition, seg.name, from.Offset, limit)
	}
	if err := r.open(seg, from.Offset); err != nil {
		l.release(seg)
		if l.resets() != resets {
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
	path := r.l.dir.path(seg.name)
	f, err := r.l.dir.fs.Open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	r.seg, r.file = seg, f
	r.s = scanner{f: f, off: off, limit: off, chunk: readerChunk}
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
	if r.closed {
		return nil, logpos.Pos{}, ErrClosed
	}
	for {
		if r.s.off < r.s.limit {
			return r.read()
		}
		limit, final, err := r.l.readableOf(r.resets, r.seg.n)
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
		if err := r.turn(); err != nil {
			return nil, r.Position(), err
		}
	}
}

// settle makes the part before limit durable, for a durable reader.
func (r *Reader) settle(limit uint64, final bool) (uint64, error) {
	if !r.durable || final || !r.l.Synced().Before(logpos.At(r.seg.n, limit)) {
		return limit, nil
	}
	return limit, r.l.Sync()
}

func (r *Reader) read() ([]byte, logpos.Pos, error) {
	ev, at, err := r.s.next()
	pos := logpos.At(r.seg.n, at)
	if err == nil || errors.Is(err, errRead) {
		return ev, pos, err
	}
	return nil, pos, &CorruptError{File: r.l.dir.path(r.seg.name), Offset: at, Reason: err}
}

// turn goes to the next segment.
func (r *Reader) turn() error {
	next, err := r.l.holdOf(r.resets, r.seg.n+1)
	if err != nil {
		return err
	}
	old, oldFile := r.seg, r.file
	if err := r.open(next, firstEvent); err != nil {
		r.l.release(next)
		return err
	}
	r.l.release(old)
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
		if err != io.EOF {
			return ev, at, err
		}
		if err := r.l.waitVisible(ctx, r.resets, r.Position()); err != nil {
			return nil, r.Position(), err
		}
	}
}

// waitVisible waits until there is something visible behind p, in the log as it is after that
// many resets.
func (l *Log) waitVisible(ctx context.Context, resets uint64, p logpos.Pos) error {
	for {
		l.mu.Lock()
		if l.mu.resets != resets {
			l.mu.Unlock()
			return ErrReset
		}
		if p.Before(l.mu.visible) {
			l.mu.Unlock()
			return nil
		}
		if l.mu.closed {
			l.mu.Unlock()
			return ErrClosed
		}
		l.mu.waiters++
		wake := l.mu.wake
		l.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// WaitVisible waits until everything before p is visible (MASTER_POS_WAIT), ctx
// ends, the log is reset (ErrReset) or closed.
func (l *Log) WaitVisible(ctx context.Context, p logpos.Pos) error {
	if p.Offset > 0 {
		p.Offset--
	}
	return l.waitVisible(ctx, l.resets(), p)
}

// resets is how often the log was replaced: positions of before mean nothing.
func (l *Log) resets() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.resets
}

// readable is up to where segment n may be read; final says that no more
// will come in this segment and the next one is visible.
func (l *Log) readable(n uint64) (limit uint64, final bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readableLocked(n)
}

// readableOf is readable for a reader that was made after that many resets.
func (l *Log) readableOf(resets, n uint64) (limit uint64, final bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.resets != resets {
		return 0, false, ErrReset
	}
	limit, final = l.readableLocked(n)
	return limit, final, nil
}

func (l *Log) readableLocked(n uint64) (limit uint64, final bool) {
	if n < l.mu.visible.Segment {
		if seg := l.segmentLocked(n); seg != nil {
			return seg.size, true
		}
		return 0, true
	}
	if n == l.mu.visible.Segment {
		return l.mu.visible.Offset, false
	}
	return 0, false
}

// Close releases the reader's segment. A second call does nothing.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.l.release(r.seg)
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", r.seg.name, err)
	}
	return nil
}

// hold keeps segment n and all later ones.
func (l *Log) hold(n uint64) (*segment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holdLocked(n)
}

// holdOf is hold for a reader that was made after that many resets.
func (l *Log) holdOf(resets, n uint64) (*segment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.resets != resets {
		return nil, ErrReset
	}
	return l.holdLocked(n)
}

func (l *Log) holdLocked(n uint64) (*segment, error) {
	seg := l.segmentLocked(n)
	if seg == nil {
		if len(l.mu.segments) > 0 && n < l.mu.segments[0].n {
			return nil, fmt.Errorf("%w: %s; the oldest is %s", ErrPurged, l.dir.segmentName(n), l.mu.segments[0].name)
		}
		return nil, fmt.Errorf("%w: there is no file %s", ErrPosition, l.dir.segmentName(n))
	}
	seg.holds++
	return seg, nil
}

func (l *Log) release(seg *segment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seg.holds--
}

// Hold keeps segment n and all later ones from being purged until release is
// called (once).
func (l *Log) Hold(n uint64) (release func(), err error) {
	seg, err := l.hold(n)
	if err != nil {
		return nil, err
	}
	return func() { l.release(seg) }, nil
}

// Wait waits until NextNoWait has something to return, ctx ends or the log is closed.
func (r *Reader) Wait(ctx context.Context) error { return r.l.waitVisible(ctx, r.resets, r.Position()) }
