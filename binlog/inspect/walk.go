package inspect

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// walk goes over all events of a file and finds out what recovery would find out:
// how far it is valid, and the state there.
type walk struct {
	r      *Reader
	groups binlog.Groups
	state  *gtid.State // after the last complete group

	events, transactions uint64
	firstTime, lastTime  uint32
	end                  uint64 // end of the last valid event
	unitEnd              uint64 // end of the last complete group, or other event between groups
	closed               bool   // the last event is STOP or ROTATE
	closing              event.Event
	// stop is what the scanner found at end: io.EOF, zeros, or why the bytes there are no event.
	stop error
	// problem is what is wrong at problemAt, if it is not how a file in use may end: an invalid
	// event, an event in the wrong place, one that cannot be decoded.
	problem   error
	problemAt uint64
	// misplaced: the problem is not with bytes, but with what they say.
	misplaced bool
	// vouched is up to where a valid write mark called the file durable.
	vouched uint64
}

func newWalk(r *Reader) *walk {
	w := &walk{r: r, end: firstEvent, unitEnd: r.End, state: gtid.NewState()}
	if r.State != nil {
		w.state = r.State.Clone()
	}
	return w
}

// clean reports whether a file in use ends between two groups, with nothing
// but zeros after them.
func (w *walk) clean() bool {
	return w.problem == nil && (errors.Is(w.stop, io.EOF) || binlog.IsZeros(w.stop)) && w.unitEnd == w.end
}

// run reads up to the end, or to the first problem. visit may be nil; its errors are
// problems at the event. Only a failing disk and the end of ctx are errors.
func (w *walk) run(ctx context.Context, visit func(ev event.Event, ended bool) error) error {
	for {
		if w.events%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		raw, at, err := w.r.next()
		switch {
		case errors.Is(err, ErrEncrypted):
			w.stop = err
			return nil
		case binlog.IsReadError(err):
			return fmt.Errorf("%s: %w", w.r.File.Path, err)
		case err != nil:
			w.stop = err
			if !errors.Is(err, io.EOF) && !binlog.IsZeros(err) {
				w.problem, w.problemAt = err, at
			}
			return nil
		}
		if w.closed {
			return nil // whoever judges finds data after the end
		}
		if err := w.event(raw, at, visit); err != nil {
			w.problem, w.problemAt, w.misplaced = err, at, true
			return nil //nolint:nilerr // it is what the walk has found
		}
	}
}

func (w *walk) event(raw []byte, at uint64, visit func(ev event.Event, ended bool) error) error {
	ev, err := w.r.decode(raw)
	if err != nil {
		return err
	}
	ended := false
	if w.r.MariaDB && !w.r.Relay {
		if ended, err = w.groups.Next(withChecksum(raw, w.r.dec.Checksum)); err != nil {
			return err
		}
	}
	if visit != nil {
		if err := visit(ev, ended); err != nil {
			return err
		}
	}
	w.events++
	w.end = at + uint64(len(raw))
	if t := ev.Header.Timestamp; t != 0 {
		if w.firstTime == 0 {
			w.firstTime = t
		}
		w.lastTime = t
	}
	if ended {
		w.transactions++
		w.state.Update(w.groups.GTID)
	}
	if p, ok := ev.Body.(*event.Private); ok && binlog.IsWriteMark(raw) {
		w.vouched = max(w.vouched, binary.LittleEndian.Uint64(p.Payload))
	} else if !w.groups.Open {
		w.unitEnd = w.end
	}
	if t := ev.Header.Type; t == event.StopEvent || t == event.RotateEvent {
		w.closed, w.closing = true, ev
	}
	return nil
}

// withChecksum gives an event of a log without checksums room for one, which binlog.Groups expects.
func withChecksum(raw []byte, has bool) []byte {
	if has || event.Type(raw[4]) == event.FormatDescription {
		return raw
	}
	return append(bytes.Clone(raw), make([]byte, event.ChecksumSize)...)
}
